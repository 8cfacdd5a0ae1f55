"""What is known of each of wfgate's own formats without loading its reader."""

from collections.abc import Iterator, Mapping

from wfgate.base import Registered
from wfgate.read.documents.document import Document
from wfgate.read.formats import hints
from wfgate.read.formats.base import Format

_HOME = "wfgate.read.formats"


class KnownFormat(Registered):
    """A line of the table of formats.

    Args:
        where: The class, as `module:Class` in this package.
        hint: What every document of this format meets.
        summary: The first line of its documentation.
        suffixes: As in `Format`.
    """

    def __init__(
        self, where: str, hint: hints.Hint, summary: str, suffixes: tuple[str, ...] = Format.suffixes
    ) -> None:
        super().__init__(f"{_HOME}.{where}", summary)
        self.hint = hint
        self.suffixes = suffixes


FORMATS_TABLE = {
    "native": KnownFormat(
        "native:NativeFormat",
        hints.is_native,
        'wfgate\'s own format: `wfgate: "1"` with named `workflows` (full form) or with a list of `steps` (short '
        "form).",
    ),
    "worfbench": KnownFormat(
        "worfbench:WorfbenchFormat",
        hints.may_be_worfbench,
        "Numbered nodes under `Node:` and pairs of these numbers under `Edge:`, or a record that contains such a "
        "text.",
    ),
    "graph-json": KnownFormat(
        "graph_json:GraphJsonFormat",
        hints.may_be_graph,
        "Steps and links in JSON or YAML, as people, language models, benchmarks and graph libraries write them.",
    ),
    "markdown": KnownFormat(
        "markdown:MarkdownFormat",
        hints.may_be_plan,
        "Numbered lists, checklists and headings of steps, for example the `tasks.md` of spec-kit.",
        (*Format.suffixes, ".markdown"),
    ),
    "github-actions": KnownFormat(
        "github_actions:GithubActionsFormat",
        hints.may_be_github,
        "A workflow file (keys `on` and `jobs`) or a composite action (key `runs` with `using: composite`).",
    ),
    "mermaid": KnownFormat(
        "mermaid:MermaidFormat",
        hints.is_text,
        "A Mermaid flowchart (`flowchart TD` or `graph LR`) of boxes, arrows and diamonds.",
        (".mmd", ".mermaid", ".md"),
    ),
    "asl": KnownFormat(
        "asl:AslFormat",
        hints.may_be_asl,
        "A state machine in JSON or YAML (`StartAt` and `States`), with JSONPath or JSONata.",
    ),
    "n8n": KnownFormat(
        "n8n:N8nFormat",
        hints.may_be_n8n,
        "A workflow that n8n exports: a mapping with `nodes` and `connections`, or a list with one such workflow.",
    ),
    "bpmn": KnownFormat("bpmn:BpmnFormat", hints.is_markup, "BPMN 2.0 XML, from any tool.", (".bpmn", ".xml")),
    "argo": KnownFormat(
        "argo:ArgoFormat",
        hints.may_be_argo,
        "Argo Workflows: Workflow, WorkflowTemplate, ClusterWorkflowTemplate and CronWorkflow resources.",
    ),
    "dify": KnownFormat(
        "dify:DifyFormat",
        hints.may_be_dify,
        "An app that Dify exports: `kind: app` with a graph under `workflow`, in the mode workflow or advanced-chat.",
    ),
    "serverless": KnownFormat(
        "serverless:ServerlessFormat",
        hints.may_be_serverless,
        "A workflow in the Serverless Workflow DSL 1.0, in YAML or JSON.",
    ),
    "xxp": KnownFormat(
        "xxp:XxpFormat",
        hints.may_be_xxp,
        "Workflows and experiments in the ExtremeXP DSL.",
        (".xxp",),
    ),
    "dot": KnownFormat(
        "dot:DotFormat",
        hints.may_be_dot,
        "A Graphviz graph (`digraph NAME { a -> b }`), drawn by people or exported by schedulers.",
        (".dot", ".gv"),
    ),
    "gitlab-ci": KnownFormat(
        "gitlab_ci:GitlabCiFormat",
        hints.may_be_gitlab,
        "A pipeline of GitLab CI (`.gitlab-ci.yml`): jobs with `script`, `run`, `trigger` or `extends`.",
    ),
    "recorded-run": KnownFormat(
        "recorded_runs:RecordedRunFormat",
        hints.may_be_run,
        "The record of what an agent did: messages with tool calls, or the spans of a trace, in JSON or JSON Lines.",
        (*Format.suffixes, ".jsonl"),
    ),
    "instructions": KnownFormat(
        "instructions:InstructionsFormat",
        hints.is_instructions,
        "Instruction files of coding agents, such as `AGENTS.md`: each rule is a demand.",
        (*Format.suffixes, ".mdc"),
    ),
}
"""The formats, in the order in which they are listed everywhere."""


def possible(document: Document, formats: Mapping[str, Format]) -> Iterator[Format]:
    """Yield the formats that may recognise a document; of wfgate's own, only these are loaded."""
    for name in formats:
        line = FORMATS_TABLE.get(name)
        if line is None or line.hint(document):
            yield formats[name]


def recognising(document: Document, formats: Mapping[str, Format]) -> list[Format]:
    """Return the formats that recognise a document."""
    return [form for form in possible(document, formats) if form.recognises(document)]
