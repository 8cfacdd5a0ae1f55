"""The pytest plugin: a fixture that gates what a test generated.

    def test_deploy(workflow_gate):
        workflow_gate.check(generate("deploy"), golden="deploy.yaml")

It does nothing, and imports nothing heavy, until a test asks for the fixture.
"""

import json
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
    """Add the flag that approves."""
    group = parser.getgroup("wfgate", "regression gate for generated workflows")
    group.addoption(
        "--wfgate-update",
        action="store_true",
        help="Approve candidates that do not pass in place of their goldens; refused where CI is set.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to approve on a build server."""
    if not config.getoption("--wfgate-update"):
        return
    from wfgate.cli.signing import refuse_in_ci
    from wfgate.errors import ConfigError

    try:
        refuse_in_ci("--wfgate-update")
    except ConfigError as error:
        raise pytest.UsageError(str(error)) from None


@pytest.fixture
def workflow_gate(request: pytest.FixtureRequest) -> "WorkflowGate":
    """Gate workflows against approved goldens: `workflow_gate.check(candidate, golden="deploy.yaml")`."""
    return WorkflowGate(request.config, request.path.parent)


class WorkflowGate:
    """Checks candidates against goldens by the project's `wfgate.toml`.

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
            golden: The golden's file: relative to `reference` of wfgate.toml if that is a folder, else to the test's
                folder. Its variants beside it (`deploy@2.yaml`) count too.

        Returns:
            What the gate says.
        """
        from wfgate.errors import WfgateError
        from wfgate.gating.config import named_from

        __tracebackhide__ = True
        try:
            settings, gate, profile = self._loaded()
            home = settings.reference
            place = (home if home is not None and home.is_dir() else self._folder) / golden
            place = named_from(Path(), place)  # now, not when loaded: a test may change the working directory
            result = _gated(gate, _pair(candidate, place), profile)
            if result.exit_code and self._config.getoption("--wfgate-update"):
                _approve(candidate, place, gate, result.cases[0])
                result = _gated(gate, _pair(candidate, place), profile)
        except WfgateError as error:
            _fail(str(error))
        if result.exit_code:
            _fail(_report(result, place))
        return result.cases[0]

    def _loaded(self) -> "tuple[Config, Gate, str]":
        """Load once what all tests of this process use."""
        if _LOADED not in self._config.stash:
            from wfgate.cli.options import gate_of
            from wfgate.gating.config import load_config

            settings = load_config(None, self._config.rootpath)
            self._config.stash[_LOADED] = (settings, *gate_of(settings, None))
        return self._config.stash[_LOADED]


_LOADED = pytest.StashKey["tuple[Config, Gate, str]"]()


def _fail(words: str) -> NoReturn:
    __tracebackhide__ = True
    pytest.fail(words, pytrace=False)


def _pair(candidate: object, place: Path) -> "Pair":
    from wfgate.baseline.references import variants_of
    from wfgate.errors import ConfigError
    from wfgate.gating import Pair
    from wfgate.model import Workflow

    goldens = variants_of(place) or ((place,) if place.is_file() else ())
    problem = None if goldens else f"there is no golden {place}\n  fix: approve the first one: pytest --wfgate-update"
    if isinstance(candidate, str):
        text = "\n" in candidate or candidate.lstrip()[:1] in {"{", "["}
        return Pair(place.stem, goldens, candidate if text else Path(candidate), problem)
    if isinstance(candidate, Workflow | Path | dict):
        return Pair(place.stem, goldens, candidate, problem)
    raise ConfigError(f"{type(candidate).__name__} is no workflow", fix="give a Workflow, a path, a text, or JSON")


def _gated(gate: "Gate", pair: "Pair", profile: str) -> "GateResult":
    from wfgate import __version__

    return gate.run([pair], tool=__version__, source=profile)


def _report(result: "GateResult", place: Path) -> str:
    from wfgate.report import TextReporter

    update = f"If the change is meant: pytest --wfgate-update puts it in the place of {place}"
    return f"{TextReporter(width=WIDTH).render(result)}{update}"


def _approve(candidate: object, place: Path, gate: "Gate", case: "CaseResult") -> None:
    """Put a candidate in the place of its golden, by the rules of `wfgate approve`."""
    from wfgate.baseline import Entry, approve
    from wfgate.baseline.references import variants_of
    from wfgate.cli.signing import signer

    source = _pair(candidate, place).candidate
    with TemporaryDirectory(prefix="wfgate-") as folder:
        file = source if isinstance(source, Path) else Path(folder) / place.name
        if not isinstance(source, Path):
            file.write_text(_text(source), encoding="utf-8")
        approve(
            Entry(file, place.parent, place.stem, variants_of(place)),
            signer(None, place.parent),
            case,
            target=place,
            gate=gate,
        )


def _text(source: object) -> str:
    from wfgate.formats import write
    from wfgate.model import Workflow

    if isinstance(source, Workflow):
        return write(source, "native")
    return source if isinstance(source, str) else json.dumps(source, indent=1, ensure_ascii=False) + "\n"
