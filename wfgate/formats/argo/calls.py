"""The calls of Argo templates: arguments, conditions, loops, and the data between the calls."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from wfgate.documents import Diagnostic, Path
from wfgate.formats.argo.resources import (
    BODIES,
    CALL_READ,
    CONTAINER_KEYS,
    TASK_READ,
    TEMPLATE_IGNORED,
    TEMPLATE_READ,
    Library,
    Resource,
    Template,
    note_keys,
)
from wfgate.formats.fields import Fields, did_you_mean
from wfgate.model import END, START, DataLink, Element, Guard, Loop, Names, Task

_KEY = r"(?:\.\s*([\w-]+)|\[\s*['\"]([^'\"\]]+)['\"]\s*\])"
_OUTPUT = re.compile(
    rf"\b(?:steps|tasks){_KEY}\.(?:(ip)\b|outputs\.(?:(result|exitCode)\b|(?:parameters|artifacts)\b{_KEY}?))"
)
_EXPRESSIONS = {"expression", "fromExpression"}
MAX_VALUES = 1_000_000
"""Most values that all calls of templates stand for, together."""
EXIT_HANDLER = "an exit handler"
"""What a call is that consists of the name of a template only."""
_RESERVED = {START.casefold(), END.casefold(), "and", "or", "not", "all", "any"}
_FEW = 200
_LONG = 100


def outputs_read(value: Any) -> list[tuple[str, str]]:
    """Return the outputs that a value reads at any depth, each once, as (task, output), in order.

    Cost: linear in the value.

    Example:
        >>> outputs_read({"value": "{{tasks.build.outputs.parameters.image}}:{{=tasks['tag'].outputs.result}}"})
        [('build', 'image'), ('tag', 'result')]
        >>> outputs_read("steps.build.outputs.result, in prose")
        []
    """
    return list(dict.fromkeys(found for text in _texts(value) for found in _in_text(text)))


def _in_text(text: str) -> Iterator[tuple[str, str]]:
    for match in _OUTPUT.finditer(text):
        dotted, quoted, address, single, name, quoted_name = match.groups()
        yield dotted or quoted, address or single or name or quoted_name or "outputs"


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts in double braces, and the texts that are expressions without braces."""
    pending = [(value, False)]
    while pending:
        inner, bare = pending.pop()
        if isinstance(inner, dict):
            pending += [(part, key in _EXPRESSIONS) for key, part in reversed(inner.items())]
        elif isinstance(inner, list):
            pending += [(part, False) for part in reversed(inner)]
        elif isinstance(inner, str):
            yield from [inner] if bare else _braced(inner)


def _braced(text: str) -> Iterator[str]:
    start = text.find("{{")
    while start >= 0:
        end = text.find("}}", start)
        if end < 0:
            return
        yield text[start + 2 : end]
        start = text.find("{{", end)


def work_params(template: Template) -> dict[str, JsonValue]:
    """Return the work of a template, under its key (such as "container").

    Environments, headers and settings of the place of execution are left out.
    """
    found: dict[str, JsonValue] = {}
    key = template.work
    if key is not None:
        body = _body(template, key)
        if body:
            found[key] = body
    for extra in ("initContainers", "sidecars"):
        if template.fields.entries(extra):
            found[extra] = [_container(value) for value in template.fields.entries(extra)]
    if template.fields.value.get("daemon") is True:
        found["daemon"] = True
    return found


def _body(template: Template, key: str) -> dict[str, JsonValue]:
    value = template.fields.value[key]
    if not isinstance(value, dict):
        if value is None or value == {}:
            return {}
        raise template.fields.wrong(key, "a mapping", "write a mapping with `key: value` entries")
    kept = BODIES[key]
    body = {name: inner for name, inner in value.items() if kept is None or name in kept}
    if isinstance(body.get("containers"), list):
        body["containers"] = [_container(inner) for inner in body["containers"]]
    return body


def _container(value: Any) -> JsonValue:
    return {name: value[name] for name in CONTAINER_KEYS if name in value} if isinstance(value, dict) else value


