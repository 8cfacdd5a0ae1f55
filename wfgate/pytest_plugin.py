"""The pytest plugin: a fixture that gates what a test generated.

    def test_deploy(workflow_gate):
        workflow_gate.check(generate("deploy"), golden="deploy.yaml")

Nothing heavy is imported before a test uses the fixture.
"""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from wfgate.gating import CaseResult, Gate, GateResult, Pair
    from wfgate.gating.config import Config
    from wfgate.model import Workflow

WIDTH = 100
"""Columns of the report of a failure."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that approves."""
    group = parser.getgroup("wfgate", "regression gate for generated workflows")
    group.addoption(
        "--wfgate-update",
        action="store_true",
        help="Replace goldens by the candidates that do not pass; refused on build servers.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to approve on a build server."""
    if not config.getoption("--wfgate-update"):
        return
    from wfgate.baseline.signing import refuse_in_ci
    from wfgate.errors import ConfigError

    try:
        refuse_in_ci("--wfgate-update", os.environ)
    except ConfigError as error:
        raise pytest.UsageError(str(error)) from None


@pytest.fixture
def workflow_gate(request: pytest.FixtureRequest) -> "WorkflowGate":
    """Gate workflows against approved goldens: `workflow_gate.check(candidate, golden="deploy.yaml")`."""
    return WorkflowGate(request.config, request.path.parent)


class WorkflowGate:
    """Checks candidates against goldens with the configuration of the project.

    Args:
        config: The configuration of the test run.
        folder: The folder of the test.
    """

    def __init__(self, config: pytest.Config, folder: Path) -> None:
        self._config = config
        self._folder = folder

    def check(self, candidate: "Workflow | Path | str | dict[str, Any]", *, golden: str | Path) -> "CaseResult":
        """Fail the test if a candidate is worse than its golden; with `--wfgate-update` approve it instead.

        Args:
            candidate: A workflow, its JSON form, its text, or the path of its file.
            golden: The file of the golden, relative to `reference` of the configuration if that is a folder, else to
                the folder of the test. Its variants in the same folder (`deploy@2.yaml`) are goldens too.

        Returns:
            The result of the gate.
        """
        from wfgate.errors import WfgateError
        from wfgate.gating.config import named_from

        __tracebackhide__ = True
        try:
            settings, gate = self._loaded()
            home = settings.reference
            file = (home if home is not None and home.is_dir() else self._folder) / golden
            file = named_from(Path(), file)  # at each call: a test may change the working directory
            result = _run(gate, _pair(candidate, file))
            if result.exit_code and self._config.getoption("--wfgate-update"):
                _approve(candidate, file, gate, result.cases[0])
                result = _run(gate, _pair(candidate, file))
        except WfgateError as error:
            _fail(str(error))
        if result.exit_code:
            _fail(_report(result, file))
        return result.cases[0]

    def _loaded(self) -> "tuple[Config, Gate]":
        """Return configuration and gate, loaded once for all tests of this process."""
        if _LOADED not in self._config.stash:
            from wfgate.gating.config import load_config
            from wfgate.gating.engine import load_gate
            from wfgate.store import user_store

            settings = load_config(None, self._config.rootpath)
            gate = load_gate(settings, datetime.now(tz=UTC).date(), store=user_store(os.environ))
            self._config.stash[_LOADED] = settings, gate
        return self._config.stash[_LOADED]


_LOADED = pytest.StashKey["tuple[Config, Gate]"]()


def _fail(message: str) -> NoReturn:
    __tracebackhide__ = True
    pytest.fail(message, pytrace=False)


def _pair(candidate: object, file: Path) -> "Pair":
    from wfgate.baseline.references import variants_of
    from wfgate.errors import ConfigError
    from wfgate.gating import Pair
    from wfgate.model import Workflow

    goldens = variants_of(file) or ((file,) if file.is_file() else ())
    problem = None if goldens else f"there is no golden {file}\n  fix: approve the first one: pytest --wfgate-update"
    if isinstance(candidate, str):
        text = "\n" in candidate or candidate.lstrip()[:1] in {"{", "["}
        return Pair(file.stem, goldens, candidate if text else Path(candidate), problem)
    if isinstance(candidate, Workflow | Path | dict):
        return Pair(file.stem, goldens, candidate, problem)
    raise ConfigError(
        f"{type(candidate).__name__} is not a workflow", fix="pass a Workflow, a path, a text, or its JSON form"
    )


def _run(gate: "Gate", pair: "Pair") -> "GateResult":
    from wfgate import __version__

    return gate.run([pair], tool=__version__)


def _report(result: "GateResult", file: Path) -> str:
    from wfgate.report import TextReporter

    return f"{TextReporter(width=WIDTH).render(result)}To accept the change: pytest --wfgate-update replaces {file}"


def _approve(candidate: object, file: Path, gate: "Gate", case: "CaseResult") -> None:
    """Replace a golden by a candidate, by the rules of `wfgate approve`."""
    from wfgate.baseline import Entry, approve
    from wfgate.baseline.references import variants_of
    from wfgate.baseline.signing import signer

    source = _pair(candidate, file).candidate
    with TemporaryDirectory(prefix="wfgate-") as folder:
        written = source if isinstance(source, Path) else Path(folder) / file.name
        if not isinstance(source, Path):
            written.write_text(_text(source), encoding="utf-8")
        approve(
            Entry(written, file.parent, file.stem, variants_of(file)),
            signer(None, file.parent, datetime.now(tz=UTC), os.environ),
            case,
            target=file,
            gate=gate,
        )


def _text(source: object) -> str:
    from wfgate.formats import write
    from wfgate.model import Workflow

    if isinstance(source, Workflow):
        return write(source, "native")
    return source if isinstance(source, str) else json.dumps(source, indent=1, ensure_ascii=False) + "\n"
