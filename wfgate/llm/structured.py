"""Reads one JSON object from an answer and validates it against a schema."""

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from wfgate.errors import LlmMalformedError, LlmSchemaError, first_problem

T = TypeVar("T", bound=BaseModel)


def response_format(answer: type[BaseModel]) -> dict[str, Any]:
    """Return the request parameter `response_format` for the schema of an answer."""
    schema = answer.model_json_schema()
    return {"type": "json_schema", "json_schema": {"name": schema["title"], "strict": True, "schema": schema}}


def in_words(answer: type[BaseModel]) -> str:
    """Return the schema as an instruction in the prompt, for services without `response_format`."""
    schema = json.dumps(answer.model_json_schema())
    return f"Answer with exactly one JSON object and nothing else. It must follow this JSON Schema:\n{schema}"


def parsed(text: str, answer: type[T]) -> T:
    """Return the only JSON object in a text, validated. Other text or a code fence around the object is allowed.

    A text with two JSON objects is an error, because one of them may be a quoted answer of somebody else. A duplicate
    key is an error too.

    Raises:
        LlmMalformedError: If there is no JSON object, or more than one.
        LlmSchemaError: If the object does not match the schema.
    """
    only = _only_object(text)
    if only is None:
        raise LlmMalformedError("the answer is not exactly one JSON object")
    try:
        return answer.model_validate_json(json.dumps(only), strict=True)
    except ValidationError as error:
        problem = first_problem(error, "object")
    raise LlmSchemaError(f"the answer does not match the schema: {problem}")


def _only_object(text: str) -> dict[str, Any] | None:
    """Return the text from the first "{" to the last "}" as a JSON object; None if it is not a JSON object."""
    inside = text[text.find("{") : text.rfind("}") + 1]
    try:
        value = json.loads(inside, object_pairs_hook=_unique, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("duplicate key")
    return dict(pairs)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")
