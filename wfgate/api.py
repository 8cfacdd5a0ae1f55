"""The public functions: load, score, gate, report, calibrate.

Only this module reads the clock. All other modules get the day as an argument.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from wfgate import __version__
from wfgate.calibration import Plan
from wfgate.calibration import calibrate as run_calibration
from wfgate.compare import DEFAULT_METRICS, MetricScore, compare
from wfgate.compare import score as score_comparison
from wfgate.decide import Assessor, Blob, CaseResult, Pair, Policy, Profile, Source
from wfgate.errors import ConfigError
from wfgate.language import DEFAULT_EMBEDDER, DEFAULT_MEANING_MODEL
from wfgate.model import Workflow
from wfgate.read import read_file
from wfgate.run import Config, load_assessor, load_gate, read_source


@dataclass(frozen=True)
class WorkflowText:
    """A workflow as text, for example the answer of a model; a plain `str` is the path of a file.

    Attributes:
        text: The text.
        name: Its name in reports.
    """

    text: str
    name: str = "output"


WorkflowLike = Workflow | Path | str | dict[str, Any] | WorkflowText
"""A workflow, the path of its file (a `str` is a path), its JSON form, or its text."""


@lru_cache(maxsize=4)
def _models(embedder: str, meaning_model: str) -> Assessor:
    """Return an assessor, which compares and scores, with these models; later calls reuse the loaded models."""
    return load_assessor(Config(embedder=embedder, meaning_model=meaning_model))


def load(path: Path | str, format_id: str | None = None) -> Workflow:
    """Read a workflow file.

    Args:
        path: The file.
        format_id: Id of the file's format (`wfgate list formats`); None detects the format from the content.

    Raises:
        FormatError: If no workflow can be read from the file. The error has a position and a fix.
    """
    return read_file(path, format_id).workflow


def score(
    golden: WorkflowLike,
    candidate: WorkflowLike,
    *,
    metrics: Sequence[str] | None = None,
    embedder: str = DEFAULT_EMBEDDER,
    meaning_model: str = DEFAULT_MEANING_MODEL,
) -> tuple[MetricScore, ...]:
    """Compute the metrics of a candidate compared with its golden (the approved workflow).

    Args:
        golden: The approved workflow.
        candidate: The workflow to score.
        metrics: Ids of metrics (`wfgate list metrics`); None computes the default metrics.
        embedder: Embedder of step texts.
        meaning_model: Model that decides whether a changed step still means the same.

    Raises:
        FormatError: If a file cannot be read.
        ConfigError: If a metric, the embedder or the meaning model does not exist.

    Example:
        >>> scores = score({"wfgate": "1", "steps": ["Build", "Test"]}, {"wfgate": "1", "steps": ["Build"]})
        >>> {s.metric: round(s.value, 2) for s in scores if s.metric in {"chain-f1", "kendall-tau"}}
        {'chain-f1': 0.67, 'kendall-tau': 0.5}
    """
    approved = read_source(_source(golden), "workflow")
    tested = read_source(_source(candidate), "workflow", like=approved)
    models = _models(embedder, meaning_model)
    comparison = compare(approved.workflow, tested.workflow, models.embedder, models.meaning_model)
    return score_comparison(comparison, metrics)


def gate(  # noqa: PLR0913 - the public entry point: every setting has a default
    golden: WorkflowLike | Sequence[WorkflowLike],
    candidate: WorkflowLike,
    *,
    profile: Profile | Path | str | None = None,
    policy: Policy | None = None,
    metrics: Sequence[str] = DEFAULT_METRICS,
    embedder: str = DEFAULT_EMBEDDER,
    meaning_model: str = DEFAULT_MEANING_MODEL,
    today: date | None = None,
) -> CaseResult:
    """Decide whether a candidate is worse than its golden.

    Args:
        golden: The approved workflow, or several approved variants. The first is the golden; what the others do
            differently is free.
        candidate: The workflow under test.
        profile: A fitted profile or its file; None uses the shipped profile.
        policy: Rules of the gate; None uses the defaults.
        metrics: Metrics to compute; the profile must have been fitted with the same metrics.
        embedder: Embedder of step texts; the profile must have been fitted with the same embedder.
        meaning_model: Model that decides whether a changed step still means the same; the profile must have been
            fitted with the same model.
        today: The day of the run: a profile that expired before it is an error. None reads the clock (UTC).

    Returns:
        The verdict with reasons, severity, findings and metrics. A file that cannot be read gives an inconclusive
        case, never a pass; its field `error` contains the reason.

    Raises:
        ConfigError: If there is no golden, or a golden or the candidate is not a workflow.
        CalibrationError: If the profile cannot be read.
        ProfileMismatchError: If the profile has expired, or was fitted with other metrics or models.

    Example:
        >>> approved = {"wfgate": "1", "steps": ["Build image", "Scan image", "Push image", "Deploy"]}
        >>> gate(approved, {"wfgate": "1", "steps": ["Build image", "Push image", "Deploy"]}).verdict
        'block'
    """
    goldens = golden if isinstance(golden, list | tuple) else [golden]
    if not goldens:
        raise ConfigError("there is no golden", fix="give at least one approved workflow")
    fitted = profile if isinstance(profile, Profile) else None
    file = Path(profile) if profile and not isinstance(profile, Profile) else None
    ready = load_gate(
        Config(profile=file, policy=policy or Policy()),
        today or datetime.now(tz=UTC).date(),
        profile=fitted,
        assessor=replace(_models(embedder, meaning_model), metrics=tuple(metrics)),
    )
    return ready.decide(Pair("candidate", tuple(_source(item) for item in goldens), _source(candidate)))


def report(case: CaseResult, *, width: int = 100) -> str:
    """Return the short report of a case: its verdict, a line for each reason with its place, and the severity.

    It is that of `wfgate gate` without what to do next. Texts of the workflows are escaped for a terminal.

    Args:
        case: The result of `gate`.
        width: Maximum width of a line, in characters.

    Example:
        >>> approved = {"wfgate": "1", "steps": ["Build image", "Scan image", "Push image", "Deploy"]}
        >>> print(report(gate(approved, {"wfgate": "1", "steps": ["Build image", "Push image", "Deploy"]})))
        BLOCK candidate: step missing
          WR101 'Scan image' is missing
          Severity: 1 of 4 steps missing (25 %)
    """
    from wfgate.show import CaseView, TextReporter  # noqa: PLC0415 - a result is not always shown

    return TextReporter(width=width).short(CaseView(case)).rstrip("\n")


def calibrate(
    corpora: Path | str | Sequence[Path | str],
    *,
    output: Path | str | None = None,
    plan: Plan | None = None,
    metrics: Sequence[str] = DEFAULT_METRICS,
    embedder: str = DEFAULT_EMBEDDER,
    meaning_model: str = DEFAULT_MEANING_MODEL,
) -> Profile:
    """Fit a profile on golden workflows.

    Args:
        corpora: One or more files or folders (see `wfgate.calibration.corpus.read_corpus`).
        output: File to write the profile to; None writes no file.
        plan: Seed, promised rates, score table, processes; None uses the defaults.
        metrics: Metrics to compute.
        embedder: Embedder of step texts.
        meaning_model: Model that decides whether a changed step still means the same.

    Raises:
        CalibrationError: If the corpus is not usable or too small for the promised rates.
    """
    paths = [corpora] if isinstance(corpora, Path | str) else corpora
    assessor = replace(_models(embedder, meaning_model), metrics=tuple(metrics))
    done = run_calibration([Path(path) for path in paths], assessor, plan or Plan(), tool=__version__)
    if output is not None:
        done.profile.save(Path(output))
    return done.profile


def _source(value: object) -> Source:
    if isinstance(value, str):
        return Path(value)
    if isinstance(value, WorkflowText):
        return Blob(Path(value.name), value.text.encode("utf-8", "surrogatepass"))  # half a character is unreadable
    if isinstance(value, Workflow | Path | dict):
        return value
    name = type(value).__name__
    raise ConfigError(f"{name} is not a workflow", fix="pass a Workflow, a path, a WorkflowText, or its JSON form")