def arguments(fields: Fields) -> dict[str, JsonValue]:
    """Return the parameters and artifacts under `arguments` by name.

    Raises:
        FormatError: If an argument has no name, or a value has the wrong type.
    """
    if "arguments" not in fields:
        return {}
    given = Fields(fields.document, (*fields.path, "arguments"), fields.value["arguments"] or {}, what="the arguments")
    return {**named_values(given, "artifacts"), **named_values(given, "parameters")}


def named_values(given: Fields, key: str) -> dict[str, JsonValue]:
    """Return the entries of a list by name: for each entry its value, its source, or the whole entry."""
    found: dict[str, JsonValue] = {}
    for place, value in enumerate(given.entries(key) if given.value.get(key) is not None else []):
        entry = Fields(given.document, (*given.path, key, place), value, what=f"one of the {key}")
        name = entry.word("name")
        if "value" in entry:
            found[name] = entry.value["value"]
        elif "default" in entry:
            found[name] = entry.value["default"]
        elif "from" in entry:
            found[name] = entry.value["from"]
        else:
            rest = {inner: part for inner, part in entry.value.items() if inner != "name"}
            found[name] = rest or None
    return found


def declared(template: Template, key: str) -> list[str]:
    """Return the names of the parameters and artifacts under `inputs` or `outputs`."""
    value = template.fields.value.get(key)
    if value is None:
        return []
    part = Fields(template.fields.document, (*template.fields.path, key), value, what=f"the {key}")
    return [*named_values(part, "parameters"), *named_values(part, "artifacts")]


def inputs_with_defaults(template: Template) -> dict[str, JsonValue]:
    """Return the input parameters with their defaults; None for a parameter without a default."""
    value = template.fields.value.get("inputs")
    if value is None:
        return {}
    part = Fields(template.fields.document, (*template.fields.path, "inputs"), value, what="the inputs")
    return named_values(part, "parameters")


def loop_of(fields: Fields) -> Loop | None:
    """Return the loop of a call: one run for each item of a list or sequence."""
    for key in ("withItems", "withParam", "withSequence"):
        if fields.value.get(key) is not None:
            return Loop(mode="foreach", over=_text(fields.value[key]))
    return None


def timeout_of(template: Template, defaults: dict[str, Any]) -> str | None:
    """Return the time limit of a template, with its unit."""
    for source in (template.fields.value, defaults):
        for key in ("timeout", "activeDeadlineSeconds"):
            value = source.get(key)
            if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
                return f"{value}s" if str(value).isdigit() else str(value)
    return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


@dataclass(frozen=True)
class Call:
    """A step or dag task of a template.

    Attributes:
        name: Name of the step or dag task in the template.
        id: Id of the task in the workflow.
        fields: The fields of the call.
        task: The task in the workflow.
        reads: The outputs of other tasks that the call reads, as (task, output).
    """

    name: str
    id: str
    fields: Fields
    task: Task
    reads: tuple[tuple[str, str], ...]

    @property
    def guard(self) -> Guard | None:
        """The condition of the call; a condition that is evaluated for each item belongs to the loop."""
        said = _condition(self.fields)
        asked = self.task.loop is not None and self.task.loop.condition is not None
        return None if said is None or asked else Guard(expr=said, language="argo")


