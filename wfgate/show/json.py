"""The report for programs: `wfgate.result/2`."""

import json
from typing import Any, ClassVar

from wfgate.decide import GateResult
from wfgate.model import Frozen
from wfgate.show.base import Reporter

SCHEMA_ID = "urn:wfgate:result:2"


class JsonReporter(Reporter):
    """One JSON document with the complete result: `wfgate.result/2`, ASCII only, keys in the order of the schema."""

    id: ClassVar[str] = "json"

    def render(self, result: GateResult) -> str:
        """Return the document."""
        return json.dumps(result.to_dict(), indent=2, allow_nan=False) + "\n"


def result_schema() -> dict[str, Any]:
    """Return the published JSON Schema of `wfgate.result/2`; all fields are required.

    Example:
        >>> result_schema()["$id"]
        'urn:wfgate:result:2'
    """
    return published_schema(GateResult, SCHEMA_ID)


def published_schema(record: type[Frozen], name: str) -> dict[str, Any]:
    """Return the published JSON Schema of a record. Its id is `name`, and all fields are required."""
    schema = record.model_json_schema(by_alias=True, mode="serialization")
    for part in (schema, *schema.get("$defs", {}).values()):
        if "properties" in part:
            part["required"] = list(part["properties"])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": name, **schema}
