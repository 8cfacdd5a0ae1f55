"""Prints what the gate makes of workflows written anew from a brief, beside the targets and beside other scores.

usage: regenerations.py [--half fit|test] [--limit N] [--figures FOLDER]

The labels are those of the reviewers of `../corpora/regenerations`; "accept" and "minor" count as accepted. Nothing
was fitted on the half "test". Default profile, shipped models, no language model is called.

Rates are means over goldens: the workflows of one golden are not independent. Intervals are 95 %: Clopper-Pearson with
n = number of goldens for rates, a bootstrap of goldens for the AUC. `--limit` takes the first goldens by the hash of
their id, for a quick look. `--figures` writes the ROC curves as SVG (extra `report`).
"""

import argparse
import hashlib
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from accuracy import CORPORA, records, table
from numpy.typing import NDArray
from speed import fresh_verdict

sys.path.insert(0, str(Path(__file__).parents[1] / "regenerations"))

from batches import STYLES
from second_stage import unverified

from wfgate.calibration.clustered import clustered_rate
from wfgate.calibration.reports import figures
from wfgate.compare import compare, score
from wfgate.decide import CaseResult, Pair, Profile, feature_vector
from wfgate.read import read_data
from wfgate.run import Config, Gate, load_gate
from wfgate.show import percent, percent_range

FOLDER = CORPORA / "regenerations"
ALTERATIONS = Path(__file__).parents[1] / "step_equivalence" / "alterations.jsonl"

Half = Literal["fit", "test"]
Record = dict[str, Any]
Floats = NDArray[np.float64]

REFERENCES = 3
WITH_REFERENCES = 2
"""Accepted, and rejected, workflows of each golden that are compared with several references: each costs three."""
REJECTED_AT = (0.01, 0.05, 0.10)
"""Shares of accepted workflows blocked at which the rejected workflows found are counted."""
DRAWS = 2_000
"""Bootstrap samples of the goldens."""
METRICS = {
    "worfeval-chain-f1": "WorFEval, chain",
    "worfeval-graph-f1": "WorFEval, graph",
    "bleu": "BLEU",
    "gleu": "GLEU",
    "bertscore-static": "BERTScore, static embeddings",
    "chain-f1": "Chain F1",
    "graph-f1": "Graph F1",
}
EXTRA_METRICS = ("worfeval-chain-f1", "worfeval-graph-f1")
"""Metrics that the gate does not compute."""
GATE, GRADES = "the gate", "a recorded language model"
DAMAGE = ("missing", "missing-bridged", "compressed", "reordered", "rewired")
HARD = 0.1
"""Severity of the damage in the profile's catches: one step in ten."""


@dataclass(frozen=True)
class Case:
    """A candidate with its approved references.

    Attributes:
        population: What kind of case it is: the key of the tables.
        golden: The record of the golden.
        regeneration: The record of the regeneration that the candidate is, or was made from.
        references: The approved workflows.
        candidate: The workflow under test.
    """

    population: str
    golden: Record
    regeneration: Record
    references: tuple[Record, ...]
    candidate: Record

    @property
    def accepted(self) -> bool:
        """Whether the reviewers accepted the regeneration (before one of its steps was altered)."""
        return is_accepted(self.regeneration)


@dataclass(frozen=True)
class Outcome:
    """The verdict on a case, and the scores of the candidate (higher means more like the golden)."""

    case: Case
    verdict: str
    scores: dict[str, Any]


def is_accepted(regeneration: Record) -> bool:
    """Return whether the reviewers accepted a regeneration, at least with a minor remark."""
    return bool(regeneration["label"] != "reject")


