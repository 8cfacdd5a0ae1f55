"""The application: its commands, and what happens when one of them fails."""

import os
import signal
import sys
import threading
from pathlib import Path

import typer

from wfgate import __version__
from wfgate.cli import (
    approve,
    calibrate,
    convert,
    describe,
    diff,
    exam,
    facts,
    gate,
    generate,
    lint,
    perturb,
    plan,
    predeploy,
    review,
    score,
    setup,
    show,
    write,
)
from wfgate.cli.options import emit, fail
from wfgate.errors import FormatError, ProfileMismatchError, WfgateError

EXIT_USAGE = 2
EXIT_NOTHING_COMPARED = 3
EXIT_INCONCLUSIVE = 4
EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130

app = typer.Typer(
    name="wfgate",
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help: all of 80 columns for the words, and no import of rich
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("gate", short_help="Fail if candidates got worse than their approved references.")(gate.gate)
app.command("approve", short_help="Make candidates approved references.")(approve.approve)
app.command("review", short_help="Go through what waits for approval, one by one.")(review.review)
app.command("pending", short_help="List what waits for approval.")(approve.pending)
app.command("predeploy", short_help="Judge strictly what is about to be deployed.")(predeploy.predeploy)
app.command("plan", short_help="Say how many samples notice which drop.")(plan.plan)
app.command("calibrate", short_help="Fit thresholds with stated error rates on your goldens.")(calibrate.calibrate)
app.command("score", short_help="Compare two workflows: numbers only, no verdict.")(score.score)
app.command("lint", short_help="Check workflows by themselves.")(lint.lint)
app.command("facts", short_help="Say what is so in a workflow, or what differs between two.")(facts.facts)
app.command("show", short_help="Show a workflow as an outline or a diagram.")(show.show)
app.command("diff", short_help="Show two workflows side by side.")(diff.diff)
app.command("convert", short_help="Convert a workflow to another format.")(convert.convert)
app.command("perturb", short_help="Make a degraded or reworded variant of a golden.")(perturb.perturb)
app.command("write", short_help="Ask a language model for variants of goldens to calibrate on.")(write.write)
app.command("exam", short_help="Examine how well a language model reads workflows.")(exam.exam)
app.command("generate", short_help="Ask a language model for workflows, to be gated.")(generate.generate)
app.command("init", short_help="Write a commented wfgate.toml, and files for CI.")(setup.init)
app.command("doctor", short_help="Say what is wrong with a set-up.")(setup.doctor)
app.command("list", short_help="List formats, metrics, checks, perturbations, ...")(describe.list_entries)
app.command("explain", short_help="Explain a check, a metric, anything that has an id.")(describe.explain)
app.command("schema", short_help="Print a JSON Schema.")(describe.schema)


def _version(*, asked: bool) -> None:
    if asked:
        emit(f"wfgate {__version__}", None)
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
    """The regression gate for generated workflows.

    It compares them with approved golden references, blocks what broke and stays quiet about rewording.
    """
    del version


def run() -> None:
    """Entry point of the console script.

    Exit codes: 0 pass; 1 regression; 2 usage or configuration; 3 nothing could be compared; 4 inconclusive;
    70 internal error; 130 interrupted (SIGINT or SIGTERM).
    """
    _prepare()
    try:
        app(prog_name="wfgate")
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # `wfgate --help | true`: typer would say 1, a regression
            sys.exit(0)
        if stop.code == EXIT_INTERRUPTED:
            fail("interrupted", EXIT_INTERRUPTED)
        raise
    except ProfileMismatchError as error:
        fail(str(error), EXIT_INCONCLUSIVE)
    except FormatError as error:
        fail(str(error), EXIT_NOTHING_COMPARED)
    except WfgateError as error:
        fail(str(error), EXIT_INTERRUPTED if isinstance(error.__cause__, KeyboardInterrupt) else EXIT_USAGE)
    except Exception as error:
        if os.environ.get("WFGATE_DEBUG"):
            raise
        fail(*_failure(error))


def _prepare() -> None:
    """Make of this process what the commands rely on."""
    # Steps come in tens, not thousands: threads of the linear algebra only get in each other's way.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by whoever started this
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - until the process ends
    if threading.current_thread() is threading.main_thread():
        # A build server that cancels a job sends it: ends like Ctrl-C, and leaves nothing half-written.
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def _failure(error: Exception) -> tuple[str, int]:
    """Return what to say of something that nobody foresaw, and the exit code."""
    if isinstance(error, OSError) and error.filename is not None:  # a folder that nobody may look into, a full disk
        said = (error.strerror or type(error).__name__).lower()
        fix = "check that it is there, and that you may use it"
        return f"{error.filename}: cannot be used: {said}\n  fix: {fix}", EXIT_USAGE
    fix = "please report it, with the output of the same command under WFGATE_DEBUG=1"
    return f"internal error: {type(error).__name__}: {error}\n  fix: {fix}", EXIT_INTERNAL
