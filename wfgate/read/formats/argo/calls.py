"""The calls of Argo templates: arguments, conditions, loops, and the data between the calls."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from wfgate.model import END, START, Element, Guard, Loop, Names, Task
from wfgate.read.documents.document import Path
from wfgate.read.formats.argo.resources import ArgoFile, ArgoTemplate, Resource
from wfgate.read.formats.argo.shapes import ArgoStep, CallShape, DagTask
from wfgate.read.formats.typed import size, walk
from wfgate.read.formats.words import did_you_mean

_KEY = r"(?:\.\s*([\w-]+)|\[\s*['\"]([^'\"\]]+)['\"]\s*\])"
_OUTPUT = re.compile(
    rf"\b(?:steps|tasks){_KEY}\.(?:(ip)\b|outputs\.(?:(result|exitCode)\b|(?:parameters|artifacts)\b{_KEY}?))"
)
_EXPRESSIONS = {"expression", "fromExpression"}
MAX_VALUES = 1_000_000
"""Most values that all calls of templates stand for, together."""
_RESERVED = {START.casefold(), END.casefold(), "and", "or", "not", "all", "any"}
_FEW = 200


def outputs_read(value: Any) -> list[tuple[str, str]]:
    """Return the outputs that a value reads at any depth, each once, as (task, output), in order.

    Cost: linear in the value.

    Example:
        >>> outputs_read({"value": "{{tasks.build.outputs.parameters.image}}:{{=tasks['tag'].outputs.result}}"})
        [('build', 'image'), ('tag', 'result')]
        >>> outputs_read("steps.build.outputs.result, in prose")
        []
    """
    outputs = [
        (match[1] or match[2], next(filter(None, match.groups()[2:]), "outputs"))
        for key, text in walk(value)
        if isinstance(text, str)
        for part in ([text] if key in _EXPRESSIONS else _braced(text))
        for match in _OUTPUT.finditer(part)
    ]
    return list(dict.fromkeys(outputs))


def _braced(text: str) -> Iterator[str]:
    return (part.partition("}}")[0] for part in text.split("{{")[1:] if "}}" in part)


@dataclass(frozen=True)
class ArgoCall:
    """A step or dag task of a template.

    Attributes:
        id: Id of the task in the workflow.
        shape: What the call says.
        path: Position of the call in the file.
        task: The task in the workflow.
        reads: The outputs of other tasks that the call reads, as (task, output).
    """

    id: str
    shape: ArgoStep
    path: Path
    task: Task
    reads: tuple[tuple[str, str], ...]

    @property
    def guard(self) -> Guard | None:
        """The condition of the call; a condition that is evaluated for each item belongs to the loop."""
        said = self.shape.when or None
        asked = self.task.loop is not None and self.task.loop.condition is not None
        return None if said is None or asked else Guard(expr=said, language="argo")


@dataclass
class Calls:
    """Converts calls to tasks. A template with a flow becomes a sub-workflow when the first task calls it.

    Attributes:
        file: The file.
        parts: The names of the sub-workflows, by the position of their template.
        taken: The names of workflows in use.
        pending: The templates that are called, but not read yet.
        seen: The number of values in each called template, by its position.
        values: The number of values in the templates of all calls up to now.
    """

    file: ArgoFile
    parts: dict[Path, str] = field(default_factory=dict)
    taken: Names = field(default_factory=lambda: Names(variant="{} {}"))
    pending: deque[ArgoTemplate] = field(default_factory=deque)
    seen: dict[Path, int] = field(default_factory=dict)
    values: int = 0

    def call(self, shape: ArgoStep, path: Path, ids: "Ids", caller: ArgoTemplate) -> ArgoCall:
        """Return the call of a step or dag task.

        Raises:
            FormatError: If the call names no template, or the calls together contain too many values.
        """
        self.file.check_keys(shape, "a task" if isinstance(shape, DagTask) else "a step", path)
        written = {key: part for key, part in self.file.document.at(*path).items() if key not in {"inline", "hooks"}}
        own, reads = ids.of(shape.name), outputs_read(written)
        task = self.task(
            shape, path, caller.resource, own, shape.name, f"{caller.name or caller.resource.name}/{shape.name}"
        )
        update: dict[str, Any] = {}
        if task.workflow is None:
            update["inputs"] = tuple(f"{source}.{output}" for source, output in reads)
            update["outputs"] = tuple(f"{shape.name}.{output}" for output in task.outputs)
        if shape.over is not None:
            said = shape.when if "item" in (shape.when or "") else None
            update["loop"] = Loop(
                mode="foreach", over=shape.over, condition=said, language="plain" if said is None else "argo"
            )
        return ArgoCall(own, shape, path, task.model_copy(update=update), tuple(reads))

    def task(self, called: CallShape, path: Path, resource: Resource, own: str, name: str, place: str) -> Task:
        """Return the task of a call or hook.

        Args:
            called: The call or hook.
            path: Its position in the file.
            resource: The resource in which templates are looked up.
            own: Id of the task.
            name: Display name of the task.
            place: Name for a template that has no name.
        """
        template = self._resolve(called, path, resource)
        given = called.arguments.named("artifacts", "parameters")
        at: dict[str, Any] = {"params": given, "span": self.file.document.span(*path), "path": path}
        if isinstance(template, str):
            elsewhere = "/" in template or "{{" in template  # no name of a template holds either
            return Task(id=own, name=name, kind="composite", workflow=template, external=elsewhere, **at)
        if template.name and called.template_ref is None:  # other resources have settings of their own
            self.file.resolved.add((*path, "template") if isinstance(self.file.document.at(*path), dict) else path)
        task = self.template_task(template, own, name, place)
        work = {f"{key} of {template.name}" if key in given else key: value for key, value in task.params.items()}
        return task.model_copy(update={**at, "params": {**given, **work}})

    def template_task(self, template: ArgoTemplate, own: str, name: str, place: str) -> Task:
        """Return the task that runs a template, without the arguments of the call.

        Raises:
            FormatError: If the calls of the file together contain too many values.
        """
        self._look(template)
        self.values += self.seen[template.path]
        if self.values > MAX_VALUES:
            message = f"the called templates expand to more than {MAX_VALUES:,} values"
            fix = "split the workflow into smaller workflows"
            raise self.file.document.error(message, *template.path, fix=fix)
        shape, defaults = template.shape, template.resource.spec.template_defaults
        retry = (shape if shape.has("retry_strategy") else defaults).retry_strategy
        params = {} if retry is None else {"retryStrategy": retry}
        timeout, span = shape.time_limit or defaults.time_limit, self.file.document.span(*template.path)
        if shape.flow is not None:
            part = self._part_of(template, place)
            return Task(id=own, name=name, kind="composite", workflow=part, params=params, timeout=timeout, span=span)
        key, value = shape.work or (None, None)
        image = value.get("image") if isinstance(value, dict) else None
        waits = key == "suspend"
        return Task(
            id=own,
            name=name,
            kind="event" if waits else "task",
            action=key if waits else template.name or (image if isinstance(image, str) else key),
            outputs=(*shape.outputs.named("parameters"), *shape.outputs.named("artifacts")),
            params={**shape.params(), **params},
            timeout=timeout,
            span=span,
            definitions=(Element(path=template.path),),
        )

    def _part_of(self, template: ArgoTemplate, place: str) -> str:
        """Return the name of the sub-workflow of a template; the sub-workflow is read later."""
        if template.path not in self.parts:
            wanted = template.name or place
            name = self.taken.free(wanted if wanted not in self.taken else f"{template.resource.name}/{wanted}")
            self.parts[template.path] = name
            self.pending.append(template)
        return self.parts[template.path]

    def _resolve(self, called: CallShape, path: Path, resource: Resource) -> ArgoTemplate | str:
        """Return the template of a call; if the file does not contain the template, its name."""
        if called.inline is not None:
            return ArgoTemplate("", called.inline, (*path, "inline"), resource)
        name = called.template
        if called.template_ref is not None:
            name, path = called.template_ref.template, (*path, "templateRef")
            elsewhere = self.file.find(called.template_ref.name, path, cluster=called.template_ref.cluster_scope)
            if elsewhere is None:
                return f"{called.template_ref.name}/{name}"
            resource = elsewhere
        if name is None:
            raise self.file.document.error("the call has no 'template'", *path, fix="add 'template'")
        template = resource.template(name)
        if template is not None:
            return template
        if resource.borrowed is not None and resource.lender is None:
            return f"{resource.borrowed}/{name}"
        if "{{" in name:
            message = f"the template name is an expression, so the template is known only at run time: {name[:80]}"
            self.file.notes.say("info", message, *path, "template")
        else:
            known = resource.names()
            fix = did_you_mean(name, known) if 0 < len(known) <= _FEW else "add this template to the file"
            self.file.notes.say("error", f"there is no template {name[:80]!r}", *path, "template", fix=fix)
        return name

    def _look(self, template: ArgoTemplate) -> None:
        """Report, once for each template, the keys that are not read and the keys that are missing."""
        if template.path in self.seen:
            return
        shape = template.shape
        retry = template.resource.spec.template_defaults.retry_strategy
        self.seen[template.path] = size(retry) + (1 if shape.flow else size(self.file.document.at(*template.path)))
        self.file.check_keys(shape, "a template" if template.name else "an inline template", template.path)
        if shape.flow is None and shape.work is None and "template" not in (shape.model_extra or {}):
            message = f"the template {template.name[:80]!r} has no work to do"
            fix = "add `container`, `steps`, `dag` or another kind of work to the template"
            self.file.notes.say("warning", message, *template.path, fix=fix)


class Ids(Names):
    """Ids for the names of one template. An id is the name, changed if a join expression cannot contain it.

    Example:
        >>> ids = Ids()
        >>> [ids.of(name) for name in ("build", "Build", "build", "and", "a b")]
        ['build', 'Build-2', 'build', 'and-2', 'a-b']
    """

    def __init__(self) -> None:
        super().__init__(variant="{}-{}", reserved=_RESERVED, fold=True)
        self.of = cache(self.free)
        """Returns the id of the first step or task with a name."""

    def free(self, name: str) -> str:
        """Return an unused id for a name and mark it as used."""
        return super().free("".join(char if char.isalnum() or char in "-_" else "-" for char in name))