def cases(half: Half, limit: int | None = None) -> Iterator[Case]:
    """Yield all cases of a half, golden by golden. Choices depend on hashes of ids only.

    Populations:
    - "one reference": every regeneration against its golden.
    - "critical steps marked": the same, where the golden has critical steps, with these marked.
    - "three references": the golden and two regenerations of it with the label "accept" with other step names than
      the candidate's; for two accepted and two rejected regenerations of each golden.
    - Goldens with short step names: "renamed", the golden with the names of an accepted regeneration (links as they
      were); "changed", the same with a rejected regeneration in which exactly one step lost its demand; and, of the
      half "fit" only, "altered" and "same": "renamed" with one step altered so that its demand is lost, or kept.

    Args:
        half: Half of the corpus.
        limit: Number of goldens, the first by the hash of their id; None for all.
    """
    goldens = sorted((one for one in records(FOLDER / "goldens.jsonl") if one["half"] == half), key=_hash)
    regenerations: defaultdict[str, list[Record]] = defaultdict(list)
    for one in records(FOLDER / "candidates.jsonl"):
        regenerations[one["golden"]].append(one)
    alterations: defaultdict[str, list[Record]] = defaultdict(list)
    for one in records(ALTERATIONS) if half == "fit" else ():
        alterations[one["id"].rpartition("@")[0]].append(one)
    for golden in goldens[:limit]:
        mine = sorted(regenerations[golden["id"]], key=_hash)
        yield from _alone(golden, mine)
        yield from _with_references(golden, mine)
        for regeneration in mine if golden["short"] else ():
            yield from _renamed(golden, regeneration, alterations[regeneration["id"]])


def _alone(golden: Record, regenerations: Sequence[Record]) -> Iterator[Case]:
    approved = {"one reference": golden_workflow(golden)}
    if golden["critical"]:
        approved["critical steps marked"] = golden_workflow(golden, critical=golden["critical"])
    for one in regenerations:
        for population, reference in approved.items():
            yield Case(population, golden, one, (reference,), regenerated_workflow(one))


def _with_references(golden: Record, regenerations: Sequence[Record]) -> Iterator[Case]:
    usable = {_names(one): one for one in regenerations if one["label"] == "accept"}  # some authors write the same
    for label in (True, False):
        for one in [each for each in regenerations if is_accepted(each) is label][:WITH_REFERENCES]:
            others = [regenerated_workflow(each) for names, each in usable.items() if names != _names(one)]
            if len(others) >= REFERENCES - 1:
                approved = (golden_workflow(golden), *others[: REFERENCES - 1])
                yield Case("three references", golden, one, approved, regenerated_workflow(one))


def _renamed(golden: Record, regeneration: Record, alterations: Sequence[Record]) -> Iterator[Case]:
    given = names_given(golden, regeneration)
    kept = {step: name for step, (status, name) in given.items() if status == "kept"}
    other = {step: name for step, (status, name) in given.items() if status in {"changed", "weaker"}}
    renamed = {"renamed": kept} if is_accepted(regeneration) else {"changed": kept | other} if len(other) == 1 else {}
    for alteration in sorted((one for one in alterations if _altered(one) in kept), key=_hash)[:1]:
        step, lost = _altered(alteration), min((one["text"] for one in alteration["altered"]), key=_digest)
        renamed |= {"altered": kept | {step: lost}, "same": kept | {step: alteration["same"]}}
    for population, names in renamed.items():
        yield Case(population, golden, regeneration, (golden_workflow(golden),), renamed_workflow(golden, names))


def _names(regeneration: Record) -> tuple[str, ...]:
    return tuple(step["name"].casefold() for step in regeneration["steps"])


def _altered(alteration: Record) -> int:
    """Return the 1-based number of the golden step whose support was altered."""
    return int(alteration["id"].rpartition("@")[2])


def names_given(golden: Record, regeneration: Record) -> dict[int, tuple[str, str]]:
    """Return status and name in a regeneration of each golden step that one step of it does, and that does only this.

    Steps about which the two reviewers disagree are left out. Keys are 1-based numbers of golden steps.
    """
    uses = Counter(step for support in regeneration["support"] for step in support["in"])
    found = {}
    for number in range(1, len(golden["steps"]) + 1):
        support = regeneration["support"][number - 1]
        alone = len(support["in"]) == 1 and uses[support["in"][0]] == 1
        if alone and str(number) not in regeneration["second_support"]:
            found[number] = support["status"], regeneration["steps"][support["in"][0] - 1]["name"]
    return found


def golden_workflow(golden: Record, critical: Sequence[int] = ()) -> Record:
    """Return a golden in the native format, with steps (1-based numbers) marked as critical."""
    steps = range(1, len(golden["steps"]) + 1)
    before = {step: [f"g{source}" for source, target in golden["edges"] if target == step] for step in steps}
    listed = [
        {"id": f"g{step}", "name": golden["steps"][step - 1], "needs": before[step], "critical": step in critical}
        for step in steps
    ]
    return {"wfgate": "1", "steps": listed}


