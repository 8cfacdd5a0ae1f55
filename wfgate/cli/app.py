"""The application: its commands, and what happens when one of them fails."""

import os
import sys

import typer

from wfgate import __version__
from wfgate.cli import calibrate, convert, describe, gate, lint, perturb, score

EXIT_REGRESSION = 1
EXIT_USAGE = 2
EXIT_NOTHING_COMPARED = 3
EXIT_INCONCLUSIVE = 4
EXIT_INTERNAL = 70

app = typer.Typer(
    name="wfgate",
    help="The regression gate for generated workflows: blocks what broke, stays quiet about rewording.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("gate")(gate.gate)
app.command("calibrate")(calibrate.calibrate)
app.command("score")(score.score)
app.command("lint")(lint.lint)
app.command("convert")(convert.convert)
app.command("perturb")(perturb.perturb)
app.command("explain")(describe.explain)
app.command("list")(describe.list_entries)
app.command("schema")(describe.schema)


def _version(*, asked: bool) -> None:
    if asked:
        typer.echo(f"wfgate {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: bool = typer.Option(
        False,
        "--version",
        callback=lambda value: _version(asked=value),
        is_eager=True,
        help="Show the version and exit.",
    ),
) -> None:
    """Compare generated workflows with approved golden references."""
    del version


def run() -> None:
    """Entry point of the console script.

    Exit codes: 0 pass; 1 regression; 2 usage or configuration; 3 nothing could be compared; 4 inconclusive;
    70 internal error.
    """
    from wfgate.errors import CalibrationError, FormatError, ProfileMismatchError, WfgateError

    try:
        app()
    except ProfileMismatchError as error:
        _fail(error, EXIT_INCONCLUSIVE)
    except FormatError as error:
        _fail(error, EXIT_NOTHING_COMPARED)
    except (CalibrationError, WfgateError) as error:
        _fail(error, EXIT_USAGE)
    except BrokenPipeError:
        # The reader went away (`wfgate list metrics | head -1`): no failure, and nothing more to write.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        if os.environ.get("WFGATE_DEBUG"):
            raise
        sys.stderr.write(
            f"error: internal error: {type(error).__name__}: {error}\n"
            "  fix: please report it, with the output of the same command under WFGATE_DEBUG=1\n"
        )
        sys.exit(EXIT_INTERNAL)


def _fail(error: Exception, code: int) -> None:
    from wfgate.report.console import plain

    sys.stderr.write(f"error: {plain(str(error))}\n")
    sys.exit(code)
