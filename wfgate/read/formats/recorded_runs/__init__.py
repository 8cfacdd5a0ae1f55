"""What an agent did: the record of a run, with its tool calls as steps."""

import json
from typing import Any, ClassVar

from wfgate.read.documents.document import Document
from wfgate.read.formats.base import Format, Reading

__all__ = ["RecordedRunFormat"]

_SEEN = 3
"""Items of a list that decide whether it is a run."""


class RecordedRunFormat(Format):
    """The record of what an agent did: messages with tool calls, or the spans of a trace, in JSON or JSON Lines.

    Read are

    - messages of OpenAI's chat completions (`tool_calls`, role `tool`; of early ones `function_call`, role `function`)
      and of Anthropic (`tool_use`, `tool_result`), alone, under `messages`, in a whole response (`choices`) after its
      request, or as lines of Claude Code (`message`, `parent_tool_use_id`)
    - items and responses of OpenAI's responses API (`function_call`, `function_call_output`, built-in tools)
    - messages of LangGraph: a state, or streamed states and updates, also of subgraphs
    - runs that LangSmith exports, nested (`child_runs`) or as a list with `parent_run_id`
    - spans of OpenTelemetry with the GenAI conventions, as OTLP or as the console exporter writes them. Steps are the
      spans `execute_tool`; without any, the tool calls in the messages of the spans (attributes or events), or in
      the `gen_ai` events of a log (`resourceLogs`)

    A step is a tool call: its name is that of the tool, its params are the arguments. Results, texts, times and ids
    are left out, so a run of one source can be compared with a run of another, or with a plan.

    Calls that the model asked for in one turn are parallel, and follow those of the turn before. In a trace without
    spans of models, calls are parallel whose times overlap. A call with calls inside (a tool that is an agent), and an
    agent inside an agent, is a composite. A call that failed and is made again in the next turn with equal arguments
    is one step with a loop: until it succeeds. OpenAI's messages do not say that a call failed, so a result counts as
    a failure if it begins with "error", or is a mapping with `error`, `is_error: true` or `status: error`.

    Arguments that look like secrets are masked when they are read, so that no report, cache or history contains them:
    values under keys and beside labels such as `password`, `token` and `api_key`, also of JSON in a text; and in texts
    keys of known services, private keys, bearer tokens, cookies, and passwords in URLs and options. Four digits of a
    hash remain (of 20 characters and more, twelve), so that another secret is seen; who has a report can test guesses
    of a short one, such as a PIN. What has no such sign is shown.

    A run that is cut off is an error, so its case is inconclusive: a call without a result, a result without its call,
    a span without an end or without its parent, an answer that reached a limit, or an incomplete last line. So is a
    record without a call. A file has one run. In folders, `.jsonl` files are runs; others are left out with a line
    such as `"logs/*.jsonl" = "ignored"` under `[formats]`.

    A run is compared with an approved plan or with approved runs; what several of these do differently is free. By
    default the comparison is strict: each additional call counts. With the own rule `additional = {pattern = "*"}` it
    is "at least": additional calls are permitted, and all that is approved must be there in its order. `{pattern =
    "search"}` permits calls of one tool, `cases` limits a rule to some runs, and a rule `never` still forbids.

    Reading 10,000 calls takes 2 to 3 seconds as JSON Lines and 70 to 95 MB beside the file; a state of LangGraph takes
    3.5 seconds and a log of OpenTelemetry 5, both 160 to 175 MB (section `recorded-runs` of `make bench`). The gate of
    two such runs takes 42 seconds and 2.4 GB; of 1,000 calls, 2 seconds and 0.2 GB.

    Example:
        >>> calls = [{"id": "a", "type": "function", "function": {"name": "search", "arguments": '{"for": "cats"}'}}]
        >>> asked = {"role": "assistant", "tool_calls": calls}
        >>> data = [asked, {"role": "tool", "tool_call_id": "a", "content": "3 cats"}]
        >>> task = RecordedRunFormat().read(Document("example", kind="json", data=data)).workflow.tasks[0]
        >>> task.name, task.params
        ('search', {'for': 'cats'})
    """

    id: ClassVar[str] = "recorded-run"
    title: ClassVar[str] = "a recorded run"
    signature: ClassVar[str] = (
        "messages with `role` (alone, or under `messages` or `choices`); items with `type: function_call`; runs with "
        "`run_type`; or `resourceSpans` or `resourceLogs`"
    )
    suffixes: ClassVar[tuple[str, ...]] = (*Format.suffixes, ".jsonl")

    def recognises(self, document: Document) -> bool:
        """Return whether the first records are messages, items, runs or spans."""
        if document.kind == "text":
            return False
        data: Any = [_first_line(document)] if document.data is None else document.data
        first = data[:_SEEN] if isinstance(data, list) else [data]
        return bool(first) and all(_is_record(item) for item in first)

    def read(self, document: Document) -> Reading:
        """Read the run.

        Raises:
            FormatError: If a record is not valid, the run is cut off, or the file has several runs.
        """
        from wfgate.read.formats.recorded_runs.flow import reading_of

        return reading_of(document, self.id)