def renamed_workflow(golden: Record, names: dict[int, str]) -> Record:
    """Return a golden with other names for some steps (1-based numbers), and other ids."""
    steps = [
        {
            "id": step["id"].replace("g", "s"),
            "name": names.get(number, step["name"]),
            "needs": [need.replace("g", "s") for need in step["needs"]],
        }
        for number, step in enumerate(golden_workflow(golden)["steps"], start=1)
    ]
    return {"wfgate": "1", "steps": steps}


def regenerated_workflow(regeneration: Record) -> Record:
    """Return a regeneration in the native format."""
    return {"wfgate": "1", "steps": regeneration["steps"]}


def outcomes(gate: Gate, of: Iterable[Case]) -> list[Outcome]:
    """Return the outcome of each case; only cases with one reference have scores."""
    grades = {name: -float(reasons) for name, reasons in unverified().items()}
    found = []
    for case in of:
        result = gate.decide(Pair(case.regeneration["id"], case.references, case.candidate))
        scores: dict[str, Any] = {}
        if case.population == "one reference":
            sides = [read_data(data, "workflow").workflow for data in (case.references[0], case.candidate)]
            more = score(compare(*sides, gate.assessor.embedder), EXTRA_METRICS)
            scores = {each.metric: each.value for each in (*result.metrics, *more)}
            scores |= {GATE: gate_score(result, gate.profile), GRADES: grades.get(case.regeneration["id"])}
        found.append(Outcome(case, result.verdict, scores))
    return found


def gate_score(result: CaseResult, profile: Profile) -> tuple[float, float]:
    """Return the gate's ranking of a candidate: its p-value, and among equal p-values the nonconformity score.

    A candidate that could not be compared is ranked last.
    """
    if result.p_value is None:
        return 0.0, -math.inf
    evidence = {piece.id: piece.value for piece in result.evidence}
    return result.p_value, -profile.scorer.score(feature_vector(evidence))


