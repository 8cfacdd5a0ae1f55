"""`wfgate mcp`."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer


def mcp(
    root: Annotated[
        Path, typer.Option("--root", metavar="FOLDER", help="Read files below this folder only.")
    ] = Path(),
) -> None:
    """Serve gate, lint, diff and explain to a coding agent (MCP, on standard input and output; extra mcp).

    The agent starts this command itself; docs/mcp.md says how. Nothing is written, run or sent over a network. Paths
    are relative to the folder, whose wfgate.toml counts. Exit codes: 0 the agent closed the connection, 2 usage error
    or the extra is not installed.

    Example: wfgate mcp --root .
    """
    from wfgate.cli.interruption import end_when_interrupted
    from wfgate.errors import ConfigError, install_extra, os_words

    os.environ["OTEL_SDK_DISABLED"] = "true"  # the SDK would report each call to a tracer, if one is configured
    try:
        os.chdir(root)
    except OSError as error:
        raise ConfigError(f"{root}: cannot be used: {os_words(error)}", fix="give an existing folder") from error
    try:
        from wfgate.mcp import serve
    except ImportError as error:
        raise ConfigError(f"the server needs the package mcp: {error}", fix=install_extra("mcp")) from error
    end_when_interrupted()
    serve(lambda: datetime.now(tz=UTC).date())
