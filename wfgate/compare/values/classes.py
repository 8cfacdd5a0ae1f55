"""The class of a changed value: what the table of the format says, and what makes it graver or milder."""

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from wfgate.compare.comparison import Comparison
from wfgate.compare.flows import one_to_one, same_flow
from wfgate.compare.values.changes import MISSING, Paths, ValueChange, first_path, leaves_of, text_of
from wfgate.compare.values.commands import are_joined, only_prints
from wfgate.compare.values.elements import Compared, ElementData
from wfgate.compare.values.prose import Prose
from wfgate.language import Quantity, contradictions, plain_text, quantities, tokens
from wfgate.read import CLASSES, Class, Path

_EXECUTED = re.compile(
    r"run|commands?|cmd|args|scripts?|source|((js|python|function)?code)|shell|entrypoint|image|container|sql|query|url|"
    r"uri|endpoint|env|environment"
)
"""Names of arguments whose values are executed, in lower case without dashes; nested values count too."""
_WORD = re.compile(r"[+-]?\d+([.,]\d+)?|[\w-]{1,40}")
"""A number, a switch or a name: an argument of one word. Not a text, path, file or expression."""
_DURATION = re.compile(r"\d+(\.\d+)? ?[a-z]+")
_AROUND = re.compile(r"\w+|[^\w\s+.,;:()]+")
_ARTICLES = frozenset({"a", "an", "the", "for", "of"})
"""Words around a quantity that change nothing."""
_SCRIPTS = frozenset({"run", "script", "source", "code"})
"""Keys of scripts: line feeds at their end have no effect."""
_MINUTES = re.compile(r"(?<=\d)m\b")
"""In an argument "30m" means 30 minutes."""


