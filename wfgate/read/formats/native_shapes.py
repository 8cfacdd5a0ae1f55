"""The shapes of the native format: the reader, the descriptions and the published JSON Schema derive from them."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, models_json_schema
from pydantic_core import PydanticCustomError
from pydantic_core.core_schema import WithDefaultSchema

from wfgate.model import END, START, Frozen, Language, Operator, Outcome, Semantics, TaskKind
from wfgate.read.formats.typed import WORD, Word
from wfgate.read.formats.words import did_you_mean

Schema = dict[str, Any]


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


def _not_virtual(word: str) -> str:
    if word in {START, END}:
        about = {"word": word, "fix": "choose another id"}
        raise PydanticCustomError("virtual", "must not be {word}: {word} is reserved for a virtual node", about)
    return word


def _named(key: str, expected: Any) -> BeforeValidator:
    """Return a validator for a mapping that may be written as a text, the value of one of its keys."""
    return BeforeValidator(
        lambda value: {key: value} if isinstance(value, str) else value, json_schema_input_type=expected
    )


Id = Annotated[Word, AfterValidator(_not_virtual), WithJsonSchema({**WORD, "not": {"enum": [START, END]}})]


class NativeEntry(Frozen):
    """A mapping of the file. It has no other keys than these. A value is of the type of its key, and never null.

    A key that is not in the file has the default of the model; the defaults here are not used.
    """

    model_config = ConfigDict(strict=True)

    @model_validator(mode="before")
    @classmethod
    def _known(cls, value: Any) -> Any:
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for key in value if isinstance(value, dict) else ():
            if key not in known:
                about = {"key": key, "shown": repr(key[:80]), "fix": did_you_mean(key, known)}
                raise PydanticCustomError("key", "has no key {shown}", about)
        return value

    def given(self, *others: str) -> dict[str, Any]:
        """Return the values of the keys that are in the file, without some others."""
        return self.model_dump(exclude_unset=True, exclude=set(others))


class GuardEntry(NativeEntry):
    """The condition of a link."""

    expr: str = Field("", description="The condition.")
    language: Language = Field("plain", description="What it is written in; plain by default.")
    order: int = Field(0, description="The lowest order that holds is taken.")
    default: bool = Field(default=False, description="Taken when no sibling is.")


class LoopEntry(NativeEntry):
    """Repetition of one step."""

    mode: Literal["until", "while", "foreach"] = Field(
        description="Until or while a condition holds, or for each element."
    )
    condition: str = Field("", description="The condition.")
    language: Language = Field("plain", description="What the condition is written in; plain by default.")
    over: str = Field("", description="What the elements are of.")
    max: int = Field(0, description="Most repetitions.")


class _Task(NativeEntry):
    name: str = Field("", description="What people read; the id by default, in the short form the description.")
    description: str = Field("", description="More about it.")
    kind: TaskKind = Field("task", description="A composite calls the workflow under `workflow`; an event waits.")
    action: str = Field("", description="The operation that a machine runs, as in helm.upgrade.")
    workflow: str = Field("", description="Key of the workflow that this step calls.")
    external: bool = Field(default=False, description="That workflow stands in another file.")
    inputs: list[str] = Field([], description="Names of the data it reads.")
    outputs: list[str] = Field([], description="Names of the data it writes.")
    params: dict[str, Any] = Field({}, description="Arguments: any JSON values.")
    critical: bool = Field(default=False, description="Its loss always blocks.")
    optional: bool = Field(default=False, description="It may be missing.")
    any_order: bool = Field(default=False, description="It may run before or after any other step.")
    tags: list[str] = Field([], description="Any words.")
    timeout: str = Field("", description="As long as it may take, as in 2h.")
    loop: LoopEntry = Field(LoopEntry(mode="until"), description="Its repetition.")
    join: str = Field("", description="Which incoming links it waits for: all, any, or an expression over ids.")


class TaskEntry(_Task):
    """One step."""

    id: Id = Field(description="Its address in this workflow; never compared.")


class StepEntry(_Task):
    """A step: `id`, or `name` that the id is made from."""

    model_config = ConfigDict(
        json_schema_extra={
            "if": {"not": {"required": ["id"]}},
            "then": {"required": ["name"], "properties": {"name": {"pattern": r"\S"}}},
        }
    )

    id: Id = Field("", description="Its address in this workflow; never compared.")
    needs: Annotated[list[Word], BeforeValidator(_as_list, json_schema_input_type=Word | list[Word])] = Field(
        [], description="Ids, else exact names, of the steps before."
    )
    when: Annotated[GuardEntry, _named("expr", str | GuardEntry)] = Field(
        GuardEntry(), description="The condition under which the step runs."
    )

    @model_validator(mode="after")
    def _has_id(self) -> "StepEntry":
        if not (self.id or self.name.strip()):
            raise PydanticCustomError("step", "has neither a name nor an id", {"fix": "add `name: ...`"})
        return self


class GatewayEntry(NativeEntry):
    """An operator between tasks."""

    id: Id = Field(description="Its address in this workflow; never compared.")
    op: Operator = Field(description="All branches, one or more, or exactly one.")
    role: Literal["split", "join"] = Field("split", description="A split by default.")


class LinkEntry(NativeEntry):
    """Control flow."""

    source: Word = Field(alias="from", description=f"The id of a task or gateway, or {START}.")
    target: Word = Field(alias="to", description=f"The id of a task or gateway, or {END}.")
    guard: Annotated[GuardEntry, _named("expr", str | GuardEntry)] = Field(
        GuardEntry(), description="The condition under which it is taken."
    )
    outcome: Outcome = Field("success", description="How the source must have ended; success by default.")
    back: bool = Field(default=False, description="The returning edge of a loop.")


class DataEntry(NativeEntry):
    """Data that tasks read and write."""

    id: Word = Field(description="Its name.")
    description: str = Field("", description="What it is.")


class DataLinkEntry(NativeEntry):
    """Data that flows."""

    source: Word = Field(alias="from", description="The id of a task or gateway.")
    target: Word = Field(alias="to", description="The id of a task or gateway.")
    data: str = Field(description="Name of the data.")


class _Workflow(NativeEntry):
    name: str = Field("", description="Name; the key of the workflow by default.")
    description: str = Field("", description="What it is for.")
    semantics: Semantics = Field(
        "dag", description="How it runs; dag by default: a step waits for all before it, and a skip goes on."
    )
    params: dict[str, Any] = Field({}, description="Arguments: any JSON values.")


_NAME = Annotated[str, Field(min_length=1)]


class WorkflowEntry(_Workflow):
    """One workflow."""

    tasks: list[TaskEntry] = Field([], description="The steps.")
    gateways: list[GatewayEntry] = Field([], description="Where the flow splits and joins.")
    flow: list[LinkEntry] = Field([], description=f"Links between steps and gateways, from {START} and to {END}.")
    flow_complete: bool = Field(
        default=False, description=f"No link from {START} or to {END} is to be added where there is none."
    )
    data: list[Annotated[DataEntry, _named("id", _NAME | DataEntry)]] = Field(
        [], description="Data that tasks read and write."
    )
    dataflow: list[DataLinkEntry] = Field([], description="Which data goes from where to where.")


class FullFile(NativeEntry):
    """Named workflows."""

    model_config = ConfigDict(
        json_schema_extra={
            "if": {"properties": {"workflows": {"type": "object", "minProperties": 2}}},
            "then": {"required": ["main"]},
        }
    )

    wfgate: Annotated[Any, WithJsonSchema({"enum": ["1", 1]})] = Field(description="Version of the format.")
    main: str = Field("", description="Key of the main workflow; needless if there is only one.")
    workflows: dict[str, WorkflowEntry] = Field(
        min_length=1, description="Workflows by key; a step calls another one by its key."
    )


class ShortFile(_Workflow):
    """One workflow: a list of steps."""

    wfgate: Annotated[Any, WithJsonSchema({"enum": ["1", 1]})] = Field(description="Version of the format.")
    steps: list[Annotated[StepEntry, _named("name", Annotated[str, Field(pattern=r"\S")] | StepEntry)]] = Field(
        description="A sequence; if any step has `needs`, these alone order the steps."
    )


class _Generator(GenerateJsonSchema):
    """Leaves out titles of properties and defaults: the reader uses the defaults of the model."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the signature is pydantic's
        return False

    def default_schema(self, schema: WithDefaultSchema) -> Schema:
        return self.generate_inner(schema["schema"])


def native_schema() -> Schema:
    """Return the JSON Schema (2020-12) of the native format, for both forms.

    The schema accepts the files that the reader reads without a diagnostic, and rejects the files that the reader
    rejects. It cannot express four rules: `main` is one of the workflows, no two workflows have the same name, the
    size of the file is limited, and `1.0` is not a whole number.

    Example:
        >>> sorted(native_schema()["$defs"]["ShortFile"]["properties"])
        ['description', 'name', 'params', 'semantics', 'steps', 'wfgate']
    """
    forms: list[tuple[type[NativeEntry], JsonSchemaMode]] = [(FullFile, "validation"), (ShortFile, "validation")]
    _, definitions = models_json_schema(forms, schema_generator=_Generator)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "wfgate native workflow",
        "description": "Named workflows under `workflows`, or in short a list of `steps`.",
        "type": "object",
        "if": {"required": ["workflows"]},
        "then": {"$ref": "#/$defs/FullFile"},
        "else": {"$ref": "#/$defs/ShortFile"},
        **definitions,
    }
