"""The texts of an outline: conditions, splits, joins and details of steps."""

from collections.abc import Container, Iterable, Sequence

from wfgate.model import START, Gateway, Link, Task, Workflow, expand
from wfgate.read import named_ways, repetition, said
from wfgate.show.escape import visible
from wfgate.show.outlines.course import Node, OutlineCourse, OutlineWay
from wfgate.show.outlines.layout import Branch

LONGEST = 300
"""Characters of a name that are shown."""
MOST = 5
"""Steps that are named in one line."""

THE_START = "the start"
"""Name of START among the steps that a step or operator comes after."""
_EXACTLY_ONE = "exactly one of:"
_FIRST = "the first that holds:"
_EVERY = "in parallel:"


def way_words(way: OutlineWay) -> str:
    """Return the condition of a branch; empty if there is none.

    Example:
        >>> from wfgate.model import Guard
        >>> way_words(OutlineWay("b", (Link(source="a", target="b", guard=Guard(expr="«Yes»")),), back=False))
        'if Yes'
    """
    words = list(dict.fromkeys(_case(link) for link in way.links))
    return "" if "" in words else visible(" or ".join(words), LONGEST)


def _case(link: Link) -> str:
    words = said(link)
    if link.guard is None or not words or words == "otherwise" or link.outcome != "success":
        return words
    return words if words.casefold().startswith("if ") else f"if {words}"


def title(course: OutlineCourse, node: str, branches: Sequence[Branch]) -> str:
    """Return the words that say how many branches are taken; empty if the conditions of the branches show it."""
    ways = [branch.way for branch in branches]
    links = [link for way in ways for link in way.links if not way.exceptional]
    gateway = course.nodes.get(node)
    if len({link.target for link in links}) < 2:
        return ""
    ordered = any(link.guard is not None and link.guard.order is not None for link in links)
    op = gateway.op if isinstance(gateway, Gateway) and gateway.role == "split" else None
    if op is None and course.workflow.semantics == "state-machine":
        op = "XOR"
    if op is not None:
        return _EVERY if op == "AND" else _FIRST if ordered else _EXACTLY_ONE if op == "XOR" else "one or more of:"
    if node == START and all(_is_event(course, link.target) for link in links):
        return "whenever one of these occurs:"
    if all(link.guard is None for link in links):
        return _EVERY
    if named_ways([said(link) for link in links]):
        return _EXACTLY_ONE
    return _FIRST if ordered else "each that holds:"


def _is_event(course: OutlineCourse, node: str) -> bool:
    task = course.nodes.get(node)
    return isinstance(task, Task) and task.kind == "event"


def name_of(course: OutlineCourse, node: str) -> str:
    """Return the name of a step."""
    task = course.nodes.get(node)
    if isinstance(task, Task):
        return visible(" ".join(task.name.split()) or task.id, LONGEST)
    return f"{visible(node, LONGEST)} (is not defined)"


def join_words(course: OutlineCourse, node: str, sources: Iterable[str]) -> str:
    """Return the words that say what a step or operator with several incoming links waits for.

    Args:
        course: The workflow of the node.
        node: Id of the step or operator.
        sources: Names of the steps that the incoming links come from.
    """
    element = course.nodes.get(node)
    every = _needs_all(course, element)
    names = [name for name in dict.fromkeys(sources) if name != THE_START or not every]
    shown = names if len(names) <= MOST else [*names[: MOST - 1], f"{len(names) - MOST + 1} more"]
    listed = f"{', '.join(shown[:-1])} {{}} {shown[-1]}" if len(shown) > 1 else "".join(shown)
    if isinstance(element, Gateway):
        either = element.op == "XOR" or len(shown) < 2
        of = "" if either else "all of " if every else "one or more of "
        return f"after {of}{listed.format('or' if either else 'and')}"
    if not isinstance(element, Task) or len(course.before[node]) < 2:
        return ""
    if element.join not in {None, "all", "any"}:
        return f"waits for: {visible(' '.join((element.join or '').split()), LONGEST)}"
    if not every:
        return f"waits for {listed.format('or')}" if course.workflow.semantics == "dag" else ""
    return f"waits for {listed.format('and')}" if names else ""


def _needs_all(course: OutlineCourse, element: Node) -> bool:
    """Return whether a step or operator waits for all steps before it."""
    if isinstance(element, Gateway):
        return element.op == "AND"
    if not isinstance(element, Task):
        return False
    return element.join == "all" or (element.join is None and course.workflow.semantics == "dag")


def details(task: Task, named: Container[str]) -> list[str]:
    """Return further properties of a step."""
    properties = []
    if task.workflow is not None and (task.workflow != task.name or task.workflow not in named):
        other = "" if task.workflow in named else ", not in this file"
        properties.append(f"workflow '{visible(task.workflow, 80)}'{other}")
    elif task.kind == "composite" and task.workflow is None:
        properties.append("a workflow of its own")
    if task.kind == "event":
        properties.append("event")
    if task.loop is not None:
        properties.append(visible(repetition(task.loop), LONGEST))
    if task.timeout is not None:
        properties.append(f"at most {visible(task.timeout, 40)}")
    marks = {"critical": task.critical, "optional": task.optional, "in any order": task.any_order}
    return [*properties, *(mark for mark, marked in marks.items() if marked)]


def heading(workflow: Workflow) -> str:
    """Return the heading of an outline, with the number of steps that the gate compares."""
    name = visible(" ".join(workflow.name.split()), LONGEST) or "Workflow without a name"
    steps = expand(workflow).tasks
    inner = len(steps) - len({task.id for task in workflow.tasks} & {task.id for task in steps})
    more = f", {'all' if inner == len(steps) else f'{inner:,} of them'} in sub-workflows" if inner else ""
    return f"{name}: {len(steps):,} step{'s' * (len(steps) != 1)}{more}"
