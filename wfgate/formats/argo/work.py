"""What a template does and what a call hands to it, as fields of a task."""

import json
from typing import Any

from pydantic import JsonValue

from wfgate.formats.argo.keys import BODIES, CONTAINER_KEYS
from wfgate.formats.argo.resources import Template
from wfgate.formats.fields import Fields
from wfgate.model import Loop


def work_params(template: Template) -> dict[str, JsonValue]:
    """Return what a template does itself, under the key that says so.

    Environments, headers and what says where it runs are left out.
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
        raise template.fields.wrong(key, "a mapping", "write it as `key: value` entries")
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
        FormatError: If one has no name or the value is of the wrong type.
    """
    if "arguments" not in fields:
        return {}
    given = Fields(fields.document, (*fields.path, "arguments"), fields.value["arguments"] or {}, what="the arguments")
    return {**named_values(given, "artifacts"), **named_values(given, "parameters")}


def named_values(given: Fields, key: str) -> dict[str, JsonValue]:
    """Return the entries of a list by their names: a value, where it comes from, or all that is said of it."""
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
    """Return the input parameters with their defaults; None where there is none."""
    value = template.fields.value.get("inputs")
    if value is None:
        return {}
    part = Fields(template.fields.document, (*template.fields.path, "inputs"), value, what="the inputs")
    return named_values(part, "parameters")


def loop_of(fields: Fields) -> Loop | None:
    """Return the repetition that a call asks for: one run for each item of a list or of a sequence."""
    for key in ("withItems", "withParam", "withSequence"):
        if fields.value.get(key) is not None:
            return Loop(mode="foreach", over=_text(fields.value[key]))
    return None


def timeout_of(template: Template, defaults: dict[str, Any]) -> str | None:
    """Return how long a template may take, with a unit."""
    for source in (template.fields.value, defaults):
        for key in ("timeout", "activeDeadlineSeconds"):
            value = source.get(key)
            if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
                return f"{value}s" if str(value).isdigit() else str(value)
    return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
