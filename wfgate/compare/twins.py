"""Which of several steps with equal texts is which, by the data of their file."""

from collections import defaultdict
from collections.abc import Callable, Hashable
from functools import cache

from wfgate.compare.alignment import Alignment, Match
from wfgate.compare.enclosing import Enclosing
from wfgate.model import Workflow
from wfgate.read import canonical_text

_Key = Callable[[int], Hashable]


def twins_by_data(
    alignment: Alignment, golden: tuple[Workflow, Workflow], candidate: tuple[Workflow, Workflow]
) -> Alignment:
    """Return the alignment, in which matched steps with equal texts are exchanged so that equal data meet.

    Preferred are steps with equal data and equal data of the composites around them, then steps at the same path of
    the file. Without data of the file nothing changes.

    Args:
        alignment: The alignment by text and structure.
        golden: The golden as written, and with composites expanded.
        candidate: The candidate, in the same form.

    Cost: linear in the data of the steps that have twins.
    """
    if golden[0].raw is None or candidate[0].raw is None:
        return alignment
    groups: defaultdict[tuple[str, str], list[Match]] = defaultdict(list)
    for match in alignment.matches:
        groups[golden[1].tasks[match.golden].text, candidate[1].tasks[match.candidate].text].append(match)
    keys = list(zip(_keys(*golden), _keys(*candidate), strict=True))
    moved: dict[int, int] = {}
    for group in groups.values():
        if len(group) > 1:
            moved |= _paired({match.golden: match.candidate for match in group}, keys)
    matches = [
        match.model_copy(update={"candidate": moved.get(match.golden, match.candidate)}) for match in alignment.matches
    ]
    return alignment.model_copy(update={"matches": tuple(matches)})


def _paired(partner: dict[int, int], keys: list[tuple[_Key, _Key]]) -> dict[int, int]:
    """Return the partner of each golden step of a group: by the first key that agrees, else as before."""
    exchanged: dict[int, int] = {}
    for golden_key, candidate_key in keys:
        free = set(partner.values()) - set(exchanged.values())
        for golden in partner.keys() - exchanged.keys():  # partners that already agree stay
            if partner[golden] in free and golden_key(golden) == candidate_key(partner[golden]):
                exchanged[golden] = partner[golden]
                free.discard(partner[golden])
        by_key: defaultdict[Hashable, list[int]] = defaultdict(list)
        for candidate in sorted(free, reverse=True):
            by_key[candidate_key(candidate)].append(candidate)
        for golden in sorted(partner.keys() - exchanged.keys()):
            if by_key[golden_key(golden)]:
                exchanged[golden] = by_key[golden_key(golden)].pop()
    rest = [candidate for candidate in partner.values() if candidate not in set(exchanged.values())]
    return exchanged | dict(zip([golden for golden in partner if golden not in exchanged], rest, strict=True))


def _keys(file: Workflow, opened: Workflow) -> tuple[_Key, ...]:
    enclosing = Enclosing.of(file, opened)

    @cache
    def around(prefix: str) -> str:
        return canonical_text(enclosing.composites[prefix].raw)

    def data(step: int) -> Hashable:
        task = opened.tasks[step]
        own = canonical_text([task.raw, *(definition.raw for definition in task.definitions)])
        return (own, *map(around, enclosing.around(step)))

    return data, lambda step: opened.tasks[step].path
