"""Runs as trees: the spans of OpenTelemetry and the runs of LangSmith."""

import ast
import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from wfgate.errors import FormatError
from wfgate.read.documents.json_text import parse_value
from wfgate.read.formats.recorded_runs.messages import MessageReader
from wfgate.read.formats.recorded_runs.record import RunCall, RunValue, is_failure
from wfgate.read.formats.typed import Sparse

_LONGEST_LITERAL = 20_000
_MESSAGES = ("gen_ai.input.messages", "gen_ai.output.messages")
_ONE_RUN = "write each run into a file of its own"
Kind = Literal["call", "agent", "model", "other"]


class LangsmithRun(Sparse):
    """A run of LangSmith."""

    id: str = Field(min_length=1)
    name: str
    run_type: str
    parent_run_id: str | None = None
    trace_id: str | None = None
    start_time: Any = None
    end_time: Any = None
    inputs: Any = None
    error: Any = None
    status: str = ""


class OtlpSpan(Sparse):
    """A span in OTLP."""

    traceId: str  # noqa: N815 - the names of OTLP
    spanId: str = Field(min_length=1)  # noqa: N815
    parentSpanId: str = ""  # noqa: N815
    startTimeUnixNano: Any = None  # noqa: N815
    endTimeUnixNano: Any = None  # noqa: N815
    attributes: tuple[Any, ...] = ()
    events: tuple[Any, ...] = ()
    status: dict[str, Any] = Field(default_factory=dict)


class OtlpLog(Sparse):
    """A record of a log in OTLP."""

    traceId: str = ""  # noqa: N815 - the names of OTLP
    eventName: str = ""  # noqa: N815
    timeUnixNano: Any = None  # noqa: N815
    observedTimeUnixNano: Any = None  # noqa: N815
    attributes: tuple[Any, ...] = ()
    body: Any = None


class SpanContext(Sparse):
    """The ids of a span of the console exporter."""

    trace_id: str
    span_id: str = Field(min_length=1)


class ConsoleSpan(Sparse):
    """A span as the console exporter writes it."""

    context: SpanContext
    parent_id: str = ""
    start_time: Any = None
    end_time: Any = None
    attributes: dict[str, Any] = Field(default_factory=dict)
    events: tuple[Any, ...] = ()
    status: dict[str, Any] = Field(default_factory=dict)


@dataclass(eq=False)
class RunNode:
    """A span or run, whichever source recorded it."""

    own: str
    parent: str
    trace: str
    kind: Kind
    name: str
    arguments: Any
    start: float
    end: float
    failed: bool
    at: RunValue
    said: list[Any] = field(default_factory=list)
    """The messages of a model."""


def langsmith_calls(records: Sequence[RunValue]) -> list[RunCall]:
    """Return the calls in runs of LangSmith.

    Raises:
        FormatError: If a run is not valid, the runs are cut off, or there are several.
    """
    pending, nodes = list(reversed(records)), []
    while pending:
        at = pending.pop()
        run = at.shape(LangsmithRun, "the run")
        if isinstance(at.value.get("child_runs"), list):
            pending += reversed(list(at.inner("child_runs").items()))
        kinds: dict[str, Kind] = {"tool": "call", "llm": "model", "agent": "agent"}
        start, end = _moment(run.start_time, at), _moment(run.end_time, at)
        failed = bool(run.error) or run.status == "error"
        if end is None and (not failed or run.status == "pending"):
            raise at.cut(f"the run {run.name[:80]!r} has no end")
        begin = 0 if start is None else start
        kind = kinds.get(run.run_type, "other")
        trace = run.trace_id or ("" if run.parent_run_id else run.id)
        node = RunNode(
            *(run.id, run.parent_run_id or "", trace, kind, run.name, _inputs(run.inputs)),
            *(begin, begin if end is None else end, failed, at),
        )
        nodes.append(node)
    return _calls(nodes)


def otel_calls(records: Sequence[RunValue]) -> list[RunCall]:
    """Return the calls in spans of OpenTelemetry.

    Raises:
        FormatError: If a span is not valid, the trace is cut off, or there are several.
    """
    nodes = [_span(at) for record in records for at in _spans(record)]
    if any(node.kind == "call" for node in nodes):
        return _calls(nodes)
    logs = (at for record in records for at in _below(record, "resourceLogs", "scopeLogs", "logRecords"))
    nodes += filter(None, (_log(at, number) for number, at in enumerate(logs)))
    _calls(nodes)  # raises for a trace that is cut off
    reader = MessageReader()
    said = [
        RunValue(node.at.document, node.at.path, message)
        for node in sorted(nodes, key=lambda node: node.start)
        for message in _once(node.said)
    ]
    return reader.read(said)


def _spans(at: RunValue) -> Iterator[RunValue]:
    if _has(at, "resourceSpans") or _has(at, "resourceLogs"):
        yield from _below(at, "resourceSpans", "scopeSpans", "spans")
    else:
        yield at