@dataclass
class Calls:
    """Converts calls to tasks.

    Attributes:
        library: The resources of the file.
        part_of: Returns the name of the sub-workflow of a template.
        notes: Collects the diagnostics.
        unread: The known keys that are not read, each with its first position.
        seen: The number of values in each called template.
        values: The number of values in the templates of all calls up to now.
        resolved: The positions of the references and expressions that are translated without loss.
    """

    library: Library
    part_of: Callable[[Template, str], str]
    notes: list[Diagnostic] = field(default_factory=list)
    unread: dict[str, Fields] = field(default_factory=dict)
    seen: dict[tuple[int, Path], int] = field(default_factory=dict)
    values: int = 0
    resolved: set[Path] = field(default_factory=set)

    def call(self, fields: Fields, ids: "Ids", caller: Template) -> Call:
        """Return the call of a step or dag task.

        Raises:
            FormatError: If the step or dag task has no name, or a value has the wrong type.
        """
        is_task = fields.what == "a task"
        note_keys(fields, TASK_READ if is_task else CALL_READ, (), self.unread, self.notes)
        name = fields.word("name")
        own = ids.of(name)
        reads = outputs_read({key: part for key, part in fields.value.items() if key not in {"inline", "hooks"}})
        task = self.task(fields, caller.resource, own, name, f"{caller.name or caller.resource.name}/{name}")
        if task.workflow is None:
            read = tuple(f"{source}.{output}" for source, output in reads)
            written = tuple(f"{name}.{output}" for output in task.outputs)
            task = task.model_copy(update={"inputs": read, "outputs": written})
        loop, said = loop_of(fields), _condition(fields)
        if loop is not None and said is not None and "item" in said:
            loop = loop.model_copy(update={"condition": said, "language": "argo"})
        return Call(name, own, fields, task.model_copy(update={"loop": loop}), tuple(reads))

    def task(self, fields: Fields, resource: Resource, own: str, name: str, place: str) -> Task:
        """Return the task of a call. The template is named in `fields`, inside `fields`, or in another file.

        Args:
            fields: The call: `template`, `templateRef` or `inline`, and `arguments`.
            resource: The resource in which templates are looked up.
            own: Id of the task.
            name: Display name of the task.
            place: Name for a template that has no name.
        """
        found = self.resolve(fields, resource)
        span, path = fields.document.span(*fields.path), self.place(fields)
        if isinstance(found, str):
            elsewhere = "/" in found or "{{" in found  # no name of a template holds either
            given = arguments(fields)
            return Task(
                id=own,
                name=name,
                kind="composite",
                workflow=found,
                external=elsewhere,
                params=given,
                span=span,
                path=path,
            )
        if fields.what == EXIT_HANDLER:
            self.resolved.add(path)
        elif found.name and fields.value.get("templateRef") is None:  # other resources have settings of their own
            self.resolved.add((*path, "template"))
        task = self.template_task(found, own, name, place)
        given, work = arguments(fields), dict(task.params)
        for key in [key for key in work if key in given]:
            work[f"{key} of {found.name}"] = work.pop(key)
        return task.model_copy(update={"params": {**given, **work}, "span": span, "path": path})

    def place(self, fields: Fields) -> Path:
        """Return the position of a mapping in the file."""
        return self.library.place(fields.document, fields.path)

    def template_task(self, template: Template, own: str, name: str, place: str) -> Task:
        """Return the task that runs a template, without the arguments of the call.

        Raises:
            FormatError: If a value has the wrong type, or the calls of the file together contain too many values.
        """
        self._look(template)
        self.values += self.seen[template.key]
        if self.values > MAX_VALUES:
            message = f"the called templates expand to more than {MAX_VALUES:,} values"
            raise template.fields.error(message, fix="split the workflow into smaller workflows")
        defaults = template.resource.spec.mapping("templateDefaults")
        fields = template.fields
        span = fields.document.span(*fields.path)
        timeout = timeout_of(template, defaults)
        retry = fields.value.get("retryStrategy", defaults.get("retryStrategy"))
        params = {} if retry is None else {"retryStrategy": retry}
        if template.flow is not None:
            part = self.part_of(template, place)
            return Task(id=own, name=name, kind="composite", workflow=part, params=params, timeout=timeout, span=span)
        work = template.work
        image = fields.value[work].get("image") if work and isinstance(fields.value[work], dict) else None
        action = template.name or (image if isinstance(image, str) else work)
        return Task(
            id=own,
            name=name,
            kind="event" if work == "suspend" else "task",
            action="suspend" if work == "suspend" else action,
            outputs=tuple(declared(template, "outputs")),
            params={**work_params(template), **params},
            timeout=timeout,
            span=span,
            definitions=(Element(path=self.place(fields)),),
        )

    def resolve(self, fields: Fields, resource: Resource) -> Template | str:
        """Return the template of a call; if the file does not contain the template, its name."""
        if fields.value.get("inline") is not None:
            path = (*fields.path, "inline")
            inner = Fields(fields.document, path, fields.value["inline"], what="an inline template")
            return Template("", inner, resource)
        if fields.value.get("templateRef") is not None:
            reference = Fields(
                fields.document,
                (*fields.path, "templateRef"),
                fields.value["templateRef"],
                what="a reference to a template",
            )
            source, name = reference.word("name"), reference.word("template")
            elsewhere = self.library.find(source, cluster=reference.value.get("clusterScope") is True)
            return f"{source}/{name}" if elsewhere is None else self._named(reference, elsewhere, name)
        return self._named(fields, resource, fields.word("template"))

    def _named(self, fields: Fields, resource: Resource, name: str) -> Template | str:
        found = self.template(resource, name)
        if found is not None:
            return found
        borrowed = resource.borrowed
        if borrowed is not None and self.library.borrowed(resource) is None:
            return f"{borrowed}/{name}"
        if "{{" in name:
            message = f"the template name is an expression, so the template is known only at run time: {name[:80]}"
            self.notes.append(fields.document.diagnostic("info", message, *fields.path, "template"))
            return name
        few = 0 < len(resource.templates) <= _FEW
        fix = did_you_mean(name, list(resource.templates)) if few else "add this template to the file"
        message = f"there is no template {name[:80]!r}"
        self.notes.append(fields.document.diagnostic("error", message, *fields.path, "template", fix=fix))
        return name

    def template(self, resource: Resource, name: str) -> Template | None:
        """Return a template by its name, from the resource or from the workflow template that it uses."""
        found = resource.templates.get(name)
        if found is not None:
            return found
        borrowed = self.library.borrowed(resource)
        return None if borrowed is None or borrowed is resource else borrowed.templates.get(name)

    def _look(self, template: Template) -> None:
        """Report, once for each template, the keys that are not read and the keys that are missing."""
        if template.key in self.seen:
            return
        fields = template.fields
        retry = template.resource.spec.mapping("templateDefaults").get("retryStrategy")
        self.seen[template.key] = _values(retry) + (_values(fields.value) if template.flow is None else 1)
        note_keys(fields, TEMPLATE_READ, TEMPLATE_IGNORED, self.unread, self.notes)
        if template.flow is None and template.work is None and "template" not in fields:
            message = f"the template {template.name[:80]!r} has no work to do"
            self.notes.append(
                fields.document.diagnostic(
                    "warning",
                    message,
                    *fields.path,
                    fix="add `container`, `steps`, `dag` or another kind of work to the template",
                )
            )


