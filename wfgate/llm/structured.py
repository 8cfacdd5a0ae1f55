"""One JSON object out of an answer, checked against a schema: what is not exactly that is refused."""

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from wfgate.errors import LlmMalformedError, LlmSchemaError, first_problem

T = TypeVar("T", bound=BaseModel)


def response_format(answer: type[BaseModel]) -> dict[str, Any]:
    """Return what a service is told about the schema of an answer."""
    schema = {"name": answer.__name__, "strict": True, "schema": answer.model_json_schema()}
    return {"type": "json_schema", "json_schema": schema}


def in_words(answer: type[BaseModel]) -> str:
    """Return the same as an instruction, for a service that knows no schemas."""
    schema = json.dumps(answer.model_json_schema())
    return f"Answer with exactly one JSON object and nothing else. It must follow this JSON Schema:\n{schema}"


def parsed(text: str, answer: type[T]) -> T:
    """Return the one object that a text consists of, perhaps in a fence or with words around it.

    Two objects are none: whoever quotes a foreign answer beside its own has not answered. A key that stands twice in
    an object makes it none, too.

    Raises:
        LlmMalformedError: If there is no JSON object, or more than one.
        LlmSchemaError: If it is of another schema.
    """
    only = _only_object(text)
    if only is None:
        raise LlmMalformedError("the answer is not exactly one JSON object")
    try:
        return answer.model_validate_json(json.dumps(only), strict=True)
    except ValidationError as error:
        problem = first_problem(error, "object")
    raise LlmSchemaError(f"the answer is of another schema: {problem}")


def _only_object(text: str) -> dict[str, Any] | None:
    """Return what stands from the first brace to the last one, if that is an object."""
    inside = text[text.find("{") : text.rfind("}") + 1]
    try:
        found = json.loads(inside, object_pairs_hook=_unique, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number in JSON")
