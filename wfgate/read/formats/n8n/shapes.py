"""The shapes of an n8n workflow: what the reader reads of it. All other keys are kept."""

import re
from typing import Annotated, Any

from pydantic import AliasChoices, AliasPath, BeforeValidator, Field

from wfgate.model import Outcome
from wfgate.read.formats.typed import Loose, Sparse

Id = Annotated[str, Field(min_length=1)]

_TRIGGERS = frozenset({"webhook", "cron", "interval", "start", "emailReadImap"})

_AI = "@n8n/n8n-nodes-langchain."
_PART = re.compile("(?:lm|memory|tool|embeddings|outputParser|textSplitter|document|retriever|reranker)[A-Z]")
"""Types of nodes that have no input and output of their own; vector stores, agents and chains may have some."""

_CALLED = AliasChoices(
    *(AliasPath("workflowId", "cachedResultName"), AliasPath("workflowId", "value")),
    *("workflowId", "workflowPath", "workflowUrl"),
)


class Options(Loose):
    """`options` of a node."""

    all_matching: bool = Field(default=False, alias="allMatchingOutputs")
    fallback: str | int | None = Field(default=None, validation_alias=AliasChoices("fallbackOutput", "fallback"))
    several: bool = Field(default=False, alias="multiClass")
    categories: str = ""
    unpaired: bool = Field(default=False, alias="includeUnpaired")


class Parameters(Loose):
    """The parameters that decide the flow, of nodes of any type. Every parameter of n8n may be an expression."""

    mode: str = ""
    operation: str = ""
    options: Options = Options()
    outputs: int = Field(default=4, validation_alias=AliasChoices("numberOutputs", "outputsAmount"))
    rules: tuple[dict[str, Any], ...] = Field(
        default=(), validation_alias=AliasChoices(AliasPath("rules", "values"), AliasPath("rules", "rules"))
    )
    fallback: str | int = Field(default="none", alias="fallbackOutput")
    categories: tuple[dict[str, Any], ...] = Field(default=(), validation_alias=AliasPath("categories", "categories"))
    calls: str = Field(default="", validation_alias=_CALLED)
    combine_by: str = Field(default="", alias="combineBy")
    join_mode: str = Field(default="", alias="joinMode")


class N8nNode(Sparse):
    """An entry of `nodes`.

    Attributes:
        name: Name of the node, which connections and expressions use.
        type: Full type of the node ("n8n-nodes-base.if").
        version: Version of the type.
        params: The parameters as written.
        flow: The parameters that decide the flow.
        path: Path of the node in the document; set by the reader.
    """

    name: Id
    type: Id
    version: float = Field(default=1, alias="typeVersion", strict=True)
    params: Annotated[dict[str, Any], BeforeValidator(lambda value: {} if value == [] else value)] = Field(
        default={}, validation_alias=AliasPath("parameters")
    )
    flow: Parameters = Field(default=Parameters(), alias="parameters")
    disabled: bool = False
    error: str = Field(default="", alias="onError")
    goes_on: bool = Field(default=False, alias="continueOnFail")
    retry: bool = Field(default=False, alias="retryOnFail")
    tries: int = Field(default=3, alias="maxTries")
    notes: str = ""
    position: Any = None
    path: Any = ()

    @property
    def kind(self) -> str:
        """The type without its package."""
        return self.type.rpartition(".")[2]

    @property
    def place(self) -> tuple[float, float] | None:
        """The place on the canvas as (distance from the top, distance from the left); None if there is none."""
        match self.position:
            case [int() | float() as left, int() | float() as top]:
                return top, left
        return None

    @property
    def is_part(self) -> bool:
        """Whether the node is only a part of an AI node: a model, a memory, a tool."""
        return self.type.startswith(_AI) and _PART.match(self.kind) is not None

    @property
    def is_trigger(self) -> bool:
        """Whether the node starts the workflow."""
        return self.kind in _TRIGGERS or self.kind.endswith(("Trigger", "trigger"))

    @property
    def outcome(self) -> Outcome:
        """The outcome of the node after which its other outputs are taken."""
        goes_on = self.error == "continueRegularOutput" if self.error else self.goes_on
        return "always" if goes_on else "success"


class End(Sparse):
    """The target of a connection, with the number of its input from 0."""

    node: Id
    index: int = Field(default=0, strict=True)


Ends = Annotated[tuple[End | None, ...], BeforeValidator(lambda value: [] if value is None else value)]
Outputs = Annotated[tuple[Ends, ...], BeforeValidator(lambda value: [] if value is None else value)]


class Export(Sparse):
    """A workflow. `connections` are the targets by source node, kind of connection and number of the output."""

    name: str = ""
    description: str | None = Field(
        default=None, validation_alias=AliasChoices("description", AliasPath("meta", "description"))
    )
    settings: dict[str, Any] = Field(default={})
    nodes: tuple[N8nNode, ...] = ()
    connections: dict[str, dict[str, Outputs] | None] = Field(default={})