@dataclass(frozen=True)
class Ranking:
    """One score of accepted and rejected workflows.

    Attributes:
        values: The score of each workflow; a higher score means that it looks more acceptable.
        accepted: Whether the reviewers accepted it.
        goldens: The golden of each workflow.
    """

    values: Floats
    accepted: NDArray[np.bool_]
    goldens: Sequence[str]

    @classmethod
    def of(cls, name: str, among: Sequence[Outcome]) -> "Ranking":
        """Return the ranking by the score `name`. Workflows without this score are left out."""
        scored = [one for one in among if one.scores.get(name) is not None]
        order = {value: place for place, value in enumerate(sorted({one.scores[name] for one in scored}))}
        return cls(
            np.array([order[one.scores[name]] for one in scored], dtype=np.float64),
            np.array([one.case.accepted for one in scored], dtype=bool),
            [one.case.golden["id"] for one in scored],
        )

    @property
    def counts(self) -> tuple[int, int]:
        """Numbers of accepted and of rejected workflows."""
        return int(self.accepted.sum()), int((~self.accepted).sum())

    @cached_property
    def curve(self) -> tuple[Floats, Floats]:
        """Shares of accepted and of rejected workflows at or below each threshold, from (0, 0) to (1, 1)."""
        thresholds = np.unique(self.values)
        shares = [
            np.searchsorted(np.sort(self.values[which]), thresholds, side="right") / max(1, which.sum())
            for which in (self.accepted, ~self.accepted)
        ]
        return np.concatenate([[0.0], shares[0]]), np.concatenate([[0.0], shares[1]])

    def found(self, blocked: float) -> float:
        """Return the share of rejected workflows found at the highest threshold that blocks at most `blocked`."""
        accepted, rejected = self.curve
        return float(rejected[accepted <= blocked].max())

    @property
    def auc(self) -> float:
        """Probability that a rejected workflow scores lower than an accepted one; equal scores count half."""
        return float(self._wins.sum() / (self.accepted.sum() * (~self.accepted).sum()))

    def interval(self) -> tuple[float, float]:
        """Return the 95 % percentile interval of the AUC over bootstrap samples of the goldens, with a fixed seed."""
        return percentiles(self.areas)

    @cached_property
    def areas(self) -> Floats:
        """The AUC of each bootstrap sample of the goldens; NaN where a sample lacks accepted or rejected workflows."""
        wins, (accepted, rejected) = self._wins, self._sizes
        drawn = self._drawn
        pairs = (drawn @ accepted) * (drawn @ rejected)
        areas: Floats = np.full(DRAWS, np.nan)
        np.divide(np.einsum("dg,gh,dh->d", drawn, wins, drawn, optimize=True), pairs, out=areas, where=pairs > 0)
        return areas

    def found_interval(self, blocked: float) -> tuple[float, float]:
        """Return the 95 % percentile interval of `found`, over the same samples; each has its own threshold."""
        weights = self._drawn[:, self._places]
        last = np.searchsorted(np.sort(self.values), np.unique(self.values), side="right") - 1
        order = np.argsort(self.values, kind="stable")
        shares = []
        for which in (self.accepted, ~self.accepted):
            counted = np.cumsum((weights * which)[:, order], axis=1)
            with np.errstate(invalid="ignore"):  # a sample without any
                shares.append(counted[:, last] / counted[:, -1:])
        accepted, rejected = shares
        found: Floats = np.where(accepted <= blocked, rejected, 0).max(axis=1)
        return percentiles(found)

    @cached_property
    def _drawn(self) -> Floats:
        """How often each golden is in each bootstrap sample."""
        count = len(self._sizes[0])
        drawn = np.random.default_rng(0).multinomial(count, np.full(count, 1 / count), size=DRAWS)
        return drawn.astype(np.float64)

    @cached_property
    def _places(self) -> NDArray[np.intp]:
        return np.unique(np.asarray(self.goldens), return_inverse=True)[1]

    @property
    def _sizes(self) -> tuple[Floats, Floats]:
        """Number of accepted and of rejected workflows of each golden."""
        count = int(self._places.max()) + 1
        accepted, rejected = (
            np.bincount(self._places[which], minlength=count) for which in (self.accepted, ~self.accepted)
        )
        return accepted.astype(np.float64), rejected.astype(np.float64)

    @cached_property
    def _wins(self) -> Floats:
        """Pairs ranked right, shape (n_goldens, n_goldens): accepted of the row, rejected of the column."""
        yes, no = np.flatnonzero(self.accepted), np.flatnonzero(~self.accepted)
        ours, theirs = self.values[yes][:, None], self.values[no][None, :]
        count = int(self._places.max()) + 1
        wins = np.zeros((count, count))
        np.add.at(
            wins, (self._places[yes][:, None], self._places[no][None, :]), (ours > theirs) + 0.5 * (ours == theirs)
        )
        return wins


def percentiles(samples: Floats) -> tuple[float, float]:
    """Return the 2.5th and the 97.5th percentile, without NaN."""
    low, high = np.nanquantile(samples, (0.025, 0.975))
    return float(low), float(high)


def regenerations(half: Half = "test", limit: int | None = None, folder: Path | None = None) -> None:
    """Print all tables for a half of the corpus.

    Args:
        half: Half of the corpus.
        limit: Number of goldens; None for all.
        folder: Folder for the ROC curves; None draws nothing.
    """
    gate = load_gate(Config(), date.min)
    found = outcomes(gate, cases(half, limit))
    only = f", {limit} goldens" if limit else ""
    print(f'## Workflows written anew from a brief, half "{half}"{only}, default profile\n')
    targets(found, gate.profile)
    print("\n### Verdicts\n")
    verdicts(found)
    print("\n### Accepted workflows, one reference, by class\n")
    classes(found)
    print("\n### Accepted against rejected, one reference, beside other scores\n")
    rankings = {title: Ranking.of(name, found) for name, title in _scores().items()}
    rankings = {title: ranking for title, ranking in rankings.items() if all(ranking.counts)}
    beside(rankings)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        figure = roc(rankings)
        (folder / f"{figure.name}.svg").write_text(figure.svg, encoding="utf-8")
        print(f"\n{figure.title} {folder / figure.name}.svg")


