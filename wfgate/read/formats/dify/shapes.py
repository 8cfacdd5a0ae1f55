"""The shapes of an app of Dify: what the reader reads of it. All other keys are kept."""

from typing import Annotated, Any

from pydantic import AliasChoices, AliasPath, Field

from wfgate.read.formats.typed import Sparse

Id = Annotated[str, Field(min_length=1)]


class Named(Sparse):
    """An app, a class of a question classifier, an action of a person, or a variable of a conversation."""

    id: str = ""
    name: str = Field(default="", validation_alias=AliasChoices("name", "title"))
    description: str = ""


class DifyCondition(Sparse):
    """A comparison of a variable, or of the property `key` of a file, with a value."""

    selector: tuple[str, ...] = Field(default=(), alias="variable_selector")
    key: str = ""
    operator: str = Field(default="", alias="comparison_operator")
    value: Any = None
    type: str = Field(default="", alias="varType")
    inner: "DifyCase | None" = Field(default=None, alias="sub_variable_condition")


class DifyCase(Sparse):
    """Conditions, and the operator between them."""

    id: str = Field(default="", validation_alias=AliasChoices("case_id", "id"))
    conditions: tuple[DifyCondition, ...] = ()
    operator: str = Field(default="and", alias="logical_operator")


class DifySettings(DifyCase):
    """The settings of a node of any type. If/Else nodes of the first version were a case."""

    title: str = ""
    description: str = Field(default="", alias="desc")
    is_first: bool = Field(default=False, alias="isIterationStart")
    first: str = Field(default="", alias="start_node_id")
    error_strategy: str = ""
    retry: bool = Field(default=False, validation_alias=AliasPath("retry_config", "retry_enabled"))
    retries: int | None = Field(default=None, validation_alias=AliasPath("retry_config", "max_retries"))
    cases: tuple[DifyCase, ...] = ()
    choices: tuple[Named, ...] = Field(default=(), validation_alias=AliasChoices("classes", "user_actions"))
    over: tuple[str, ...] = Field(default=(), alias="iterator_selector")
    count: int | None = Field(default=None, alias="loop_count")
    until: tuple[DifyCondition, ...] = Field(default=(), alias="break_conditions")
    provider_type: str = ""
    provider: str = Field(default="", validation_alias=AliasChoices("provider_name", "provider_id"))
    tool: str = Field(default="", alias="tool_name")


class DifyNode(Sparse):
    """An entry of `nodes`.

    Attributes:
        id: Id of the node, in most files a time in milliseconds.
        type: Type of the node ("llm").
        parent: Id of the iteration or loop around the node, as written. See `Graph.parents`.
        settings: What the reader reads of the settings.
        data: The settings as written.
        path: Path of the node in the document; set by the reader.
        label: The title, with a number if several nodes have the same title; set by the reader.
    """

    id: Id
    kind: str = Field(default="", alias="type")
    type: str = Field(default="", validation_alias=AliasPath("data", "type"))
    parent: str = Field(
        default="",
        validation_alias=AliasChoices("parentId", AliasPath("data", "iteration_id"), AliasPath("data", "loop_id")),
    )
    settings: DifySettings = Field(default=DifySettings(), alias="data")
    data: dict[str, Any] = Field(default={}, validation_alias=AliasPath("data"))
    path: Any = ()
    label: Any = ""

    @property
    def title(self) -> str:
        """Title of the node; its type if it has no title."""
        return self.settings.title.strip() or self.type


class DifyEdge(Sparse):
    """An entry of `edges`; `output` is the output of its source."""

    source: Id
    target: Id
    output: str = Field(default="source", alias="sourceHandle")


class App(Sparse):
    """The whole file."""

    about: Named = Field(default=Named(), validation_alias=AliasChoices("app", "rag_pipeline"))
    mode: Any = Field(default=None, validation_alias=AliasPath("app", "mode"))
    graph: Any = Field(default=None, validation_alias=AliasPath("workflow", "graph"))
    nodes: tuple[DifyNode, ...] = Field(default=(), validation_alias=AliasPath("workflow", "graph", "nodes"))
    edges: tuple[DifyEdge, ...] = Field(default=(), validation_alias=AliasPath("workflow", "graph", "edges"))
    variables: tuple[Named, ...] | None = Field(
        default=None, validation_alias=AliasPath("workflow", "conversation_variables")
    )