def _below(at: RunValue, *keys: str) -> Iterator[RunValue]:
    """Yield the items of the lists under nested keys; nothing where one is missing."""
    key, *more = keys
    for item in at.inner(key).items() if _has(at, key) else ():
        if more:
            yield from _below(item, *more)
        else:
            yield item


def _has(at: RunValue, key: str) -> bool:
    return isinstance(at.value, dict) and key in at.value


def _span(at: RunValue) -> RunNode:
    if _has(at, "spanId"):
        span = at.shape(OtlpSpan, "the span")
        ids = span.spanId, span.parentSpanId, span.traceId
        times, given = (span.startTimeUnixNano, span.endTimeUnixNano), _plain_pairs(span.attributes)
        events, status = span.events, span.status
    else:
        seen = at.shape(ConsoleSpan, "the span")
        ids = seen.context.span_id, seen.parent_id, seen.context.trace_id
        times, given, events, status = (seen.start_time, seen.end_time), seen.attributes, seen.events, seen.status
    operation = str(given.get("gen_ai.operation.name", ""))
    kinds: dict[str, Kind] = {"execute_tool": "call", "invoke_agent": "agent", "invoke_workflow": "other"}
    is_model = operation in ("chat", "text_completion", "generate_content")
    kind: Kind = "model" if is_model else kinds.get(operation, "other")
    start, end = (_moment(time, at) for time in times)
    named = "gen_ai.tool.name" if kind == "call" else "gen_ai.agent.name"
    name = given.get(named) or (at.value.get("name") if kind == "agent" else None)
    if kind == "call" and not isinstance(name, str):
        raise at.error("the span of a tool has no attribute 'gen_ai.tool.name'", "add 'gen_ai.tool.name'")
    if not start or not end:
        raise at.cut("the span has no end")
    code = status.get("code", status.get("status_code"))
    failed = code in (2, "STATUS_CODE_ERROR", "ERROR") or "error.type" in given
    arguments = given.get("gen_ai.tool.call.arguments")
    said = _said(given, events) if kind == "model" else []
    return RunNode(*ids, kind, str(name or ""), arguments, start, end, failed, at, said)


def _log(at: RunValue, number: int) -> RunNode | None:
    """Return the messages in a record of a log as a model that ran then; None for a record of something else."""
    log = at.shape(OtlpLog, "the record")
    given, body = _plain_pairs(log.attributes), _parsed(_plain(log.body))
    name = log.eventName or str(given.get("event.name", ""))
    if not name.startswith("gen_ai."):
        return None
    event = {"name": name, "attributes": given | (body if isinstance(body, dict) else {})}
    time = _moment(log.timeUnixNano, at) or _moment(log.observedTimeUnixNano, at) or 0
    said = _said({}, [event])
    return RunNode(f"log {number}", "", log.traceId, "model", "", None, time, time, failed=False, at=at, said=said)


def _said(given: dict[str, Any], events: Sequence[Any]) -> list[Any]:
    """Return the messages of a span: in its attributes, or in its events."""
    sources = [given]
    messages: list[Any] = []
    for event in events:
        own = event.get("attributes", {}) if isinstance(event, dict) else {}
        own = own if isinstance(own, dict) else _plain_pairs(own)
        sources.append(own)
        name = str(event.get("name", "")) if isinstance(event, dict) else ""
        if name == "gen_ai.choice":
            if own.get("finish_reason") == "length":
                messages.append({"role": "assistant", "finish_reason": "length"})
            own = _parsed(own.get("message", own))
        if name in ("gen_ai.assistant.message", "gen_ai.choice") and isinstance(own, dict):
            calls = _parsed(own.get("tool_calls"))
            messages.append({"role": "assistant", "tool_calls": calls if isinstance(calls, list) else []})
        elif name == "gen_ai.tool.message" and isinstance(own, dict):
            messages.append({"role": "tool", "tool_call_id": own.get("id"), "content": own.get("content")})
    whole = [_parsed(source.get(key)) for source in sources for key in _MESSAGES]
    messages += [_as_blocks(message) for listed in whole if isinstance(listed, list) for message in listed]
    return messages


def _as_blocks(message: Any) -> Any:
    """Return a message of the conventions with its calls and results as those of Anthropic."""
    parts = message.get("parts") if isinstance(message, dict) else None
    if not isinstance(parts, list):
        return {"role": "user", "content": ""}
    blocks: list[dict[str, Any]] = []
    for part in parts:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "tool_call":
            blocks.append(
                {"type": "tool_use", "id": part.get("id"), "name": part.get("name"), "input": part.get("arguments")}
            )
        elif kind == "tool_call_response":
            result = part.get("response", part.get("result"))
            block = {"type": "tool_result", "tool_use_id": part.get("id"), "is_error": is_failure(result)}
            blocks.append(block)
    role = "assistant" if message.get("role") == "assistant" else "user"  # a result of Anthropic is of the user
    return {"role": role, "content": blocks, "finish_reason": message.get("finish_reason")}


