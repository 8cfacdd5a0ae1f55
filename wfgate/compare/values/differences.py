"""The differences of all values of two files, computed once per pair."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

from wfgate.compare.comparison import Comparison
from wfgate.compare.enclosing import composite_pairs
from wfgate.compare.flows import one_to_one
from wfgate.compare.values.changes import MISSING, Difference, first_path, value_changes
from wfgate.compare.values.classes import Classes
from wfgate.compare.values.elements import Compared, ElementData
from wfgate.compare.values.prose import Prose
from wfgate.read import Class

_HARMLESS = frozenset[Class]({"reference", "structure", "text", "presentation"})
"""Classes that are not reported of an element that only one file has."""


@dataclass(frozen=True)
class ElementPair:
    """Two elements that are compared.

    Attributes:
        golden: The element of the golden; None if only the candidate has it.
        candidate: The element of the candidate; None if only the golden has it.
        steps: The golden step that it is or is around; empty for the files and for other elements.
        added: The candidate step that only the candidate has; empty for all others.
        differences: The differences of their values.
    """

    golden: Compared
    candidate: Compared
    steps: tuple[int, ...]
    added: tuple[int, ...]
    differences: tuple[Difference, ...]


class Differences:
    """The differences of the values of two files."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.data = comparison.derived(ElementData)
        self.prose, self.classes = comparison.derived(Prose), comparison.derived(Classes)

    @cached_property
    def steps(self) -> tuple[ElementPair, ...]:
        """The matched steps, and the steps that only one file has."""
        comparison, twin = self.comparison, self.data.twin
        golden, candidate = comparison.golden.tasks, comparison.candidate.tasks
        gone = [fate for fate in comparison.fates_in_order if fate.is_unaligned]
        new = [step for step in comparison.additions if step.is_surplus or step.is_unmatched]
        return (
            *(self._pair(golden[one], candidate[other], (one,)) for one, other in comparison.pairs),
            *(self._pair(fate.task, twin(fate.task, 1), (fate.position,)) for fate in gone),
            *(self._pair(twin(step.task, 0), step.task, added=(step.position,)) for step in new),
        )

    @cached_property
    def settings(self) -> tuple[ElementPair, ...]:
        """The files, and the composites around matched steps with their sub-workflows."""
        pairs = [self._pair(*self.data.files)]
        for each in composite_pairs(self.comparison):
            pairs.append(self._pair(each.golden, each.candidate, (each.step,)))
            pairs.append(self._pair(*each.parts, (each.step,)))
        return tuple(pairs)

    @cached_property
    def gateways(self) -> tuple[ElementPair, ...]:
        """The gateways whose data only one file has."""
        return tuple(self._pair(*gateways) for gateways in self.data.gateways())

    @cached_property
    def structure(self) -> tuple[Difference, ...]:
        """The differences in links, conditions and ids, if all steps are matched and the flows not provably alike."""
        if not one_to_one(self.comparison):
            return ()
        pairs = (*self.settings, *(pair for pair in self.steps if pair.steps))
        structure = tuple(each for pair in pairs for each in pair.differences if each.kind == "structure")
        return () if not structure or self.classes.flows_alike else structure

    def _pair(
        self, golden: Compared, candidate: Compared, steps: tuple[int, ...] = (), added: tuple[int, ...] = ()
    ) -> ElementPair:
        """Return two elements with their differences, except for those that other rules report."""
        lone = golden is None or candidate is None
        relabelled = bool(steps) and self.comparison.fates[steps[0]].is_relabelled  # no other rule names it

        def is_left_out(difference: Difference) -> bool:
            change, kind = difference.change, difference.kind
            empty = all(value is MISSING or not value for value in (change.golden, change.candidate))
            if kind != "structure" and lone and (kind in _HARMLESS or empty):
                return True
            return kind == "text" and not relabelled and self.prose.is_in_statements((golden, candidate), change)

        differences = (each for each in self._differences(golden, candidate) if not is_left_out(each))
        return ElementPair(golden, candidate, steps, added, tuple(differences))

    def _differences(self, golden: Compared, candidate: Compared) -> Iterator[Difference]:
        """Yield the changed values of two elements and their definitions, and the changes in their texts."""
        data = self.data
        for was, now in zip_longest(data.parts(golden), data.parts(candidate)):
            paths = data.path_of(was), data.path_of(now)
            values = data.data_of(was, {}), data.data_of(now, data.renamed)
            for change in value_changes(*values, data.table, first_path(paths)):
                kind = self.classes.of(golden, candidate, paths, change, values)
                if kind is not None:
                    yield Difference(paths, change, kind)
        yield from self.prose.of(golden, candidate)
