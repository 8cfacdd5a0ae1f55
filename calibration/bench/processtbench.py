"""Plans that a model really produced, judged by the gate and by an exact comparison."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from accuracy import CORPORA, records, table, verdict_cells
from tool_graphs import Difference, ToolGraph

from wfgate.checks import Finding
from wfgate.gating import CaseResult, Pair
from wfgate.gating.config import Config
from wfgate.gating.engine import load_gate

FOLDER = CORPORA / "processtbench"
WANTED = {"equal": "pass", "argument reworded or translated": "pass", "argument lost or added": "-"}
HEAD = ("plans", "pass", "review", "block", "inconclusive", "all named", "passed, nothing named", "findings right")

Ends = frozenset[str]


@dataclass(frozen=True)
class Claims:
    """What findings say has changed.

    Attributes:
        gone: Tools that are lost, or another one now.
        came: Tools that are new.
        pairs: Tools that are linked or ordered otherwise.
        readers: Tools that refer to nothing.
    """

    gone: frozenset[str] = frozenset()
    came: frozenset[str] = frozenset()
    pairs: frozenset[Ends] = frozenset()
    readers: frozenset[str] = frozenset()

    @classmethod
    def of(cls, finding: Finding, now: dict[str, str]) -> "Claims | None":
        """Return what one finding says; None where it says nothing about a change of tools or links.

        Args:
            finding: A finding that the golden has not.
            now: What each matched tool of the golden is called in the plan.
        """
        names = finding.tasks
        first, rest, last = frozenset(names[:1]), frozenset(names[1:]), frozenset(names[-1:])
        found = cls()
        match finding.id:
            case "WR101":
                found = cls(gone=first)
            case "WR102":
                found = cls(came=first)
            case "WR104":
                found = cls(gone=frozenset(names[:-1]) - last, came=last - frozenset(names[:-1]))
            case "WR105":
                found = cls(gone=first - rest, came=rest - first)
            case "WR106" if finding.wording:
                found = cls(gone=first, came=frozenset({now.get(names[0], names[0])}) - first)
            case "WR111" | "WR203" | "WR204" | "WR205" | "WR403" | "WF312":
                found = cls(pairs=frozenset(first | {other} for other in names[1:] or names))
            case "WF003":
                found = cls(readers=frozenset(names))
        return None if found == cls() else found

    def right_about(self, difference: Difference) -> bool:
        """Return whether all of it changed; a link of a lost or new tool is as changed as that."""
        changed = {frozenset(link) for link in difference.links | difference.order | difference.flows}
        tools = difference.missing.keys() | difference.added.keys()
        return (
            self.gone <= difference.missing.keys()
            and self.came <= difference.added.keys()
            and all(pair in changed or pair & tools for pair in self.pairs)
            and self.readers <= {reader for _, reader in difference.plan.dangling}
        )

    def cover(self, difference: Difference) -> bool:
        """Return whether everything that changed is among it."""
        tools = difference.missing.keys() | difference.added.keys()
        return (
            difference.missing.keys() <= self.gone
            and difference.added.keys() <= self.came
            and all(self._links(frozenset(link), tools) for link in difference.links)
            and {reader for _, reader in difference.plan.dangling} <= self.readers
        )

    def _links(self, ends: Ends, tools: set[str]) -> bool:
        """Return whether a changed link is among the pairs, or one of its ends with a tool that was lost or new."""
        return ends in self.pairs or any(pair & ends and pair & tools for pair in self.pairs)


@dataclass(frozen=True)
class Case:
    """One plan: what changed, what the gate says, and what its findings claim."""

    difference: Difference
    result: CaseResult
    claims: tuple[tuple[str, Claims], ...]

    @property
    def named(self) -> bool:
        """Whether the findings name all tools and links that changed."""
        said = [claims for _, claims in self.claims]
        together = (frozenset().union(*(getattr(one, part) for one in said)) for part in Claims.__dataclass_fields__)
        return Claims(*together).cover(self.difference)


def processtbench() -> None:
    """1,809 plans against their goldens, by kind of difference."""
    print("## ProcessTBench: real plans, default profile\n")
    cases = list(_cases())
    plain = [case for case in cases if not case.difference.golden.contradicts_itself]
    table(("difference", *HEAD, "wanted"), [(*row, WANTED.get(row[0], "named")) for row in _rows(plain, _kind)])
    print("\nGoldens whose arguments need an outcome that no link brings; what their plans follow:\n")
    torn = [case for case in cases if case.difference.golden.contradicts_itself]
    table(("plan follows", *HEAD), _rows(torn, lambda case: case.difference.follows))
    print("\nFindings that name what changed, and that name what did not:\n")
    right: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for case in cases:
        for rule, claims in case.claims:
            right[rule][claims.right_about(case.difference)] += 1
    table(
        ("check", "right", "wrong"),
        [(rule, *(str(right[rule][say]) for say in (True, False))) for rule in sorted(right)],
    )


def _cases() -> list[Case]:
    goldens = {record["id"]: record for record in records(FOLDER / "goldens.jsonl")}
    known = {node["task"] for golden in goldens.values() for node in golden["task_nodes"]}
    gate = load_gate(Config(), date.min)
    found = []
    for number, plan in enumerate(records(FOLDER / "regenerations.jsonl")):
        golden = goldens[plan["id"]]
        result = gate.decide(Pair(str(number), (golden,), plan))
        now = {pair.golden.name: pair.candidate.name for pair in result.alignment.matched}
        new = [(finding.id, Claims.of(finding, now)) for finding in result.findings if not finding.pre_existing]
        claims = tuple((rule, claim) for rule, claim in new if claim)
        found.append(Case(Difference(ToolGraph.of(golden, known), ToolGraph.of(plan, known)), result, claims))
    return found


def _kind(case: Case) -> str:
    return case.difference.kind


def _rows(cases: Sequence[Case], key: Callable[[Case], str]) -> list[tuple[str, ...]]:
    groups: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        groups[key(case)].append(case)
    return [_row(kind, groups[kind]) for kind in sorted(groups, key=lambda kind: (-len(groups[kind]), kind))]


def _row(kind: str, cases: Sequence[Case]) -> tuple[str, ...]:
    verdicts = Counter(case.result.verdict for case in cases)
    silent = sum(case.result.verdict == "pass" and not case.claims for case in cases)
    right = [claims.right_about(case.difference) for case in cases for _, claims in case.claims]
    precision = f"{sum(right)} of {len(right)}" if right else "-"
    named = f"{sum(case.named for case in cases) / len(cases):.1%}" if any(map(_changed, cases)) else "-"
    return kind, f"{len(cases):,}", *verdict_cells(verdicts), named, str(silent), precision


def _changed(case: Case) -> bool:
    found = case.difference
    return bool(found.missing or found.added or found.links or found.plan.dangling)
