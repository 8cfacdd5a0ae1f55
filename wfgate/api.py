"""The four verbs of the public API."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from wfgate import __version__
from wfgate.alignment import Embedder, MeaningModel, compare
from wfgate.alignment.embedders import DEFAULT_EMBEDDER, load_embedder
from wfgate.alignment.meaning import DEFAULT_MEANING_MODEL, load_meaning_model
from wfgate.calibration import Plan
from wfgate.calibration import calibrate as run_calibration
from wfgate.errors import ConfigError
from wfgate.evidence import Assessor
from wfgate.formats import read_file
from wfgate.gating import CaseResult, Gate, Pair, Policy
from wfgate.gating.suite import Source, read_source
from wfgate.metrics import DEFAULT_METRICS, MetricScore
from wfgate.metrics import score as score_comparison
from wfgate.model import Workflow
from wfgate.profile import Profile, default_profile, load_profile

WorkflowLike = Workflow | Path | str | dict[str, Any]
"""A workflow, the path of its file (a `str` is a path), or its JSON form."""


@lru_cache(maxsize=4)
def _loaded(embedder: str, meaning_model: str) -> tuple[Embedder, MeaningModel]:
    """Load once what several calls use: the second call is a warm one."""
    return load_embedder(embedder), load_meaning_model(meaning_model)


def load(path: Path | str, format_id: str | None = None) -> Workflow:
    """Read a workflow file.

    Args:
        path: The file.
        format_id: Its format (`wfgate list formats`); None to go by content.

    Raises:
        FormatError: If no workflow can be read from it; says where and how to mend it.
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
    """Score a candidate against its golden.

    Args:
        golden: The approved workflow.
        candidate: The workflow to score.
        metrics: Ids of metrics (`wfgate list metrics`); the default bundle where None.
        embedder: What embeds step texts.
        meaning_model: What judges whether a changed step still means the same.

    Raises:
        FormatError: If a file cannot be read.
        ConfigError: If there is no such metric, embedder or meaning_model.

    Example:
        >>> scores = score({"wfgate": "1", "steps": ["Build", "Test"]}, {"wfgate": "1", "steps": ["Build"]})
        >>> {s.metric: round(s.value, 2) for s in scores if s.metric in {"chain-f1", "kendall-tau"}}
        {'chain-f1': 0.67, 'kendall-tau': 0.5}
    """
    ours, theirs = (read_source(_source(item), "workflow").workflow for item in (golden, candidate))
    comparison = compare(ours, theirs, *_loaded(embedder, meaning_model))
    return score_comparison(comparison, metrics)


def gate(
    golden: WorkflowLike | Sequence[WorkflowLike],
    candidate: WorkflowLike,
    *,
    profile: Profile | Path | str | None = None,
    policy: Policy | None = None,
    metrics: Sequence[str] = DEFAULT_METRICS,
    embedder: str = DEFAULT_EMBEDDER,
    meaning_model: str = DEFAULT_MEANING_MODEL,
) -> CaseResult:
    """Decide whether a candidate got worse than its golden.

    Args:
        golden: The approved workflow, or several approved variants: the best match decides.
        candidate: The workflow under test.
        profile: A calibration; the shipped one where None.
        policy: What the team decided; the defaults where None.
        metrics: Metrics to compute; must be those the profile was fitted with.
        embedder: What embeds step texts; likewise.
        meaning_model: What judges whether a changed step still means the same; likewise.

    Returns:
        The verdict with reasons, severity, findings and metrics. A file that cannot be read is an inconclusive
        case whose `error` says why: it is never a pass.

    Raises:
        ConfigError: If there is no golden, or something that is no workflow.
        CalibrationError: If the profile cannot be read.
        ProfileMismatchError: If the profile was fitted with other metrics or another embedder.

    Example:
        >>> approved = {"wfgate": "1", "steps": ["Build image", "Scan image", "Push image", "Deploy"]}
        >>> gate(approved, {"wfgate": "1", "steps": ["Build image", "Push image", "Deploy"]}).verdict
        'block'
    """
    if not isinstance(profile, Profile):
        profile = load_profile(Path(profile)) if profile else default_profile()
    goldens = golden if isinstance(golden, list | tuple) else [golden]
    if not goldens:
        raise ConfigError("there is no golden", fix="give at least one approved workflow")
    assessor = Assessor(*_loaded(embedder, meaning_model), tuple(metrics))
    judge = Gate(assessor, profile, policy or Policy())
    return judge.decide(Pair("candidate", tuple(_source(item) for item in goldens), _source(candidate)))


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
        corpora: One or more files or folders (see `wfgate.calibration.read_corpus`).
        output: Where to write the profile; nowhere if None.
        plan: Seed, promise, score table, processes; the defaults where None.
        metrics: Metrics to compute.
        embedder: What embeds step texts.
        meaning_model: What judges whether a changed step still means the same.

    Raises:
        CalibrationError: If the corpus cannot be used or is too small for the promise.
    """
    paths = [corpora] if isinstance(corpora, Path | str) else corpora
    assessor = Assessor(*_loaded(embedder, meaning_model), tuple(metrics))
    done = run_calibration([Path(path) for path in paths], assessor, plan or Plan(), tool=__version__)
    if output is not None:
        done.profile.save(Path(output))
    return done.profile


def _source(value: object) -> Source:
    if isinstance(value, str):
        return Path(value)
    if isinstance(value, Workflow | Path | dict):
        return value
    raise ConfigError(f"{type(value).__name__} is no workflow", fix="give a Workflow, a path, or its JSON form")
