"""Plans as language models write them, rewritten with the keys that the reader of graph records knows.

Models print the same plan with many keys: `{"workflow": [...]}`, `{"step1": ...}`, `upstream`, `next`. Each value
keeps its position in the file. A key that can mean something else (`requires` may list packages, `next` a date) is
only rewritten if its values are steps of the plan.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from wfgate.model import END, START
from wfgate.read.documents.document import Document, Path
from wfgate.read.formats.typed import listed

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
_BRANCHES = ("conditional_edges", "conditionalEdges", "conditional_links", "branches", "routes", "routing")
"""Keys of choices beside the links: each with its source, what decides, and the steps that follow (LangGraph)."""
_ENTRIES = {"entry_point": True, "entryPoint": True, "finish_point": False, "finishPoint": False}
"""Keys of the first and of the last step beside the links, and whether it is the first."""
_DECIDES = ("condition", "when", "if", "guard", "on", "case", "router", "function", "condition_function", "path")
"""Keys of what decides between the ways of a choice, or of the condition of one way."""
_ONE = ("value", "label", "name")
"""Keys of the answer for which one way of a choice is taken, besides."""
_ALTERNATIVES = {
    **dict.fromkeys(("then", "if_true", "true"), "true"),
    **dict.fromkeys(("else", "if_false", "false"), "false"),
    **dict.fromkeys(("default", "otherwise"), "otherwise"),
    **{answer: answer for answer in ("yes", "no")},
}
"""Keys of a choice with one step each, and the answer for which it follows."""
_VARIABLE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_NUMBER = re.compile(r"[0-9]{1,15}")
_NUMBERED = re.compile(r"(?:(?:step|task|phase|stage)[ _-]?)?([0-9]{1,4})", re.IGNORECASE)
_ARROW = re.compile(r"\s*(?:-+>|=+>|→)\s*")
_LONGEST = 1000
"""Characters of a link that is written as a text."""
_PROGRESS = {
    "status": frozenset(
        {
            *(
                "pending",
                "todo",
                "to_do",
                "open",
                "not_started",
                "backlog",
                "ready",
                "in_progress",
                "doing",
                "started",
            ),
            *("review", "in_review", "done", "completed", "complete", "finished", "closed"),
        }
    ),
    **dict.fromkeys(("done", "completed", "checked"), frozenset(("true", "false"))),
}
"""Keys of a step for how far the work on it is, with their values."""
_NO_PROGRESS = frozenset({"cancelled", "canceled", "deferred", "blocked", "skipped", "failed"})
"""Other values of the status of a step: the work on it does not go on."""
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


def respelled(document: Document, keys: Keys, is_sequence: Callable[[list[Any]], bool], golden: str = "") -> Document:
    """Return the document with the keys that the reader knows; the same document if there is nothing to rewrite.

    Args:
        document: A document with data.
        keys: The keys of a step that the reader knows.
        is_sequence: Whether a list without dependencies is a list of steps.
        golden: The key of the list of the golden, which is preferred.

    Example:
        >>> keys = Keys(ids=("id",), names=("name",), needs=("depends_on",))
        >>> data = {"workflow": [{"id": "a", "name": "Build", "next": "b"}, {"id": "b", "name": "Test"}]}
        >>> respelled(Document("x", data=data), keys, bool).data
        {'edges': [{'from': 'a', 'to': 'b'}], 'steps': [{'id': 'a', 'name': 'Build'}, {'id': 'b', 'name': 'Test'}]}
    """
    plan = _plan_of(document.data, keys, lambda steps: is_sequence([_named(step, keys) for step in steps]), golden)
    if plan is None:
        return document
    _name_plan(plan)
    _name_steps(plan, keys)
    _leave_out_progress(plan)
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


def _plan_of(data: Any, keys: Keys, is_sequence: Callable[[list[Any]], bool], golden: str) -> _Plan | None:
    """Return the list of steps in the data: at the top, under one of its keys, or in a record inside."""
    if isinstance(data, list):
        return _Plan({}, "steps", list(data), [(at,) for at in range(len(data))], changed=False)
    if not isinstance(data, dict):
        return None
    for path, record in (((), data), *(((key,), data[key]) for key in data if len(data) == 1)):
        if isinstance(record, dict) and (key := list_key(record, keys.needs, golden)):
            is_tag = bool(path) and path[0] not in _AROUND  # of Task Master
            tagged = _plan(record, key, path, path if is_tag else (), changed=bool(path) and not is_tag)
            tagged.moved |= {path: ()} if tagged.changed else {}
            return tagged
    record, path, around = data, (), dict[Path, Any]()
    for _ in range(_DEEPEST):
        key = list_key(record, keys.needs, golden)
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


def list_key(record: dict[str, Any], needs: Sequence[str], golden: str = "") -> str | None:
    """Return the key of the list of steps; of several, the golden's, else the first one with dependencies in it.

    Example:
        >>> record = {"nodes": ["x"], "tasks": [{"id": "a", "needs": []}]}
        >>> list_key(record, ["needs"]), list_key(record, ["needs"], "nodes")
        ('tasks', 'nodes')
    """
    keys = [key for key in LISTS if isinstance(record.get(key), list)]
    if golden in keys:
        return golden
    linked = any(isinstance(record.get(key), list) for key in EDGES)
    needing = keys if linked else [key for key in keys if has_needs(record[key], needs)]
    return next(iter([*needing, *keys]), None)


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
    numbers = [match and int(match[1]) for match in (_NUMBERED.fullmatch(str(name)) for name in record)]
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


def _leave_out_progress(plan: _Plan) -> None:
    """Leave out how far the work is, if half of the steps say it: a plan is the same before and after the work.

    The status of fewer steps may be an argument ("set the ticket to done").
    """
    for key, words in _PROGRESS.items():
        known = words | _NO_PROGRESS
        given = sum(isinstance(step, dict) and _is_progress(step.get(key), known) for step in plan.steps)
        if 2 * given >= len(plan.steps) > 0:
            plan.steps = [_without_progress(step, key, words) for step in plan.steps]
            plan.changed = True


def _without_progress(step: Any, key: str, words: frozenset[str]) -> Any:
    """Return a step, and the steps in it, without a value that is one of some words."""
    if not isinstance(step, dict):
        return step
    left = {name: value for name, value in step.items() if name != key or not _is_progress(value, words)}
    if isinstance(left.get("subtasks"), list):
        left["subtasks"] = [_without_progress(inner, key, words) for inner in left["subtasks"]]
    return left


def _is_progress(value: object, words: frozenset[str]) -> bool:
    """Return whether a value is one of some words, also as `In Progress` or `in-progress`."""
    return isinstance(value, str | bool) and re.sub("[ -]", "_", str(value).strip().lower()) in words


def _link_steps(plan: _Plan, keys: Keys) -> None:
    """Write links between steps as the reader knows them: dependencies under `depends_on`, others under `edges`."""
    known = _ends(plan.steps, keys)
    spellings = (*_NEEDS, "context") if "agents" in plan.record else _NEEDS  # `context`: of CrewAI, beside its agents
    needs = next((key for key in spellings if _names_steps(plan.steps, key, known)), None)
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
        _add_edges(plan, edges)
    for key in _BRANCHES:
        _read_branches(plan, key, known)
    _read_entries(plan, known)


def _add_edges(plan: _Plan, edges: list[Any]) -> Path:
    """Add links, and return the path of the first one in the rewritten data."""
    name = next((key for key in EDGES if isinstance(plan.record.get(key), list)), "edges")
    before = plan.record.get(name, [])
    plan.record = plan.record | {name: [*before, *edges]}
    plan.changed = True
    return (*plan.base, name, len(before))


def _read_branches(plan: _Plan, key: str, known: set[str]) -> None:
    """Write the choices under a key as links with conditions, if all of them can be read."""
    value = plan.record.get(key)
    items = [*value.items()] if isinstance(value, dict) else [*enumerate(value)] if isinstance(value, list) else []
    choices = [(at, _ways(item, known, at if isinstance(value, dict) else None)) for at, item in items]
    if not choices or not all(ways for _, ways in choices):
        return
    ways = [((*plan.path, key, at, *inner), edge) for at, edges in choices for inner, edge in edges]
    plan.record = {name: other for name, other in plan.record.items() if name != key}
    *above, first = _add_edges(plan, [edge for _, edge in ways])
    for place, (path, _) in enumerate(ways):
        plan.moved[path] = (*above, int(first) + place)


def _ways(choice: Any, known: set[str], source: Any = None) -> list[tuple[Path, dict[str, Any]]]:
    """Return the links of a choice, each with the path in it of what the link was made from; none if it is no choice.

    `source` is the step of the choice, if it is not written in the choice. A choice is read as a whole or not at all.

    Example:
        >>> choice = {"source": "a", "path": "approved", "path_map": {"true": "b", "false": "c"}}
        >>> [edge for _, edge in _ways(choice, {"a", "b", "c"})]
        [{'from': 'a', 'to': 'b', 'condition': 'approved'}, {'from': 'a', 'to': 'c', 'condition': 'not approved'}]
    """
    if isinstance(choice, list) and len(choice) == 3:
        listed = _ways({"on": choice[1], "to": choice[2]}, known, choice[0])
        return [((2, *path[1:]), edge) for path, edge in listed]
    parts = choice if isinstance(choice, dict) else {}
    ways: list[tuple[Path, str, str]] = list(_ways_under("", parts, known)) if source is not None else []
    if ways:
        return [(path[1:], {"from": source, "to": _end(to, known), "condition": answer}) for path, answer, to in ways]
    decides, rest = "", dict[str, Any]()
    for key, value in parts.items():
        if key in ("from", "source", "node", *_SOURCES):
            source = value
        elif inner_ways := list(_ways_under(key, value, known)):
            ways += inner_ways
        elif key in _DECIDES and isinstance(value, str) and not decides:
            decides = value.strip()
        else:
            rest[key] = value
    unread = any(text in known for text in texts_in(rest))
    if not isinstance(source, str | int) or str(source) not in known or unread:
        return []
    unsaid = sum(not answer for _, answer, _ in ways) > 1  # nothing says for which answer each of them is taken
    rest |= {"router": decides} if unsaid and decides else {}
    conditions = [True if unsaid and not answer else _condition(decides, answer) for _, answer, _ in ways]
    return [
        (path, {"from": source, "to": _end(to, known)} | ({"condition": condition} if condition else {}) | rest)
        for (path, _, to), condition in zip(ways, conditions, strict=True)
    ]


def _ways_under(key: str, value: Any, known: set[str]) -> Iterator[tuple[Path, str, str]]:
    """Yield path, answer and step of the ways of a choice under one of its keys."""

    def is_end(word: object) -> bool:
        return isinstance(word, str | int) and (str(word) in known or str(word).lower() in _LAST)

    targets = ("to", "target", *_TARGETS, "then", "next", "node")
    if isinstance(value, str | int) and is_end(value) and key in (*targets, *_ALTERNATIVES):
        yield (key,), _ALTERNATIVES.get(key, ""), str(value)
    elif isinstance(value, dict) and any(map(is_end, value.values())):
        yield from (((key, answer), answer, str(step)) for answer, step in value.items())
    elif isinstance(value, list) and any(map(is_end, value)):
        yield from (((key, at), "", str(step)) for at, step in enumerate(value))
    elif isinstance(value, list) and all(isinstance(item, dict) for item in value):
        pairs = [_way(item, targets, is_end) for item in value]
        if all(pairs):
            yield from (((key, at), *way) for at, way in enumerate(filter(None, pairs)))


def _way(item: dict[str, Any], targets: Sequence[str], is_end: Callable[[object], bool]) -> tuple[str, str] | None:
    """Return answer and step of one way of a choice; None if it has anything else."""
    steps = [key for key in (*targets, *_ALTERNATIVES) if is_end(item.get(key))]
    answers = [key for key in (*_DECIDES, *_ONE) if isinstance(item.get(key), str | int)]
    if len(steps) != 1 or len(answers) > 1 or len(item) != len(steps) + len(answers):
        return None
    answer = _word(item[answers[0]]) if answers else _ALTERNATIVES.get(steps[0], "")
    return answer, str(item[steps[0]])


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _condition(decides: str, answer: str) -> str:
    """Return the condition under which a choice has an answer; empty if neither is known.

    Example:
        >>> _condition("approved", "false"), _condition("kind", "new"), _condition("Is it new?", "yes")
        ('not approved', "kind == 'new'", '«Is it new?: yes»')
    """
    word = answer.lower()
    if not decides or not answer or _ALTERNATIVES.get(word) == "otherwise":
        return answer or decides
    if _VARIABLE.fullmatch(decides):
        if word in ("true", "false"):
            return decides if word == "true" else f"not {decides}"
        if _NUMBER.fullmatch(answer):
            return f"{decides} == {answer}"
        if "'" not in answer and "\\" not in answer:
            return f"{decides} == '{answer}'"
    return f"«{f'{decides}: {answer}'.replace('«', ' ').replace('»', ' ')}»"


def _read_entries(plan: _Plan, known: set[str]) -> None:
    """Write the first and the last step beside links as links from START and to END."""
    for key, first in _ENTRIES.items():
        steps = listed(plan.record.get(key, []))
        lists = [plan.record[name] for name in EDGES if isinstance(plan.record.get(name), list)]
        if lists and steps and all(isinstance(step, str) and step in known for step in steps):
            there = {tuple(_words(_pair(edge))) for edges in lists for edge in edges}
            marks = {START, "__start__"} if first else {END, "__end__"}
            new = [
                [START, step] if first else [step, END]
                for step in steps
                if not any(((mark, step) if first else (step, mark)) in there for mark in marks)
            ]
            plan.record = {name: value for name, value in plan.record.items() if name != key}
            plan.moved[*plan.path, key] = _add_edges(plan, new)


def _pair(edge: Any) -> Any:
    """Return the two ends of a link in a form that the reader knows."""
    keys = ("from", "source", "to", "target")
    return [edge[key] for key in keys if key in edge] if isinstance(edge, dict) else edge


def texts_in(value: Any) -> Iterator[str]:
    """Yield the texts in lists and mappings."""
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_in(item)


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
    needed: list[Any] = []
    for item in listed(value):
        parts = [part.strip() for part in item.split(",")] if isinstance(item, str) else []
        if isinstance(item, str | int) and str(item).strip().lower() in _NONE - known:
            continue
        if len(parts) > 1 and item not in known and known.issuperset(parts):
            needed += parts
        elif isinstance(item, dict) and len(words := [word for word in _words(item) if word in known]) == 1:
            needed += words
        else:
            needed.append(item)
    return value if needed == listed(value) else needed


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