@dataclass
class Ids:
    """Ids for the names of one template. An id is the name, changed if a join expression cannot contain it."""

    known: dict[str, str] = field(default_factory=dict)
    names: Names = field(default_factory=lambda: Names(variant="{}-{}", reserved=_RESERVED, fold=True))

    def of(self, name: str) -> str:
        """Return the id of the first step or task with this name.

        Example:
            >>> ids = Ids()
            >>> [ids.of(name) for name in ("build", "Build", "build", "and", "a b")]
            ['build', 'Build-2', 'build', 'and-2', 'a-b']
        """
        if name not in self.known:
            self.known[name] = self.free(name)
        return self.known[name]

    def free(self, name: str) -> str:
        """Return an unused id and mark it as used."""
        return self.names.free("".join(char if char.isalnum() or char in "-_" else "-" for char in name))


def _values(value: Any) -> int:
    """Return the number of values in a value; a long text counts as several values."""
    found, pending = 0, [value]
    while pending:
        inner = pending.pop()
        found += 1
        if isinstance(inner, dict):
            pending += inner.values()
        elif isinstance(inner, list):
            pending += inner
        elif isinstance(inner, str):
            found += len(inner) // _LONG
    return found


def _condition(fields: Fields) -> str | None:
    said = fields.value.get("when")
    return None if said is None or said == "" else said if isinstance(said, str) else json.dumps(said)


def data_links(calls: list[Call], ids: Ids) -> list[DataLink]:
    """Return the data links between calls."""
    return [
        DataLink(
            source=ids.of(source),
            target=call.id,
            data=f"{source}.{output}",
            span=call.fields.document.span(*call.fields.path),
        )
        for call in calls
        for source, output in call.reads
    ]