def _once(messages: Sequence[Any]) -> Iterator[Any]:
    """Yield the messages that have calls or results; each prompt repeats those before it, which are left out later."""
    for message in messages:
        if message.get("tool_calls") or message.get("content") or message.get("finish_reason") == "length":
            yield message


def _calls(nodes: Sequence[RunNode]) -> list[RunCall]:
    """Return the calls of a tree, with those inside them."""
    known = {node.own: node for node in nodes}
    inside: dict[str, list[RunNode]] = {}
    for node in known.values():
        if node.parent and node.parent not in known:
            raise node.at.cut("the parent of this part is missing")
        inside.setdefault(node.parent, []).append(node)
    roots = inside.get("", [])
    traces = dict.fromkeys(node.trace for node in known.values() if node.trace)
    first = next(iter(traces), "")
    other = next((node for node in known.values() if node.trace not in {first, ""}), None)
    if other is not None:
        raise other.at.error(f"the file has {len(traces):,} runs", _ONE_RUN)
    calls: list[RunCall] = []
    pending: list[tuple[Sequence[RunNode], list[RunCall], bool]] = [(roots, calls, False)]
    seen = 0
    while pending:
        tops, found, agents = pending.pop()
        parts = list(_parts(tops, inside, agents=agents))
        seen += len(parts)
        for node, call in _in_turns([node for node, is_own in parts if is_own]):
            found.append(call)
            pending.append((inside.get(node.own, []), call.inner, node.kind == "agent"))
    if seen < len(known):
        raise nodes[0].at.error("the parents form a circle", "correct the ids of the parents")
    return calls


def _parts(
    tops: Sequence[RunNode], inside: dict[str, list[RunNode]], *, agents: bool
) -> Iterator[tuple[RunNode, bool]]:
    """Yield the parts of a run, without those inside its calls; and whether it is a call, an agent or a model.

    An agent is the run itself, or the tool that it is in, unless it is inside another agent.
    """
    pending = [(node, agents) for node in tops]
    while pending:
        node, in_agent = pending.pop()
        own = node.kind in ("call", "model") or (node.kind == "agent" and in_agent)
        yield node, own
        if not own or node.kind == "model":
            pending += [(inner, in_agent or node.kind == "agent") for inner in inside.get(node.own, [])]


def _in_turns(nodes: Sequence[RunNode]) -> Iterator[tuple[RunNode, RunCall]]:
    """Yield the calls in the order in which they began, with their turns."""
    by_models = any(node.kind == "model" for node in nodes)
    turn, end = 0, float("-inf")
    for node in sorted(nodes, key=lambda node: node.start):
        if node.kind == "model" or (not by_models and node.start >= end):
            turn += 1
        if node.kind != "model":
            end = max(end, node.end)
            call = RunCall(node.name, node.arguments, node.at, turn, ended=True, failed=node.failed)
            yield node, call


def _moment(value: Any, at: RunValue) -> float | None:
    """Return a time as a number; None for none."""
    if value is None or value == "":
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        if value.isascii() and value.isdigit() and len(value) <= len("18446744073709551615"):
            return int(value)
        try:
            moment = dt.datetime.fromisoformat(value)
        except ValueError:
            moment = None
        if moment is not None:
            zoned = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
            return (zoned - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) / dt.timedelta(microseconds=1)
    raise at.error("a time of this part is not valid", "write it as in ISO 8601, or as a number")


def _plain_pairs(pairs: Any) -> dict[str, Any]:
    """Return the attributes of OTLP as a mapping."""
    known = [pair for pair in pairs if isinstance(pair, dict)] if isinstance(pairs, list | tuple) else []
    return {str(pair.get("key")): _plain(pair.get("value")) for pair in known}


def _plain(value: Any) -> Any:
    """Return a value of OTLP without its type."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    ((kind, inner),) = value.items()
    if kind == "arrayValue" and isinstance(inner, dict):
        items = inner.get("values")
        return [_plain(item) for item in items] if isinstance(items, list) else []
    if kind == "kvlistValue" and isinstance(inner, dict):
        return _plain_pairs(inner.get("values", []))
    if kind == "intValue" and isinstance(inner, str) and inner.lstrip("-").isdecimal() and len(inner) <= 20:
        return int(inner)
    return inner


def _parsed(value: Any) -> Any:
    """Return the data in a text; another value as it is."""
    if not isinstance(value, str):
        return value
    try:
        return parse_value(value, "attribute")
    except FormatError:
        return None


def _inputs(value: Any) -> Any:
    """Return the arguments in the inputs of a tool; LangChain writes them as the text of a Python dictionary."""
    text = value.get("input") if isinstance(value, dict) and len(value) == 1 else None
    if isinstance(text, str) and text.lstrip().startswith("{") and len(text) <= _LONGEST_LITERAL:
        parsed = _parsed(text)
        if isinstance(parsed, dict):
            return parsed
        try:
            literal = ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            return value
        return literal if isinstance(literal, dict) else value
    return value
