"""The native format as a JSON Schema: for editors, validators and generators."""

from typing import Any, get_args

from wfgate.model import END, START, Gateway, Loop
from wfgate.model.workflow import Language, Operator, Outcome, Semantics, TaskKind

Schema = dict[str, Any]


def native_schema() -> Schema:
    """Return the JSON Schema (2020-12) of the native format, for both forms.

    The schema accepts the files that the reader reads without a diagnostic, and rejects the files that the reader
    rejects. It cannot express four rules: `main` is one of the workflows, no two workflows have the same name, the
    size of the file is limited, and `1.0` is not a whole number.

    Example:
        >>> sorted(native_schema()["$defs"]["short"]["properties"])
        ['description', 'name', 'params', 'semantics', 'steps', 'wfgate']
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "wfgate native workflow",
        "description": "Named workflows under `workflows`, or in short a list of `steps`.",
        "type": "object",
        "if": {"required": ["workflows"]},
        "then": _ref("full"),
        "else": _ref("short"),
        "$defs": {
            "full": _full(),
            "short": _short(),
            "workflow": _workflow(),
            "task": _mapping("One step.", _task_keys(), "id"),
            "step": _step(),
            "gateway": _gateway(),
            "link": _link(),
            "guard": _guard(),
            "loop": _loop(),
            "data": _data(),
            "dataflow": _dataflow(),
            "params": {"type": "object", "description": "Arguments: any JSON values."},
            "reference": _word("The id of a task or gateway."),
            "id": {**_word("Its address in this workflow; never compared."), "not": {"enum": [START, END]}},
            "texts": {"type": "array", "items": {"type": "string"}},
            "version": {"enum": ["1", 1], "description": "Version of the format."},
        },
    }


def _full() -> Schema:
    keys = {
        "wfgate": _ref("version"),
        "main": _text("Key of the main workflow; needless if there is only one."),
        "workflows": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": _ref("workflow"),
            "description": "Workflows by key; a step calls another one by its key.",
        },
    }
    several = {"properties": {"workflows": {"type": "object", "minProperties": 2}}}
    return _mapping("Named workflows.", keys, "wfgate", "workflows") | {"if": several, "then": {"required": ["main"]}}


def _short() -> Schema:
    keys = {
        "wfgate": _ref("version"),
        "name": _text("Name of the workflow."),
        "description": _text("What it is for."),
        "semantics": _semantics(),
        "params": _ref("params"),
        "steps": {
            "type": "array",
            "items": _ref("step"),
            "description": "A sequence; if any step has `needs`, these alone order the steps.",
        },
    }
    return _mapping("One workflow: a list of steps.", keys, "wfgate", "steps")


def _workflow() -> Schema:
    keys = {
        "name": _text("Name; the key of the workflow by default."),
        "description": _text("What it is for."),
        "semantics": _semantics(),
        "params": _ref("params"),
        "tasks": _list("task", "The steps."),
        "gateways": _list("gateway", "Where the flow splits and joins."),
        "flow": _list("link", f"Links between tasks and gateways, from {START} and to {END}."),
        "flow_complete": {
            "type": "boolean",
            "description": f"No link from {START} or to {END} is to be added where there is none.",
        },
        "data": _list("data", "Data that tasks read and write."),
        "dataflow": _list("dataflow", "Which data goes from where to where."),
    }
    return _mapping("One workflow.", keys)


def _task_keys() -> Schema:
    return {
        "id": _ref("id"),
        "name": _text("What people read; the id by default."),
        "description": _text("More about it."),
        "kind": _choice(TaskKind, "A composite calls the workflow named under `workflow`; an event waits."),
        "action": _text("The operation that a machine runs, as in helm.upgrade."),
        "workflow": _text("Key of the workflow that this step calls."),
        "external": {"type": "boolean", "description": "That workflow stands in another file."},
        "inputs": {**_ref("texts"), "description": "Names of the data it reads."},
        "outputs": {**_ref("texts"), "description": "Names of the data it writes."},
        "params": _ref("params"),
        "critical": {"type": "boolean", "description": "Its loss always blocks."},
        "tags": {**_ref("texts"), "description": "Any words."},
        "timeout": _text("As long as it may take, as in 2h."),
        "loop": _ref("loop"),
        "join": _text("Which incoming links it waits for: all, any, or an expression over ids."),
    }


def _step() -> Schema:
    reference = _ref("reference")
    keys = _task_keys() | {
        "needs": {
            "anyOf": [reference, {"type": "array", "items": reference}],
            "description": "Ids, else exact names, of the steps before.",
        },
        "when": {**_ref("guard"), "description": "The condition under which the step runs."},
    }
    named = {"required": ["name"], "properties": {"name": {"pattern": r"\S"}}}
    step = _mapping("A step: `id`, or `name` that the id is made from.", keys)
    text = {"type": "string", "pattern": r"\S", "description": "Name of the step."}
    return {"anyOf": [text, step | {"anyOf": [{"required": ["id"]}, named]}]}


def _gateway() -> Schema:
    keys = {
        "id": _ref("id"),
        "op": _choice(Operator, "All branches, one or more, or exactly one."),
        "role": _choice(Gateway.model_fields["role"].annotation, "A split by default."),
    }
    return _mapping("An operator between tasks.", keys, "id", "op")


def _link() -> Schema:
    keys = {
        "from": _word(f"The id of a task or gateway, or {START}."),
        "to": _word(f"The id of a task or gateway, or {END}."),
        "guard": _ref("guard"),
        "outcome": _choice(Outcome, "How the source must have ended; success by default."),
        "back": {"type": "boolean", "description": "The returning edge of a loop."},
    }
    return _mapping("Control flow.", keys, "from", "to")


def _guard() -> Schema:
    keys = {
        "expr": _text("The condition."),
        "language": _choice(Language, "What the condition is written in; plain by default."),
        "order": {"type": "integer", "description": "Lower is tried first, and the first that holds is taken."},
        "default": {"type": "boolean", "description": "Taken when no sibling is."},
    }
    return {"anyOf": [{"type": "string"}, _mapping("The condition of a link.", keys)]}


def _loop() -> Schema:
    keys = {
        "mode": _choice(
            Loop.model_fields["mode"].annotation, "Until or while a condition holds, or for each element."
        ),
        "condition": _text("The condition."),
        "language": _choice(Language, "What the condition is written in; plain by default."),
        "over": _text("What the elements are of."),
        "max": {"type": "integer", "description": "Most repetitions."},
    }
    return _mapping("Repetition of one step.", keys, "mode")


def _data() -> Schema:
    keys = {"id": _word("Its name."), "description": _text("What it is.")}
    return {"anyOf": [{"type": "string", "minLength": 1}, _mapping("Data.", keys, "id")]}


def _dataflow() -> Schema:
    keys = {"from": _ref("reference"), "to": _ref("reference"), "data": _text("Name of the data.")}
    return _mapping("Data that flows.", keys, "from", "to", "data")


def _semantics() -> Schema:
    return _choice(Semantics, "How it runs; dag by default: a step waits for all before it, and a skip goes on.")


def _mapping(description: str, keys: Schema, *required: str) -> Schema:
    made = {"type": "object", "description": description, "properties": keys, "additionalProperties": False}
    return made | ({"required": list(required)} if required else {})


def _list(items: str, description: str) -> Schema:
    return {"type": "array", "items": _ref(items), "description": description}


def _choice(options: Any, description: str) -> Schema:
    return {"enum": list(get_args(options)), "description": description}


def _word(description: str) -> Schema:
    return {"type": ["string", "integer"], "minLength": 1, "description": description}


def _text(description: str) -> Schema:
    return {"type": "string", "description": description}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}
