"""The command-line application: registers the commands and maps errors to exit codes."""

import gc
import os
import sys
from pathlib import Path

import typer

from wfgate import __version__
from wfgate.cli.grouped_help import ACCEPT, CALIBRATE, GATE, MODELS, UNDERSTAND, GroupedCommands, Listed
from wfgate.cli.interruption import EXIT_INTERRUPTED, handle_interrupts, tell_interrupted
from wfgate.cli.output import emit, fail
from wfgate.errors import FormatError, ProfileMismatchError, WfgateError

EXIT_USAGE = 2
EXIT_NOTHING_COMPARED = 3
EXIT_INCONCLUSIVE = 4
EXIT_INTERNAL = 70
GARBAGE = 200_000
"""Objects made (less those deleted) between two searches for unused cycles of objects. The imports of a command make
about 150,000, which all stay; with Python's default, searching them takes a sixth of a cold `wfgate gate`."""

COMMANDS = {
    "init": Listed(GATE, "Write a strict wfgate.toml, CI files, and an example.", "wfgate.cli.setup:init"),
    "gate": Listed(GATE, "Fail if a candidate is worse than its approved reference.", "wfgate.cli.gate:gate"),
    "lint": Listed(GATE, "Check workflows without a reference.", "wfgate.cli.lint:lint"),
    "predeploy": Listed(
        GATE, "Check a file before it is deployed; only an approved workflow passes.", "wfgate.cli.predeploy:predeploy"
    ),
    "doctor": Listed(GATE, "Check the set-up of a project.", "wfgate.cli.setup:doctor"),
    "history": Listed(
        GATE, "Show the runs in a history, and what changed since the run before.", "wfgate.cli.history:history"
    ),
    "mcp": Listed(GATE, "Serve gate, lint, diff and explain to a coding agent (MCP).", "wfgate.cli.mcp:mcp"),
    "approve": Listed(ACCEPT, "Approve candidates: each becomes a reference.", "wfgate.cli.approve:approve"),
    "review": Listed(
        ACCEPT, "Review the candidates that are not approved yet, one by one.", "wfgate.cli.review:review"
    ),
    "pending": Listed(ACCEPT, "List the candidates that are not approved yet.", "wfgate.cli.approve:pending"),
    "acceptances": Listed(
        ACCEPT, "Write who accepted what in a pull request, for the gate.", "wfgate.cli.acceptances:acceptances"
    ),
    "contract": Listed(
        ACCEPT, "Show what the approved references of a workflow agree on.", "wfgate.cli.contract:contract"
    ),
    "rules": Listed(ACCEPT, "Show the rules of your own, and what each matches.", "wfgate.cli.rules:rules"),
    "explain": Listed(
        UNDERSTAND, "Explain an id (check, metric, ...), or a case of a result.", "wfgate.cli.describe:explain"
    ),
    "diff": Listed(UNDERSTAND, "Show two workflows side by side.", "wfgate.cli.diff:diff"),
    "show": Listed(UNDERSTAND, "Show a workflow as an outline or a diagram.", "wfgate.cli.show:show"),
    "facts": Listed(UNDERSTAND, "List facts about a workflow.", "wfgate.cli.facts:facts"),
    "score": Listed(UNDERSTAND, "Compare two workflows: numbers only, no verdict.", "wfgate.cli.score:score"),
    "convert": Listed(UNDERSTAND, "Convert a workflow to another format.", "wfgate.cli.convert:convert"),
    "list": Listed(
        UNDERSTAND, "List formats, metrics, checks, perturbations, ...", "wfgate.cli.describe:list_entries"
    ),
    "schema": Listed(UNDERSTAND, "Print a JSON Schema.", "wfgate.cli.describe:schema"),
    "calibrate": Listed(
        CALIBRATE, "Fit thresholds with stated error rates on your goldens.", "wfgate.cli.calibrate:calibrate"
    ),
    "write": Listed(
        CALIBRATE, "Generate variants of goldens for calibration with a language model.", "wfgate.cli.write:write"
    ),
    "perturb": Listed(CALIBRATE, "Make a degraded or reworded variant of a golden.", "wfgate.cli.perturb:perturb"),
    "plan": Listed(CALIBRATE, "Compute how many samples detect a drop of the pass rate.", "wfgate.cli.plan:plan"),
    "generate": Listed(MODELS, "Generate workflows with a language model.", "wfgate.cli.generate:generate"),
    "exam": Listed(MODELS, "Test how well a language model reads workflows.", "wfgate.cli.exam:exam"),
}
"""The commands by name, in the order of the help. A module is imported when its command is used."""

app = typer.Typer(
    name="wfgate",
    cls=GroupedCommands.of(COMMANDS),
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help uses the full 80 columns and does not import rich
    pretty_exceptions_enable=False,
    epilog="First steps: wfgate init --example",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


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
    """Regression gate for generated workflows.

    Compares generated workflows with approved references (goldens). Regressions are blocked; harmless changes pass,
    except for a share that the profile states as an average over its goldens.
    """
    del version


def run() -> None:
    """Entry point of the console script.

    Exit codes: 0 pass; 1 regression; 2 usage or configuration; 3 nothing could be compared; 4 inconclusive;
    5 a review that fails; 70 internal error; 130 interrupted (SIGINT or SIGTERM).
    """
    _prepare()
    try:
        app(prog_name="wfgate")
    except SystemExit as stop:
        _correct(stop)
        raise
    except KeyboardInterrupt:  # before typer, which catches others, has made its parser
        tell_interrupted()
        sys.exit(EXIT_INTERRUPTED)
    except ProfileMismatchError as error:
        fail(error.text, EXIT_INCONCLUSIVE, error.fix)
    except FormatError as error:
        fail(error.text, EXIT_NOTHING_COMPARED, error.fix)
    except WfgateError as error:
        interrupted = isinstance(error.__cause__, KeyboardInterrupt)
        fail(error.text, EXIT_INTERRUPTED if interrupted else EXIT_USAGE, error.fix)
    except Exception as error:
        if os.environ.get("WFGATE_DEBUG"):
            raise
        fail(*_failure(error))


def _correct(stop: SystemExit) -> None:
    """Correct the exit codes with which typer answers exceptions: 1, which is the code of a regression."""
    cause = stop.__context__ and stop.__context__.__cause__
    if isinstance(stop.__context__, BrokenPipeError):  # `wfgate --help | true`
        sys.exit(0)
    if isinstance(cause, EOFError):  # "Aborted!"
        fail(*_failure(cause))
    if stop.code == EXIT_INTERRUPTED:
        tell_interrupted()


def _prepare() -> None:
    """Prepare the process: threads, garbage collection, closed standard streams, interrupts."""
    gc.set_threshold(GARBAGE)
    # Workflows have tens of steps, not thousands: BLAS threads cost more than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Otherwise pydantic searches all installed packages for plug-ins and runs their code, and needs 30 ms for it.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the parent process
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - until the process ends
    handle_interrupts()  # a build server cancels a job with SIGTERM


def _failure(error: Exception) -> tuple[str, int, str]:
    """Return the message, the exit code and the fix for an unexpected error."""
    if isinstance(error, OSError) and error.filename is not None:  # no permission, a full disk
        reason = (error.strerror or type(error).__name__).lower()
        fix = "check that the file exists and that you have permission to use it"
        return f"{error.filename}: cannot be used: {reason}", EXIT_USAGE, fix
    fix = "report this error, with the output of the same command run with WFGATE_DEBUG=1"
    return f"internal error: {type(error).__name__}: {error}", EXIT_INTERNAL, fix
