"""Plans as language models write them, rewritten with the keys that the reader of graph records knows.

Models print the same plan with many keys: `{"workflow": [...]}`, `{"step1": ...}`, `upstream`, `next`. Each value
keeps its position in the file. A key that can mean something else (`requires` may list packages, `next` a date) is
only rewritten if its values are steps of the plan.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from wfgate.documents import Document, Path
from wfgate.formats.typed import listed
from wfgate.model import END

LISTS = ("nodes", "tasks", "steps", "plan")
"""Keys of a list of steps that the reader knows."""
EDGES = ("edges", "links")
"""Keys of a list of links that the reader knows."""
_LISTS = ("workflow", "actions", "activities", "todos", "subtasks", "stages", "phases", "jobs", "procedure", "states")
_GROUPED = ("phases", "stages")
"""Keys of lists whose items may be groups of steps."""
_AROUND = ("workflow", "plan", "result", "output", "response", "data", "answer", "pipeline", "process", "dag")
"""Keys of a record that may be inside another one."""
_NAMED = frozenset({"workflow", "plan", "pipeline", "process", "dag"})
"""Keys of a record beside its steps under which its name may be."""
_CREW = frozenset({"description", "expected_output"})
"""Keys of each task of CrewAI (`tasks.yaml`)."""
_DEEPEST = 4
_EDGES = ("connections", "transitions", "dependencies", "relationships", "arcs", "flow", "flows")
_SOURCES = ("source_id", "sourceId", "from_id", "from_node", "from_step", "from_task", "source_node", "start", "src")
_TARGETS = ("target_id", "targetId", "to_id", "to_node", "to_step", "to_task", "target_node", "end", "dst")
_NAMES = ("step_name", "stepName", "task_name", "taskName", "node_name", "activity", "tool", "tool_name", "function")
_NEEDS = ("upstream", "upstream_task_ids", "upstream_tasks", "requires", "predecessors", "parents", "depends", "dep")
_NEXT = ("next", "next_step", "next_steps", "downstream", "downstream_task_ids", "downstream_tasks", "successors")
_NUMBERED = re.compile(r"(?:(?:step|task|phase|stage)[ _-]?)?([0-9]{1,4})", re.IGNORECASE)
_ARROW = re.compile(r"\s*(?:-+>|=+>|→)\s*")
_LONGEST = 1000
"""Characters of a link that is written as a text."""
_NONE = {"none", "null", "n/a", "-", "-1", ""}
_LAST = {"end", "__end__"}


@dataclass(frozen=True)
class Keys:
    """What the reader calls the parts of a step, the preferred key first."""

    ids: Sequence[str]
    names: Sequence[str]
    needs: Sequence[str]


@dataclass
class _Plan:
    """A record with a list of steps; both are copies.

    Attributes:
        record: The record without the list.
        key: Key of the list.
        steps: The steps.
        origins: Path of each step in the document.
        path: Path of the record in the document.
        base: Path of the record in the rewritten data.
        moved: New path of each value that was moved, by its path in the document.
        changed: Whether anything was rewritten.
    """

    record: dict[str, Any]
    key: str
    steps: list[Any]
    origins: list[Path]
    path: Path = ()
    base: Path = ()
    moved: dict[Path, Path] = field(default_factory=dict)
    changed: bool = True

    def place(self, at: int) -> Path:
        """Return the path of a step in the rewritten data."""
        return (*self.base, self.key, at)


def respelled(document: Document, keys: Keys, is_sequence: Callable[[list[Any]], bool]) -> Document:
    """Return the document with the keys that the reader knows; the same document if there is nothing to rewrite.

    Args:
        document: A document with data.
        keys: The keys of a step that the reader knows.
        is_sequence: Whether a list without dependencies is a list of steps.

    Example:
        >>> keys = Keys(ids=("id",), names=("name",), needs=("depends_on",))
        >>> data = {"workflow": [{"id": "a", "name": "Build", "next": "b"}, {"id": "b", "name": "Test"}]}
        >>> respelled(Document("x", data=data), keys, bool).data
        {'edges': [{'from': 'a', 'to': 'b'}], 'steps': [{'id': 'a', 'name': 'Build'}, {'id': 'b', 'name': 'Test'}]}
    """
    plan = _plan_of(document.data, keys, lambda steps: is_sequence([_named(step, keys) for step in steps]))
    if plan is None:
        return document
    _name_plan(plan)
    _name_steps(plan, keys)
    _link_steps(plan, keys)
    if not plan.changed:
        return document
    record = plan.record | {plan.key: plan.steps}
    data: Any = {plan.base[0]: record} if plan.base else record
    moved = {origin: plan.place(at) for at, origin in enumerate(plan.origins)} | plan.moved
    return replace(document, data=data, spans=dict(_spans(document, moved)))


def _name_plan(plan: _Plan) -> None:
    """Write the name that is under an outer key, alone or as its only value, as the name of the record."""
    for key in _NAMED.intersection(plan.record) if "name" not in plan.record else ():
        value = plan.record[key]
        inner = value.get("name") if isinstance(value, dict) and len(value) == 1 else value
        if isinstance(inner, str):
            others = {old: kept for old, kept in plan.record.items() if old != key}
            plan.record = {"name": inner} | others
            plan.moved[*plan.path, key, *(["name"] if inner is not value else [])] = (*plan.base, "name")
            plan.changed = True
            return


def _spans(document: Document, moved: Mapping[Path, Path]) -> Iterator[tuple[Path, Any]]:
    """Yield the positions of the values by their new paths."""
    for path, span in document.spans.items():
        old = next((path[:end] for end in range(len(path), -1, -1) if path[:end] in moved), None)
        yield (path if old is None else moved[old] + path[len(old) :]), span


def _plan_of(data: Any, keys: Keys, is_sequence: Callable[[list[Any]], bool]) -> _Plan | None:
    """Return the list of steps in the data: at the top, under one of its keys, or in a record inside."""
    if isinstance(data, list):
        return _Plan({}, "steps", list(data), [(at,) for at in range(len(data))], changed=False)
    if not isinstance(data, dict):
        return None
    for path, record in (((), data), *(((key,), data[key]) for key in data if len(data) == 1)):
        if isinstance(record, dict) and (key := list_key(record, keys.needs)):
            is_tag = bool(path) and path[0] not in _AROUND  # of Task Master
            found = _plan(record, key, path, path if is_tag else (), changed=bool(path) and not is_tag)
            found.moved |= {path: ()} if found.changed else {}
            return found
    record, path, around = data, (), dict[Path, Any]()
    for _ in range(_DEEPEST):
        key = list_key(record, keys.needs)
        plan = _plan(record, key, path) if key else _elsewhere(record, path, keys, is_sequence)
        if plan is not None:
            plan.moved[path] = ()
            for old, value in around.items():
                name = str(old[-1]) if old[-1] not in plan.record else ".".join(map(str, old))
                plan.record[name] = value
                plan.moved[old] = (name,)
            return plan
        inner = [key for key in _AROUND if isinstance(record.get(key), dict)]
        if len(inner) != 1 or any(
            isinstance(value, dict | list) for name, value in record.items() if name != inner[0]
        ):
            return None
        around |= {(*path, name): value for name, value in record.items() if name != inner[0]}
        record, path = record[inner[0]], (*path, inner[0])
    return None


def _plan(record: dict[str, Any], key: str, path: Path, base: Path = (), *, changed: bool = True) -> _Plan:
    others = {name: value for name, value in record.items() if name != key}
    origins: list[Path] = [(*path, key, at) for at in range(len(record[key]))]
    return _Plan(others, key, list(record[key]), origins, path, base, {}, changed)


def list_key(record: dict[str, Any], needs: Sequence[str]) -> str | None:
    """Return the key of the list of steps: the first one with dependencies in it, if there are several lists.

    Example:
        >>> list_key({"nodes": ["x"], "tasks": [{"id": "a", "needs": []}]}, ["needs"])
        'tasks'
    """
    found = [key for key in LISTS if isinstance(record.get(key), list)]
    linked = any(isinstance(record.get(key), list) for key in EDGES)
    needing = found if linked else [key for key in found if has_needs(record[key], needs)]
    return next(iter([*needing, *found]), None)


def has_needs(steps: list[Any], needs: Sequence[str]) -> bool:
    """Return whether a step has one of the keys of dependencies.

    Example:
        >>> has_needs(["a", {"id": "b", "needs": "a"}], ["needs"])
        True
    """
    return any(isinstance(step, dict) and any(key in step for key in needs) for step in steps)


def _elsewhere(
    record: dict[str, Any], path: Path, keys: Keys, is_sequence: Callable[[list[Any]], bool]
) -> _Plan | None:
    """Return the steps of a record that are under another key, or in a mapping."""
    linked = EDGES + _EDGES
    for key in (*LISTS, *_LISTS):
        value = record.get(key)
        others = {name: inner for name, inner in record.items() if name != key}
        if key in _LISTS and any(isinstance(others[name], dict | list) for name in others.keys() - {*linked}):
            continue  # a file of another tool (`stages` of GitLab, `jobs` of CircleCI)
        if key in LISTS and isinstance(value, dict) and (steps := _of_mapping(value, keys)):
            return _Plan(others, "steps", steps, [(*path, key, name) for name in value], path)
        if not isinstance(value, list) or key in LISTS:
            continue
        if key == "states" and not any(isinstance(record.get(name), list) for name in linked):
            continue  # of a state machine whose transitions are in the states
        if key in _GROUPED and (grouped := _ungrouped(value, (*path, key), is_sequence)):
            return _Plan(others, "steps", *grouped, path)
        if is_sequence(value) or _has_links(record, value, keys):
            return _Plan(others, "steps", list(value), [(*path, key, at) for at in range(len(value))], path)
    if record and all(isinstance(task, dict) and task.keys() >= _CREW for task in record.values()):
        steps = [_crew_step(name, task) for name, task in record.items()]
        moved: dict[Path, Path] = {
            (*path, name, "context"): ("steps", at, "depends_on") for at, name in enumerate(record)
        }
        return _Plan({}, "steps", steps, [(*path, name) for name in record], path, moved=moved)
    numbers = [found and int(found[1]) for found in (_NUMBERED.fullmatch(str(name)) for name in record)]
    if len(record) > 1 and numbers in (list(range(1, len(record) + 1)), list(range(len(record)))):
        steps = list(record.values())
        return _Plan({}, "steps", steps, [(*path, name) for name in record], path) if is_sequence(steps) else None
    return None


def _crew_step(name: str, task: dict[str, Any]) -> dict[str, Any]:
    """Return a task of CrewAI as a step; the tasks whose results it reads are under `context`."""
    return {"id": name} | {"depends_on" if key == "context" else key: value for key, value in task.items()}


def _has_links(record: dict[str, Any], steps: list[Any], keys: Keys) -> bool:
    """Return whether there are links between steps, so that the steps need no names."""
    if not steps or not all(isinstance(step, dict) and any(key in step for key in keys.ids) for step in steps):
        return False
    listed_edges = any(isinstance(record.get(key), list) for key in EDGES + _EDGES)
    return listed_edges or has_needs(steps, (*keys.needs, *_NEEDS, *_NEXT))


def _of_mapping(value: dict[str, Any], keys: Keys) -> list[Any] | None:
    """Return the steps of a mapping of ids to steps; None if a value is no step."""
    known = (*keys.names, *keys.needs, *_NAMES)
    if not value or not all(isinstance(step, dict) and any(key in step for key in known) for step in value.values()):
        return None
    return [step if any(key in step for key in keys.ids) else {"id": name} | step for name, step in value.items()]


def _ungrouped(
    groups: list[Any], path: Path, is_sequence: Callable[[list[Any]], bool]
) -> tuple[list[Any], list[Path]] | None:
    """Return the steps of groups, one group after the other, each with the values of its group; None if none."""
    steps: list[Any] = []
    origins: list[Path] = []
    for at, group in enumerate(groups):
        inner = [name for name in (*LISTS, "actions") if isinstance(group, dict) and isinstance(group.get(name), list)]
        if len(inner) != 1 or not is_sequence(group[inner[0]]):
            return None
        about = {f"{str(path[-1])[:-1]}.{name}": value for name, value in group.items() if name != inner[0]}
        steps += [({"name": step} if isinstance(step, str) else step) | about for step in group[inner[0]]]
        origins += [(*path, at, inner[0], place) for place in range(len(group[inner[0]]))]
    return steps, origins


def _name_steps(plan: _Plan, keys: Keys) -> None:
    """Give each step without a name the text under another key as its name."""
    for at, step in enumerate(plan.steps):
        other = _other_name(step, keys)
        if other is not None:
            plan.steps[at] = _named(step, keys)
            plan.moved[*plan.origins[at], other] = (*plan.place(at), "name")
            plan.changed = True


def _named(step: Any, keys: Keys) -> Any:
    """Return a step with its name under `name` if none of the keys that the reader knows has a name."""
    other = _other_name(step, keys)
    return step if other is None else {"name" if key == other else key: value for key, value in step.items()}


def _other_name(step: Any, keys: Keys) -> str | None:
    def is_text(key: str) -> bool:
        return isinstance(step.get(key), str) and bool(step[key].strip())

    if not isinstance(step, dict) or any(is_text(key) for key in keys.names):
        return None
    todo = ("content",) if "status" in step else ()  # not the `content` of a message
    return next(filter(is_text, (*_NAMES, *todo)), None)


def _link_steps(plan: _Plan, keys: Keys) -> None:
    """Write links between steps as the reader knows them: dependencies under `depends_on`, others under `edges`."""
    known = _ends(plan.steps, keys)
    needs = next((key for key in _NEEDS if _names_steps(plan.steps, key, known)), None)
    follows = next((key for key in _NEXT if _names_steps(plan.steps, key, known)), None)
    edges: list[Any] = []
    for at, step in enumerate(plan.steps):
        if not isinstance(step, dict):
            continue
        rewritten = dict(step)
        if needs is not None and needs in step and not any(key in step for key in keys.needs):
            rewritten["depends_on"] = rewritten.pop(needs)
            plan.moved[*plan.origins[at], needs] = (*plan.place(at), "depends_on")
        for key in (key for key in keys.needs if key in rewritten):
            rewritten[key] = _needed(rewritten[key], known)
        if follows is not None and follows in step and (own := _own(step, at, keys)) is not None:
            for target, condition in _targets(rewritten.pop(follows), known):
                plan.moved.setdefault((*plan.origins[at], follows), (*plan.base, "edges", len(edges)))
                edges.append({"from": own, "to": target} | ({"condition": condition} if condition else {}))
        if rewritten != step:
            plan.steps[at] = rewritten
            plan.changed = True
    _rewrite_edges(plan, known)
    if follows:
        name = next((key for key in EDGES if isinstance(plan.record.get(key), list)), "edges")
        plan.record[name] = [*plan.record.get(name, []), *edges]
        plan.changed = True


def _own(step: dict[str, Any], at: int, keys: Keys) -> str | int | None:
    """Return the id of a step, its name if it has no id."""
    for key in (*keys.ids, *keys.names):
        if isinstance(step.get(key), str | int) and not isinstance(step[key], bool):
            own: str | int = step[key]
            return own
    return at + 1


def _ends(steps: list[Any], keys: Keys) -> set[str]:
    """Return the words that mean a step: its id, its name, or its number from 1 if no step has an id."""
    known = {step for step in steps if isinstance(step, str)}
    numbered = True
    for step in steps:
        for key in (*keys.ids, *keys.names) if isinstance(step, dict) else ():
            if isinstance(step.get(key), str | int):
                known.add(str(step[key]))
                numbered &= key not in keys.ids
    return known | ({str(number) for number in range(1, len(steps) + 1)} if numbered else set())


def _names_steps(steps: list[Any], key: str, known: set[str]) -> bool:
    """Return whether the values of a key are steps: at least one of them, or all of them are empty lists."""
    values = [step[key] for step in steps if isinstance(step, dict) and key in step]
    words = [word for value in values for word in _words(value)]
    return any(word in known for word in words) or (bool(values) and all(value == [] for value in values))


def _words(value: Any) -> Iterator[str]:
    """Yield the words in a value: ids in a text, a list, or mappings."""
    for item in listed(value):
        if isinstance(item, dict):
            yield from (str(inner) for inner in item.values() if isinstance(inner, str | int))
        elif isinstance(item, str | int) and not isinstance(item, bool):
            yield str(item)


def _needed(value: Any, known: set[str]) -> Any:
    """Return the ids in a value: without words that mean "none", with "a, b" as two ids, and with ids of mappings."""
    found: list[Any] = []
    for item in listed(value):
        parts = [part.strip() for part in item.split(",")] if isinstance(item, str) else []
        if isinstance(item, str | int) and str(item).strip().lower() in _NONE - known:
            continue
        if len(parts) > 1 and item not in known and known.issuperset(parts):
            found += parts
        elif isinstance(item, dict) and len(words := [word for word in _words(item) if word in known]) == 1:
            found += words
        else:
            found.append(item)
    return value if found == listed(value) else found


def _targets(value: Any, known: set[str]) -> Iterator[tuple[str | int, str]]:
    """Yield the steps that follow with their conditions: ids, mappings of conditions to ids, or mappings with both."""
    for item in listed(value):
        if isinstance(item, dict):
            ends = {key: str(word) for key, word in item.items() if str(word) in known or str(word).lower() in _LAST}
            rest = [str(text) for key, text in item.items() if key not in ends and isinstance(text, str)]
            yield from ((_end(word, known), rest[0] if rest and len(ends) == 1 else key) for key, word in ends.items())
        elif isinstance(item, str | int) and str(item).strip().lower() not in _NONE - known:
            yield _end(str(item), known), ""


def _end(word: str, known: set[str]) -> str:
    return END if word not in known and word.lower() in _LAST else word


def _rewrite_edges(plan: _Plan, known: set[str]) -> None:
    """Write a list or mapping of links under another key, and links in another form, as the reader knows them."""
    if not any(isinstance(plan.record.get(key), list) for key in EDGES):
        for key in _EDGES:
            value = plan.record.get(key)
            if key == "dependencies" and isinstance(value, dict) and known.issuperset(value):
                value = [[source, target] for target, sources in value.items() for source in listed(sources)]
            if isinstance(value, list) and any(_edge(item, known) is not None for item in value):
                plan.record = {("edges" if name == key else name): inner for name, inner in plan.record.items()}
                plan.record["edges"] = value
                plan.moved[*plan.path, key] = (*plan.base, "edges")
                plan.changed = True
                break
    for key in EDGES:
        if isinstance(plan.record.get(key), list):
            edges = [_edge(item, known) or item for item in plan.record[key]]
            if edges != plan.record[key]:
                plan.record = plan.record | {key: edges}
                plan.changed = True
            texts = {step for step in plan.steps if isinstance(step, str)} if plan.key == "steps" else set()
            named = any(end in texts for item in edges for end in _words(item))
            if named and all(isinstance(step, str) for step in plan.steps):
                plan.key, plan.changed = "tasks", True  # of texts under `steps`, the reader only knows the numbers
                plan.moved[*plan.path, "steps"] = (*plan.base, "tasks")


def _edge(item: Any, known: set[str]) -> Any:
    """Return a link in a form that the reader knows; None if it is no link between steps."""
    if isinstance(item, str) and len(item) <= _LONGEST:
        ends = _ARROW.split(item.strip())
        return ends if len(ends) == 2 and known.issuperset(ends) else None
    if isinstance(item, dict):
        renamed = {
            "from" if key in _SOURCES else "to" if key in _TARGETS else key: value for key, value in item.items()
        }
        return renamed if len(renamed) == len(item) and _has_ends(renamed) else None
    return item if isinstance(item, list) and len(item) == 2 else None


def _has_ends(edge: dict[str, Any]) -> bool:
    return ("from" in edge or "source" in edge) and ("to" in edge or "target" in edge)
