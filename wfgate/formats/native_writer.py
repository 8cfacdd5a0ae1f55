"""The full native form as YAML. The text is deterministic and is read again as the same workflow."""

from collections import Counter
from typing import Any

import yaml

from wfgate.documents import check_plain
from wfgate.documents.yaml_text import resolve
from wfgate.errors import FormatError
from wfgate.model import END, START, DataItem, DataLink, Gateway, Link, Task, Workflow


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
    parts = {main: _workflow(workflow, named=bool(workflow.name))}
    parts |= {part.name: _workflow(part, named=True) for part in workflow.subworkflows}
    return _render(main, parts)


def _render(main: str, parts: dict[str, Any]) -> str:
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
        raise FormatError(
            f"the workflow contains a value that YAML cannot express: {problem}", path=main, fix="remove the value"
        ) from None


def _workflow(workflow: Workflow, *, named: bool) -> dict[str, Any]:
    written: dict[str, Any] = {} if named else {"name": ""}
    if workflow.description:
        written["description"] = workflow.description
    if workflow.semantics != "dag":
        written["semantics"] = workflow.semantics
    if workflow.params:
        written["params"] = _finite(workflow.params, workflow)
    written["tasks"] = [_task(task, workflow) for task in workflow.tasks]
    if workflow.gateways:
        written["gateways"] = [_gateway(gateway, workflow) for gateway in workflow.gateways]
    written["flow"] = [_link(link, workflow) for link in workflow.links]
    sources = {link.source for link in workflow.links}
    targets = {link.target for link in workflow.links}
    if (workflow.tasks or workflow.gateways) and not (START in sources and END in targets):
        written["flow_complete"] = True
    if workflow.data_items:
        written["data"] = [_data_item(item, workflow) for item in workflow.data_items]
    if workflow.data_links:
        written["dataflow"] = [_data_link(link, workflow) for link in workflow.data_links]
    return written


def _task(task: Task, workflow: Workflow) -> dict[str, Any]:
    written: dict[str, Any] = {"id": _address(task.id, workflow, own_id=True), "name": task.name}
    written |= task.model_dump(mode="json", exclude={"id", "name", "span"}, exclude_defaults=True)
    if task.loop is not None:
        written["loop"] = task.loop.model_dump(exclude_defaults=True)
    if task.workflow is not None:
        written["kind"] = task.kind
    if task.params:
        written["params"] = _finite(task.params, workflow)
    return written


def _gateway(gateway: Gateway, workflow: Workflow) -> dict[str, Any]:
    return {"id": _address(gateway.id, workflow, own_id=True), "op": gateway.op, "role": gateway.role}


def _link(link: Link, workflow: Workflow) -> dict[str, Any]:
    written: dict[str, Any] = {"from": _address(link.source, workflow), "to": _address(link.target, workflow)}
    if link.guard is not None:
        written["guard"] = link.guard.model_dump(exclude_defaults=True)
    return written | link.model_dump(include={"outcome", "back"}, exclude_defaults=True)


def _data_item(item: DataItem, workflow: Workflow) -> dict[str, Any]:
    written = {"id": _address(item.id, workflow)}
    return written | ({"description": item.description} if item.description else {})


def _data_link(link: DataLink, workflow: Workflow) -> dict[str, Any]:
    return {
        "from": _address(link.source, workflow),
        "to": _address(link.target, workflow),
        "data": link.data,
    }


def _address(own: str, workflow: Workflow, *, own_id: bool = False) -> str:
    if not own or (own_id and own in {START, END}):
        raise FormatError(
            f"{own!r} is reserved and cannot be the id of a task or gateway",
            path=workflow.name or "workflow",
            fix="give the task or gateway another id",
        )
    return own


def _finite(params: dict[str, Any], workflow: Workflow) -> dict[str, Any]:
    check_plain(params, workflow.name or "workflow")
    return params