class Classes:
    """The classes of the changed values of two files."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.data, self.prose = comparison.derived(ElementData), comparison.derived(Prose)
        self.table = self.data.table

    def of(
        self, golden: Compared, candidate: Compared, paths: Paths, change: ValueChange, data: tuple[Any, Any]
    ) -> Class | None:
        """Return the class of a change; None if both values are the same.

        Args:
            golden: The element of the golden.
            candidate: The element of the candidate.
            paths: The paths of the parts of these elements that are compared.
            change: The change.
            data: The compared data of these parts.
        """
        if self._is_resolved(paths, change) or self._is_same_decision(paths, change):
            kind: Class | None = "structure"
        else:
            kind = self._class(paths, change)
        if kind == "effect" and self._is_same_code(paths, change, data):
            return "presentation"
        if kind == "effect" and self._is_harmless_script(golden, candidate, change):
            return "argument"
        if kind == "structure" and self._is_now_literal(paths, change):
            return "effect"
        lost = change.path == ("name",) and self.prose.is_lost_heading(golden)
        if kind == "text" and (lost or self.prose.excludes((golden, candidate), change)):
            return "argument"
        return kind

    def _class(self, paths: Paths, change: ValueChange) -> Class | None:
        """Return the class of a change: of a subtree, the most serious class of a value in it. None if it is none.

        A value that is the default has no effect: none would mean the same.
        """
        values = change.golden, change.candidate
        if _end_alike(change):
            return None
        if MISSING in values and self.table.is_assigned((*first_path(paths), *change.path)):
            return "presentation"
        leaves = [
            leaf
            for path, value in zip(paths, values, strict=True)
            if path is not None
            for leaf in leaves_of(value, (*path, *change.path))
        ]
        classes = {"presentation" if self.table.is_default(*leaf) else self.table.class_of(leaf[0]) for leaf in leaves}
        if change.moved:
            classes.add(self.table.class_of((*first_path(paths), *change.path)))  # the order of the list
        kind: Class = min(classes, key=CLASSES.index, default="unknown")
        if kind == "reference":
            return "effect" if change.moved else self._class_of_reference(*values)
        if kind == "effect" and all(isinstance(value, str) and _DURATION.fullmatch(value) for value in values):
            return "presentation" if _equal_quantities(*values) else kind
        return self._class_of_argument([leaf for leaf, _ in leaves], *values) if kind == "argument" else kind

    def _class_of_argument(self, paths: Iterable[Path], golden: Any, candidate: Any) -> Class:
        """Return the class of a changed argument.

        Executed values, and values that exclude each other (another number, switch or word), have an effect. Other
        line breaks in a text, and an equal quantity in other words, have none. A value that may be the id of the
        matched step, other white space, and everything else, needs a review.
        """
        if any(isinstance(key, str) and _EXECUTED.fullmatch(_plain(key)) for path in paths for key in path):
            return "effect"
        if MISSING in (golden, candidate) or any(isinstance(value, dict | list) for value in (golden, candidate)):
            return "argument"
        one, other = text_of(golden), text_of(candidate)
        if type(golden) is not type(candidate) and one.casefold() == other.casefold():
            return "argument"
        if _reflowed(one, other) or _equal_quantities(one, other):
            return "presentation"
        if one.casefold().split() == other.casefold().split() or self.data.renamed.get(other) == one:
            return "argument"
        words = _WORD.fullmatch(one) and _WORD.fullmatch(other)
        return "effect" if words or contradictions(one, other) else "argument"

    def _class_of_reference(self, golden: Any, candidate: Any) -> Class | None:
        """Return the class of a changed reference; None if both refer to the same step."""
        if any(isinstance(value, dict | list) for value in (golden, candidate)):
            return "structure"
        if candidate in self.data.renamed and self.data.renamed[candidate] == golden:
            return None
        gone = golden in self.data.ids and golden not in self.data.renamed.values()
        new = candidate in self.data.ids and candidate not in self.data.renamed
        return "structure" if gone or new else "effect"

    def _is_resolved(self, paths: Paths, change: ValueChange) -> bool:
        """Return whether both values of a change are references or expressions that the reader translated."""
        for resolved, path, value in zip(self.data.resolved, paths, (change.golden, change.candidate), strict=True):
            whole = (*(path or ()), *change.path)
            known = value is MISSING or path is None
            if not known and not any(whole[:end] in resolved for end in range(len(whole) + 1)):
                return False
        return True

    def _is_same_decision(self, paths: Paths, change: ValueChange) -> bool:
        """Return whether a change is in the conditions or targets of choices, and both files provably flow alike."""
        values = zip(paths, (change.golden, change.candidate), strict=True)
        leaves = [leaf for path, value in values for leaf, _ in leaves_of(value, (*(path or ()), *change.path))]
        return bool(leaves) and all(map(self.table.is_decision, leaves)) and self.flows_alike

    @cached_property
    def flows_alike(self) -> bool:
        """Whether all steps are matched one to one, and the flows are provably the same."""
        return one_to_one(self.comparison) and same_flow(self.comparison, self.data.translated)

    def _is_now_literal(self, paths: Paths, change: ValueChange) -> bool:
        """Return whether one of two conditions is evaluated and the other is a text."""
        path = (*first_path(paths), *change.path)
        literal = [self.table.is_literal(path, value) for value in (change.golden, change.candidate)]
        return MISSING not in (change.golden, change.candidate) and literal[0] is not literal[1]

    def _is_same_code(self, paths: Paths, change: ValueChange, data: tuple[Any, Any]) -> bool:
        """Return whether two values are the same code with other comments or another layout."""
        values = change.golden, change.candidate
        return self.table.is_same_code(
            (*first_path(paths), *change.path), values, (_around(data[0], change.path), _around(data[1], change.path))
        )

    def _is_harmless_script(self, golden: Compared, candidate: Compared, change: ValueChange) -> bool:
        """Return whether a new step only prints something, or a script has the lines of steps merged into its step."""
        if len(change.path) != 1 or not isinstance(change.path[0], str) or change.path[0] not in _SCRIPTS:
            return False
        if golden is None:
            return only_prints(change.candidate)
        scripts = self._merged_scripts(golden, candidate, change.path[0])
        return bool(scripts) and isinstance(change.candidate, str) and are_joined(scripts, change.candidate)

    def _merged_scripts(self, golden: Compared, candidate: Compared, key: str) -> list[str]:
        """Return the scripts of the steps merged into a step, in their order; empty if they do more or are apart."""
        tasks, into = self.comparison.golden.tasks, self.comparison.candidate.tasks
        merges = (each for each in self.comparison.alignment.merges if into[each.candidate] is candidate)
        steps = next(([tasks[at] for at in sorted(merge.golden)] for merge in merges), [])
        first = steps[0].path if steps else None
        if not first or not isinstance(first[-1], int) or not any(step is golden for step in steps):
            return []
        if [step.path for step in steps] != [(*first[:-1], first[-1] + place) for place in range(len(steps))]:
            return []
        raws = [step.raw for step in steps if isinstance(step.raw, dict) and step.raw.keys() <= {"name", key}]
        scripts = [raw[key] for raw in raws if isinstance(raw.get(key), str)]
        return scripts if len(scripts) == len(steps) else []


def _around(data: Any, path: Path) -> Any:
    """Return the mapping that contains a path in data; None if it is in a list, whose positions may differ."""
    for key in path[:-1]:
        if not isinstance(key, str) or not isinstance(data, dict):
            return None
        data = data.get(key)
    return data


def _reflowed(one: str, other: str) -> bool:
    """Return whether two texts of several words have the same words on other lines."""
    words = one.split()
    return len(words) > 1 and words == other.split() and "\n" in one + other


def _equal_quantities(one: str, other: str) -> bool:
    """Return whether two texts are the same quantity with a unit ("30m", "half an hour").

    The signs and words around it are the same, too: "-80 %" is not "80 %", and "at least 5 min" is not "5 min".
    """
    read, twin = (_quantity(_MINUTES.sub(" min", text)) for text in (one, other))
    return read is not None and twin is not None and read[0].equals(twin[0]) and read[1] == twin[1]


def _quantity(text: str) -> tuple[Quantity, list[str]] | None:
    """Return the only number of a text, which has a unit, and the signs and words around it; None if there is none."""
    plain = plain_text(text)
    every = tokens(plain)
    numbers = quantities(every)
    if len(numbers) != 1 or not numbers[0].dimension:
        return None
    start, end = every[numbers[0].place].start, every[numbers[0].behind - 1].end
    rate = "/" if "/" in plain[start:end] else ""
    around = _AROUND.findall(f"{plain[:start]} {rate} {plain[end:]}".casefold())
    return numbers[0], [word for word in around if word not in _ARTICLES]


def _end_alike(change: ValueChange) -> bool:
    """Return whether two scripts differ only in line feeds at their end."""
    texts = change.golden, change.candidate
    if not all(isinstance(text, str) for text in texts) or type(texts[0]) is not type(texts[1]):
        return False
    script = bool(change.path) and change.path[-1] in _SCRIPTS
    inner = all("\n" in text.rstrip("\n") for text in texts)
    return (script or inner) and texts[0].rstrip("\n") == texts[1].rstrip("\n")


def _plain(key: str) -> str:
    return key.casefold().replace("-", "").replace("_", "")