def _first_line(document: Document) -> Any:
    """Return the data of the first line of JSON Lines; None for other texts without data."""
    first, _, rest = document.text.lstrip().partition("\n")
    if document.kind != "json" or not rest.strip():
        return None
    try:
        return json.loads(first)
    except (ValueError, RecursionError):
        return None


def _is_record(item: Any) -> bool:
    """Return whether a value is a part of a run."""
    if isinstance(item, list):  # of a stream of LangGraph: the subgraph, and what it did
        return len(item) == len(("subgraph", "update")) and isinstance(item[0], list) and _is_record(item[1])
    if not isinstance(item, dict) or "wfgate" in item:
        return False
    return (
        bool({"resourceSpans", "resourceLogs", "run_type"} & item.keys())
        or {"context", "parent_id", "attributes"} <= item.keys()
        or _has_messages(item)
        or _has_choices(item)
        or _is_line(item)
        or item.get("object") == "response"
        or ("input" in item and _are_items(item.get("output")))
        or _is_message(item)
        or _is_item(item)
    )


def _has_messages(item: dict[str, Any]) -> bool:
    """Return whether a mapping has messages, or what nodes of LangGraph added to them."""
    held = [item] if "messages" in item else [*item.values()]
    return bool(held) and all(
        isinstance(each, dict)
        and isinstance(each.get("messages"), list)
        and all(_is_message(message) for message in each["messages"][:_SEEN])
        for each in held
    )


def _has_choices(item: dict[str, Any]) -> bool:
    """Return whether a mapping is a response of OpenAI's chat completions, or a streamed part of one."""
    choices = item.get("choices")
    return isinstance(choices, list) and any(
        isinstance(one, dict) and {"message", "delta"} & one.keys() for one in choices
    )


def _is_line(item: dict[str, Any]) -> bool:
    """Return whether a mapping is a line of Claude Code."""
    if item.get("type") == "system":
        return "session_id" in item
    return item.get("type") in ("user", "assistant") and _is_message(item.get("message"))


def _are_items(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, dict) and "type" in item for item in value[:_SEEN])
    )


def _is_item(item: dict[str, Any]) -> bool:
    kind = item.get("type")
    return isinstance(kind, str) and (
        kind in ("function_call", "function_call_output", "mcp_call", "custom_tool_call", "custom_tool_call_output")
        or (kind == "reasoning" and "summary" in item)
    )


def _is_message(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    if item.get("role") in ("system", "developer", "user", "assistant", "tool", "function"):
        return bool({"content", "tool_calls", "function_call"} & item.keys())
    if item.get("lc") == 1:
        return "kwargs" in item
    return item.get("type") in ("human", "ai", "system", "tool") and "content" in item
