"""A client of the official SDK that starts the server as a coding agent does."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..cli.conftest import environment

Call = tuple[str, dict[str, Any]] | Callable[[], object]
"""A tool with its arguments, or something to do between two calls."""


def talk(folder: Path, *calls: Call, root: str = ".") -> tuple[list[Any], list[Any]]:
    """Return the tools of a server, and the answers to some calls."""
    anyio = pytest.importorskip("anyio")
    mcp = pytest.importorskip("mcp")
    from mcp.client import Client  # noqa: PLC0415 - the SDK is an extra

    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    server = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "wfgate", "mcp", "--root", root],
        cwd=folder,
        env=environment({"HOME": str(home)}),
    )

    async def session() -> tuple[list[Any], list[Any]]:
        answers = []
        async with Client(mcp.stdio_client(server)) as client:
            tools = (await client.list_tools()).tools
            for call in calls:
                if callable(call):
                    call()
                else:
                    answers.append(await client.call_tool(*call))
        return tools, answers

    return anyio.run(session)


def said(answer: Any) -> str:
    """Return the text of an answer."""
    (content,) = answer.content
    return content.text