def targets(found: Sequence[Outcome], profile: Profile) -> None:
    """Print the table of targets.

    Block rates of damage come from the profile, which records them out of sample for all its corpora; the sections
    `decision` and `meaning` measure them by corpus.
    """
    ranking = Ranking.of(GATE, found)
    blocked, passing, flagged = _share("block"), _share("pass"), _share("review", "block", "inconclusive")
    rows = [
        _row("accepted, one reference: blocked / passing", _accepted(found), (blocked, passing), "<= 5 % / >= 70 %"),
        _row("rejected, one reference: blocked / passing", _rejected(found), (blocked, passing), ">= 80 % / <= 5 %"),
        ("ranking accepted against rejected, AUC", _workflows(ranking.counts), _area(ranking), ">= 0.95"),
        _row(
            "accepted, three references: blocked / passing",
            _accepted(found, "three references"),
            (blocked, passing),
            "<= 2 % / >= 85 %",
        ),
        _row("short names, renamed: blocked", _accepted(found, "renamed"), (blocked,), "<= 2 %"),
        _row(
            "short names, one step changed: blocked / flagged",
            _of(found, "changed") + _of(found, "altered"),
            (blocked, flagged),
            ">= 65 % / >= 85 %",
        ),
        _damage(profile, ("drift",), "one drift, all other steps reworded", ">= 65 % / >= 60 % by corpus"),
        _damage(profile, DAMAGE, "missing, compressed, reordered, rewired, all steps reworded", ">= 97 %"),
        (
            "a verdict on ten reworded steps, nothing cached, one core",
            "-",
            f"{1000 * fresh_verdict():.0f} ms",
            "<= 25 ms",
        ),
    ]
    table(("what", "n", "measured", "wanted"), rows)


def verdicts(found: Sequence[Outcome]) -> None:
    """Print the rates of all verdicts by population."""
    groups = {
        "accepted, one reference": _accepted(found),
        '- "accept"': [one for one in _accepted(found) if one.case.regeneration["label"] == "accept"],
        '- "minor"': [one for one in _accepted(found) if one.case.regeneration["label"] == "minor"],
        "rejected, one reference": _rejected(found),
        "- a requirement dropped": [one for one in _rejected(found) if one.case.regeneration["brief"] == "dropped"],
        "- a requirement changed": [one for one in _rejected(found) if one.case.regeneration["brief"] == "changed"],
        "accepted, critical steps marked": _accepted(found, "critical steps marked"),
        "rejected, critical steps marked": _rejected(found, "critical steps marked"),
        "accepted, three references": _accepted(found, "three references"),
        "rejected, three references": _rejected(found, "three references"),
        "short names: regeneration, accepted": [one for one in _accepted(found) if one.case.golden["short"]],
        "short names: renamed": _of(found, "renamed"),
        "short names: renamed, one step reworded further (half fit)": _of(found, "same"),
        "short names: renamed, one step of a changed brief": _of(found, "changed"),
        "short names: renamed, one step altered (half fit)": _of(found, "altered"),
    }
    rows = [
        _cells(name, group, (_share("pass"), _share("review"), _share("block"), _share("inconclusive")))
        for name, group in groups.items()
        if group
    ]
    table(("workflows", "n", "pass", "review", "block", "inconclusive"), rows)


def classes(found: Sequence[Outcome]) -> None:
    """Print the rate of false blocks of each class of accepted workflows: author, names, cut, added steps."""
    groups: defaultdict[str, list[Outcome]] = defaultdict(list)
    for one in _accepted(found):
        for name in classes_of(one.case.golden, one.case.regeneration):
            groups[name].append(one)
    rows = [_cells(name, groups[name], (_share("block"), _share("pass"))) for name in sorted(groups)]
    table(("class", "n", "blocked", "passing"), rows)


def classes_of(golden: Record, regeneration: Record) -> Iterator[str]:
    """Yield the classes of an accepted regeneration: style of its author, names, how steps were cut, added steps."""
    author = regeneration["id"].partition("#")[2]
    styles = {str(place): style.partition(":")[0] for place, style in enumerate(STYLES)}
    styles["composer"] = "author of the golden"
    yield f"author: {styles.get(author, 'first set')}"
    yield f"names: {'short' if golden['short'] else 'sentences'}"
    supports = [support["in"] for support in regeneration["support"]]
    uses = Counter(step for support in supports for step in support)
    split, merged = any(len(support) > 1 for support in supports), any(count > 1 for count in uses.values())
    cut = {(False, False): "step for step", (True, False): "split", (False, True): "merged", (True, True): "both"}
    yield f"steps: {cut[split, merged]}"
    yield f"steps that do no golden step: {'some' if len(uses) < len(regeneration['steps']) else 'none'}"


