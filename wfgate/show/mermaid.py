"""The changes between two workflows as a Mermaid diagram. GitHub draws such diagrams."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from wfgate.decide import AlignedStep, AlignmentView, CaseResult
from wfgate.language import beginning
from wfgate.read import label
from wfgate.rules import CHECKS
from wfgate.show.escape import visible
from wfgate.show.steps import KEPT, ShownStep, Steps
from wfgate.show.wording import count

STEPS = 40
"""Steps of a diagram; larger ones are illegible."""
LINKS = 120
_NAME = 70
_STYLES = {
    "missing": "fill:#ffebe9,stroke:#cf222e,color:#82071e,stroke-dasharray:4 3",
    "added": "fill:#dafbe1,stroke:#1a7f37,color:#044f1e",
    "changed": "fill:#fff8c5,stroke:#9a6700,color:#4d2d00",
}
_ARROWS = {"kept": "-->", "lost": '-. "lost" .->', "new": '== "new" ==>'}
_LINK_STYLES = {"lost": "stroke:#cf222e", "new": "stroke:#1a7f37"}


def mermaid_diff(case: CaseResult, steps: Steps) -> tuple[str, str] | None:
    """Return a flowchart of the changes, and a note about the omitted steps.

    The flowchart contains the missing, added, merged, split and changed steps, their neighbours, and the lost and new
    links.

    Returns:
        The flowchart and the note; None if there are no changes to draw.
    """
    view = case.alignment
    picture = _Picture.of(case.alignment, steps.golden, _changed_steps(case))
    links = picture.links(view)
    touched = {step for step, kind in picture.kinds.items() if kind != "kept"}
    relinked = {end for link, change in links.items() if change != "kept" for end in link}
    if not touched | relinked:
        return None
    near = {end for link in links if touched & set(link) for end in link}
    wanted = touched | relinked | near
    # If there is no room for all, changed steps come before their neighbours.
    ranked = sorted(picture.kinds, key=lambda step: (step not in touched, step not in relinked, step))
    shown = sorted([step for step in ranked if step in wanted][:STEPS])
    drawn = [(link, change) for link, change in sorted(links.items()) if set(link) <= set(shown)]
    drawn = sorted(drawn, key=lambda item: item[1] == "kept")[:LINKS]
    lines = ["flowchart TD", *picture.boxes(shown)]
    lines += [f"    s{source} {_ARROWS[change]} s{target}" for (source, target), change in drawn]
    kinds = {picture.kinds[step] for step in shown}
    lines += [f"    classDef {kind} {style}" for kind, style in _STYLES.items() if kind in kinds]
    for change, style in _LINK_STYLES.items():
        if places := [str(place) for place, (_, notes) in enumerate(drawn) if notes == change]:
            lines.append(f"    linkStyle {','.join(places)} {style}")
    return "\n".join(lines), _left_out(picture, shown, wanted)


def _left_out(picture: "_Picture", shown: list[int], wanted: set[int]) -> str:
    """Return the note about omitted steps; empty if there are none."""
    unchanged = len(picture.kinds) - len(wanted)
    notes = [f"{count(unchanged, 'unchanged step')} not drawn"] if unchanged else []
    if len(wanted) > len(shown):
        notes.append(f"{count(len(wanted) - len(shown), 'step')} omitted: the diagram would be too large")
    return "; ".join(notes)


def _changed_steps(case: CaseResult) -> set[str]:
    """Return the ids of golden steps whose meaning or kind changed."""
    return {
        step
        for finding in case.findings
        if getattr(CHECKS.get(finding.id), "changes_step", False) and finding.is_open
        for step in finding.golden_steps
    }


@dataclass
class _Picture:
    """The steps of both workflows. A golden step and the candidate step aligned with it are one entry.

    Attributes:
        names: Lines of each entry: the name in the golden, then the name in the candidate if it differs.
        kinds: "kept", "changed", "missing" or "added" for each entry.
        words: What became of each entry; empty if it is kept.
        golden: Number of the entry, by id of the golden step.
        candidate: Number of the entry, by id of the candidate step.
    """

    names: dict[int, tuple[str, ...]] = field(default_factory=dict)
    kinds: dict[int, str] = field(default_factory=dict)
    words: dict[int, str] = field(default_factory=dict)
    golden: dict[str, int] = field(default_factory=dict)
    candidate: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, view: AlignmentView, became: Iterable[ShownStep], changed: set[str]) -> "_Picture":
        picture = cls()
        words = {step.id: step.words if step.shape or step.state not in KEPT else "changed" for step in became}
        doubted = {step.id for step in became if step.state not in KEPT} | changed
        joint = {step.id for merge in view.merged for step in merge.golden} | {split.golden.id for split in view.split}
        groups: list[tuple[tuple[AlignedStep, ...], tuple[AlignedStep, ...]]]
        groups = [((pair.golden,), (pair.candidate,)) for pair in view.matched if pair.golden.id not in joint]
        groups += [(merge.golden, (merge.candidate,)) for merge in view.merged]
        groups += [((split.golden,), split.candidate) for split in view.split]
        for golden, candidate in groups:
            many = len(golden) + len(candidate) > 2
            said = [words.get(step.id, "changed") for step in golden if many or step.id in doubted]
            names = [step.name for step in (*golden, *(candidate if said else ()))]
            once = dict.fromkeys(word for each in said for word in each.split(", "))
            picture._add("changed" if said else "kept", names, golden, candidate, ", ".join(once))
        for step in view.missing:
            picture._add("missing", (step.name,), [step], [], words.get(step.id, "missing"))
        for step in view.extra:
            picture._add("added", (step.name,), [], [step], "added")
        return picture

    def _add(
        self,
        kind: str,
        names: Iterable[str],
        golden: Iterable[AlignedStep],
        candidate: Iterable[AlignedStep],
        words: str,
    ) -> None:
        number = len(self.names)
        self.words[number] = words
        self.names[number] = tuple(dict.fromkeys(names))
        self.kinds[number] = kind
        for side, steps in ((self.golden, golden), (self.candidate, candidate)):
            for step in steps:
                side.setdefault(step.id, number)

    def links(self, view: AlignmentView) -> dict[tuple[int, int], str]:
        """Return the links of both workflows, each with its status "kept", "lost" or "new"."""
        before = self._numbered(view.golden_links, self.golden)
        after = self._numbered(view.candidate_links, self.candidate)
        return {
            link: "kept" if link in before and link in after else "lost" if link in before else "new"
            for link in before | after
        }

    def _numbered(self, links: Iterable[tuple[str, str]], numbers: dict[str, int]) -> set[tuple[int, int]]:
        known = {(numbers[a], numbers[b]) for a, b in links if a in numbers and b in numbers}
        return {(source, target) for source, target in known if source != target}

    def boxes(self, shown: Iterable[int]) -> Iterator[str]:
        """Yield the boxes of the steps.

        The kind of change is written as text too, for readers who cannot see the colour.
        """
        for step in shown:
            kind = self.kinds[step]
            first, *rest = (label(visible(beginning(name, _NAME))) for name in self.names[step])
            words = f"{self.words[step]}: {first}" if self.words[step] else first
            words += "".join(f"<br/>→ {name}" for name in rest[:4])
            yield f'    s{step}["{words}"]' + (f":::{kind}" if kind != "kept" else "")
