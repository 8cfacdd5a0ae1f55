"""The full native form as YAML. The text is deterministic and is read again as the same workflow."""

from collections import Counter
from typing import Any

import yaml
from pydantic import BaseModel

from wfgate.errors import FormatError
from wfgate.model import END, START, DataLink, Link, Task, Workflow
from wfgate.read.documents.values import check_plain
from wfgate.read.documents.yaml_text import resolve


class _Dumper(yaml.SafeDumper):
    """Leaves a text unquoted only if YAML 1.1 and 1.2 read it as the same value; writes no aliases."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the signature is PyYAML's
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    plain = text.isprintable() and type(resolve(text)) is str
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if plain else '"')


_Dumper.add_representer(str, _represent_text)


def write_native(workflow: Workflow) -> str:
    """Return a workflow and its sub-workflows as YAML.

    Raises:
        FormatError: If two workflows have the same name, or a sub-workflow has none.

    Example:
        >>> print(write_native(Workflow(name="w", tasks=(Task(id="a", name="Build"),))))
        wfgate: "1"
        main: w
        workflows:
          w:
            tasks:
            - {id: a, name: Build}
            flow: []
            flow_complete: true
        <BLANKLINE>
    """
    names = [part.name for part in workflow.subworkflows]
    if not all(names):
        raise FormatError("a sub-workflow has no name", path=workflow.name or "workflow", fix="name it")
    twice = sorted(name for name, count in Counter([workflow.name, *names]).items() if count > 1)
    if twice:
        raise FormatError(
            f"two workflows have the name {twice[0]!r}",
            path=workflow.name or "workflow",
            fix="rename one of the two workflows",
        )
    taken = {*names, *(task.workflow for part in (workflow, *workflow.subworkflows) for task in part.tasks)}
    main = workflow.name or "main"
    while not workflow.name and main in taken:
        main += "-1"
    parts = {main: ({} if workflow.name else {"name": ""}) | _workflow(workflow)}
    parts |= {part.name: _workflow(part) for part in workflow.subworkflows}
    try:
        return yaml.dump(
            {"wfgate": "1", "main": main, "workflows": parts},
            Dumper=_Dumper,
            sort_keys=False,
            allow_unicode=True,
            default_flow_style=None,
            width=float("inf"),
        )
    except yaml.YAMLError as problem:
        message = f"the workflow contains a value that YAML cannot express: {problem}"
        raise FormatError(message, path=main, fix="remove the value") from None


def _workflow(workflow: Workflow) -> dict[str, Any]:
    for params in (workflow.params, *(task.params for task in workflow.tasks)):
        check_plain(params, workflow.name or "workflow")
    for own in (*(task.id for task in workflow.tasks), *(gateway.id for gateway in workflow.gateways)):
        _check_id(own, workflow, {"", START, END})
    links: tuple[Link | DataLink, ...] = (*workflow.links, *workflow.data_links)
    ends = [end for link in links for end in (link.source, link.target)]
    for own in (*ends, *(item.id for item in workflow.data_items)):
        _check_id(own, workflow, {""})
    complete = {link.source for link in workflow.links} >= {START} and END in {link.target for link in workflow.links}
    parts = {
        "tasks": [_task(task) for task in workflow.tasks],
        "gateways": [{"id": gate.id, "op": gate.op, "role": gate.role} for gate in workflow.gateways],
        "flow": [_link(link) for link in workflow.links],
        "flow_complete": bool(workflow.tasks or workflow.gateways) and not complete,
        "data": [_dump(item) for item in workflow.data_items],
        "dataflow": [_link(link) for link in workflow.data_links],
    }
    about = _dump(workflow, include={"description", "semantics", "params"})
    return about | {key: part for key, part in parts.items() if part or key in {"tasks", "flow"}}


def _task(task: Task) -> dict[str, Any]:
    kind = {} if task.workflow is None else {"kind": task.kind}
    return {"id": task.id, "name": task.name} | _dump(task, exclude={"span"}) | kind


def _link(link: Link | DataLink) -> dict[str, Any]:
    return {"from": link.source, "to": link.target} | _dump(link, exclude={"source", "target", "span"})


def _dump(element: BaseModel, *, include: set[str] | None = None, exclude: set[str] | None = None) -> dict[str, Any]:
    return element.model_dump(mode="json", exclude_defaults=True, include=include, exclude=exclude)


def _check_id(own: str, workflow: Workflow, reserved: set[str]) -> None:
    if own in reserved:
        message = f"{own!r} is reserved and cannot be the id of a task or gateway"
        raise FormatError(message, path=workflow.name or "workflow", fix="give the task or gateway another id")