def beside(rankings: dict[str, Ranking]) -> None:
    """Print the AUC of each score, and the rejected workflows found at some rates of accepted workflows blocked."""
    rows = [
        (
            title,
            _workflows(ranking.counts),
            _area(ranking),
            *(percent(ranking.found(blocked)) for blocked in REJECTED_AT),
        )
        for title, ranking in rankings.items()
    ]
    rates = [f"rejected found at {percent(blocked)} of accepted blocked" for blocked in REJECTED_AT]
    table(("score", "accepted / rejected", "AUC", *rates), rows)
    print("\nWorFEval and BERTScore use the embeddings shipped with wfgate.")


def roc(rankings: dict[str, Ranking]) -> figures.Figure:
    """Return the ROC curves of all scores as one figure."""
    title = "Rejected workflows found by share of accepted workflows blocked (ROC)."
    return figures.draw("roc", title, partial(_curves, rankings=rankings), height=5.4)


def _curves(axes: Any, rankings: dict[str, Ranking]) -> None:
    for place, (title, ranking) in enumerate(rankings.items()):
        first = title == GATE
        style = {"color": figures.COLORS[place % len(figures.COLORS)], "lw": 2.2 if first else 1.1}
        dashes = "-" if place < len(figures.COLORS) else "--"
        axes.plot(*ranking.curve, label=f"{title} ({ranking.auc:.2f})", ls=dashes, **style)
    axes.plot([0, 1], [0, 1], color="black", ls=":", lw=0.8)
    axes.set(xlabel="accepted workflows blocked", ylabel="rejected workflows found", xlim=(0, 1), ylim=(0, 1.02))
    axes.legend(title="score (AUC)", fontsize=8, loc="lower right")


def _scores() -> dict[str, str]:
    return {GATE: GATE, **METRICS, GRADES: GRADES}


def _of(found: Sequence[Outcome], population: str) -> list[Outcome]:
    return [one for one in found if one.case.population == population]


def _accepted(found: Sequence[Outcome], population: str = "one reference") -> list[Outcome]:
    return [one for one in _of(found, population) if one.case.accepted]


def _rejected(found: Sequence[Outcome], population: str = "one reference") -> list[Outcome]:
    return [one for one in _of(found, population) if not one.case.accepted]


Share = Callable[[Sequence[Outcome]], str]


def _share(*which: str) -> Share:
    """Return a function that writes the rate of some verdicts, clustered by golden, with its interval."""

    def written(among: Sequence[Outcome]) -> str:
        rate = clustered_rate([one.verdict in which for one in among], [one.case.golden["id"] for one in among])
        return f"{percent(rate.value)} ({percent_range(rate.low, rate.high)})" if rate else "-"

    return written


def _cells(name: str, among: Sequence[Outcome], shares: Sequence[Share]) -> tuple[str, ...]:
    goldens = len({one.case.golden["id"] for one in among})
    return name, f"{len(among)} of {goldens} goldens", *(share(among) for share in shares)


def _row(name: str, among: Sequence[Outcome], shares: Sequence[Share], target: str) -> tuple[str, ...]:
    _, n, *cells = _cells(name, among, shares)
    return name, n, " / ".join(cells), target


def _damage(profile: Profile, operators: Sequence[str], name: str, target: str) -> tuple[str, ...]:
    """Return the row of the block rate of damage in reworded workflows, as the profile records it: the lowest rate."""
    hard = [each for each in profile.catches if each.reworded and each.severity == HARD]
    chosen = [each.rate for each in hard if each.operator in operators]
    if not chosen:
        return name, "-", "-", target
    least = min(chosen, key=lambda rate: rate.value)
    lowest = "lowest: " if len(operators) > 1 else ""
    said = f"{lowest}{percent(least.value)} ({percent_range(least.low, least.high)})"
    return f"{name}: blocked", f"{least.variants} of {least.goldens} goldens", said, target


def _area(ranking: Ranking) -> str:
    low, high = ranking.interval()
    return f"{ranking.auc:.3f} ({low:.2f}-{high:.2f})"


def _workflows(counts: tuple[int, int]) -> str:
    return f"{counts[0]} / {counts[1]}"


def _hash(record: Record) -> str:
    return _digest(record["id"])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("fit", "test"), default="test")
    parser.add_argument("--limit", type=int, metavar="N")
    parser.add_argument("--figures", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    regenerations(given.half, given.limit, given.figures)


if __name__ == "__main__":
    main()
