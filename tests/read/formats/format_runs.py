"""One run as each source records it: turns of calls (tool, arguments, result is good, calls inside)."""

import datetime as dt
import json

TURNS = [
    [("find_customer", {"email": "ada@example.org"}, True, [])],
    [("get_order", {"id": 17}, True, []), ("get_invoice", {"id": 17, "lines": ["a", "b"]}, True, [])],
    [("refund", {"order": 17, "amount": 12.5}, False, [])],
    [("refund", {"order": 17, "amount": 12.5}, True, [])],
    [("send_email", {"to": "ada@example.org", "template": "refund"}, True, [])],
]
NESTED = [
    [("find_customer", {"email": "ada@example.org"}, True, [])],
    [
        (
            "research",
            {"topic": "refunds"},
            True,
            [
                [("search", {"q": "policy"}, True, []), ("search", {"q": "law"}, True, [])],
                [("read", {"n": 1}, True, [])],
            ],
        )
    ],
    [("send_email", {"to": "ada@example.org"}, True, [])],
]


def text_of(good):
    return '{"found": 1}' if good else "Error: timeout"


def numbered(turns, start="c"):
    """The turns, with an id for each call."""
    return [
        [(f"{start}{at}.{place}", *call) for place, call in enumerate(turn)] for at, turn in enumerate(turns, start=1)
    ]


def openai_chat(turns):
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "My money, please"}]
    for turn in numbered(turns):
        calls = [
            {"id": own, "type": "function", "function": {"name": tool, "arguments": json.dumps(args)}}
            for own, tool, args, _, _ in turn
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages += [{"role": "tool", "tool_call_id": own, "content": text_of(good)} for own, _, _, good, _ in turn]
    return [*messages, {"role": "assistant", "content": "Done."}]


def openai_requests(turns):
    """A request with the messages so far, and the whole response to it."""
    *before, answer = openai_chat(turns)
    response = {"id": "c", "object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop"}]}
    response["choices"][0]["message"] = answer
    return [{"model": "gpt", "messages": before}, response]


def openai_functions(turns):
    """The messages of early chat completions: one call in a message, without ids."""
    messages = [{"role": "user", "content": "My money, please"}]
    for turn in turns:
        for tool, args, good, _ in turn:
            call = {"name": tool, "arguments": json.dumps(args)}
            messages.append({"role": "assistant", "content": None, "function_call": call})
            messages.append({"role": "function", "name": tool, "content": text_of(good)})
    return [*messages, {"role": "assistant", "content": "Done."}]


def openai_responses(turns):
    items = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "My money, please"}]}]
    for turn in numbered(turns):
        items.append({"type": "reasoning", "id": f"rs_{len(items)}", "summary": []})
        items += [
            {"type": "function_call", "id": f"fc_{own}", "call_id": own, "name": tool, "arguments": json.dumps(args),
             "status": "completed"}
            for own, tool, args, _, _ in turn
        ]  # fmt: skip
        items += [
            {"type": "function_call_output", "call_id": own, "output": text_of(good)} for own, _, _, good, _ in turn
        ]
    done = {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "Done."}],
    }
    return [*items, done]


def anthropic(turns):
    messages = [{"role": "user", "content": "My money, please"}]
    for turn in numbered(turns):
        blocks = [{"type": "tool_use", "id": own, "name": tool, "input": args} for own, tool, args, _, _ in turn]
        messages.append({"role": "assistant", "content": [{"type": "text", "text": "Let me see."}, *blocks]})
        results = [
            {"type": "tool_result", "tool_use_id": own, "content": text_of(good)}
            | ({} if good else {"is_error": True})
            for own, _, _, good, _ in turn
        ]
        messages.append({"role": "user", "content": results})
    return [*messages, {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}]


def claude_code(turns, parent=None):
    """Lines of Claude Code: each block of a message is a line of its own."""
    lines = [] if parent else [{"type": "system", "subtype": "init", "session_id": "s"}]
    for at, turn in enumerate(numbered(turns, f"{parent or 'c'}/")):
        for own, tool, args, _, _ in turn:
            block = {"type": "tool_use", "id": own, "name": tool, "input": args}
            message = {"id": f"msg_{parent}_{at}", "role": "assistant", "content": [block], "stop_reason": None}
            lines.append({"type": "assistant", "message": message, "parent_tool_use_id": parent, "session_id": "s"})
        for own, _, _, good, inner in turn:
            lines += claude_code(inner, own)
            block = {"type": "tool_result", "tool_use_id": own, "content": text_of(good), "is_error": not good}
            message = {"role": "user", "content": [block]}
            lines.append({"type": "user", "message": message, "parent_tool_use_id": parent, "session_id": "s"})
    if parent:
        return lines
    return [*lines, {"type": "result", "subtype": "success", "is_error": False, "result": "Done.", "session_id": "s"}]


def langgraph(turns):
    """The messages of a state of LangGraph."""
    messages = [{"type": "human", "content": "My money, please", "id": "h"}]
    for at, turn in enumerate(numbered(turns)):
        calls = [{"name": tool, "args": args, "id": own, "type": "tool_call"} for own, tool, args, _, _ in turn]
        messages.append(
            {"type": "ai", "content": "", "id": f"run-{at}", "tool_calls": calls, "invalid_tool_calls": []}
        )
        messages += [
            {"type": "tool", "content": text_of(good), "name": tool, "tool_call_id": own,
             "status": "success" if good else "error"}
            for own, tool, _, good, _ in turn
        ]  # fmt: skip
    return {"messages": [*messages, {"type": "ai", "content": "Done.", "id": "run-end", "tool_calls": []}]}


def langgraph_stream(turns, names=()):
    """Updates of the nodes, with subgraphs."""
    lines = []
    for at, turn in enumerate(numbered(turns, "/".join((*names, "c")))):
        calls = [{"name": tool, "args": args, "id": own, "type": "tool_call"} for own, tool, args, _, _ in turn]
        asked = {"type": "ai", "content": "", "id": f"run-{names}-{at}", "tool_calls": calls}
        lines.append([list(names), {"agent": {"messages": [asked]}}])
        for own, tool, _, good, inner in turn:
            lines += langgraph_stream(inner, (*names, f"tools:{own}")) if inner else []
            result = {"type": "tool", "content": text_of(good), "name": tool, "tool_call_id": own,
                      "status": "success" if good else "error"}  # fmt: skip
            lines.append([list(names), {"tools": {"messages": [result]}}])
    return lines


def tree(turns, parent="run", time=0):
    """Spans of a run: (id, parent, kind, name, arguments, good, start, end); a model before each turn."""
    spans = []
    for turn in numbered(turns, f"{parent}/"):
        spans.append((f"{parent}/llm{time}", parent, "model", "gpt", {}, True, time, time + 1))
        time += 2
        begun = time
        for own, tool, args, good, inner in turn:  # one after the other, although the model asked for both at once
            inside, end = tree(inner, own, time + 1) if inner else ([], time + 1)
            spans += [(own, parent, "call", tool, args, good, time, end + 1), *inside]
            time = end + 2
        assert time > begun
    return spans, time


def whole_tree(turns):
    spans, end = tree(turns)
    return [("run", "", "agent", "support", {}, True, 0, end), *spans]


def clock(seconds):
    return (dt.datetime(2026, 11, 29) + dt.timedelta(seconds=seconds)).isoformat()  # noqa: DTZ001 - as LangSmith


def attributes(values):
    kinds = {bool: "boolValue", int: "intValue", str: "stringValue"}
    return [{"key": key, "value": {kinds[type(value)]: value}} for key, value in values.items()]


def gen_ai(kind, name, args):
    if kind == "call":
        return {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.call.id": "x",
                "gen_ai.tool.call.arguments": json.dumps(args)}  # fmt: skip
    if kind == "agent":
        return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
    return {"gen_ai.operation.name": "chat", "gen_ai.request.model": name}


def otel(turns):
    spans = [
        {"traceId": "5b8efff798038103d269b633813fc60c", "spanId": own,
         "parentSpanId": parent, "name": f"{kind} {name}",
         "kind": 1, "startTimeUnixNano": str(10**18 + start), "endTimeUnixNano": str(10**18 + end),
         "attributes": attributes(gen_ai(kind, name, args)), "status": {} if good else {"code": 2}}
        for own, parent, kind, name, args, good, start, end in whole_tree(turns)
    ]  # fmt: skip
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": spans[::-1]}]}]}


def otel_console(turns):
    return [
        {"name": f"{kind} {name}", "context": {"trace_id": "0x5b", "span_id": own, "trace_state": "[]"},
         "parent_id": parent or None, "start_time": clock(start) + ".000000Z",
         "end_time": clock(end) + ".000000Z",
         "status": {"status_code": "UNSET" if good else "ERROR"}, "attributes": gen_ai(kind, name, args), "events": []}
        for own, parent, kind, name, args, good, start, end in whole_tree(turns)
    ]  # fmt: skip


def otel_messages(turns, *, events=False):
    """Spans of models only, whose messages have the calls; each prompt repeats the messages before it."""
    history = [{"role": "user", "parts": [{"type": "text", "content": "My money, please"}]}]
    spans = []
    for at, turn in enumerate([*numbered(turns), []]):
        parts = [
            {"type": "tool_call", "id": own, "name": tool, "arguments": args} for own, tool, args, _, _ in turn
        ] or [{"type": "text", "content": "Done."}]
        answer = {"role": "assistant", "parts": parts, "finish_reason": "tool_call" if turn else "stop"}
        said = {"gen_ai.input.messages": json.dumps(history), "gen_ai.output.messages": json.dumps([answer])}
        span = {"traceId": "5b", "spanId": f"s{at}", "name": "chat gpt", "startTimeUnixNano": str(10 * at + 1),
                "endTimeUnixNano": str(10 * at + 2),
                "attributes": attributes(gen_ai("model", "gpt", {}) | ({} if events else said))}  # fmt: skip
        if events:
            span["events"] = [
                {
                    "name": "gen_ai.client.inference.operation.details",
                    "timeUnixNano": "1",
                    "attributes": attributes(said),
                }
            ]
        spans.append(span)
        results = [{"type": "tool_call_response", "id": own, "response": text_of(good)} for own, _, _, good, _ in turn]
        history += [answer, {"role": "tool", "parts": results}]
    return {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}


def otel_choices(turns):
    """The earlier conventions: an event for each message."""
    spans, before = [], []
    for at, turn in enumerate([*numbered(turns), []]):
        calls = [
            {"id": own, "type": "function", "function": {"name": tool, "arguments": json.dumps(args)}}
            for own, tool, args, _, _ in turn
        ]
        choice = {"index": 0, "finish_reason": "tool_calls", "message": json.dumps({"tool_calls": calls})}
        spans.append(
            {"traceId": "5b", "spanId": f"s{at}", "startTimeUnixNano": str(10 * at + 1),
             "endTimeUnixNano": str(10 * at + 2), "attributes": attributes(gen_ai("model", "gpt", {})),
             "events": [*before, {"name": "gen_ai.choice", "attributes": attributes(choice)}]}
        )  # fmt: skip
        before = [
            {"name": "gen_ai.tool.message", "attributes": attributes({"id": own, "content": text_of(good)})}
            for own, _, _, good, _ in turn
        ]
    return {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}


def any_value(value):
    """A value of OTLP with its type."""
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": key, "value": any_value(inner)} for key, inner in value.items()]}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [any_value(inner) for inner in value]}}
    return attributes({"": value})[0]["value"]


def otel_logs(turns):
    """The events of models as records of a log, among those of other programs."""
    events = [("http.request", {"url": "/"})]
    for turn in numbered(turns):
        calls = [
            {"id": own, "type": "function", "function": {"name": tool, "arguments": json.dumps(args)}}
            for own, tool, args, _, _ in turn
        ]
        choice = {"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": calls}}
        events.append(("gen_ai.choice", choice))
        events.append(("gen_ai.assistant.message", {"tool_calls": calls}))  # the next prompt repeats it
        events += [("gen_ai.tool.message", {"id": own, "content": text_of(good)}) for own, _, _, good, _ in turn]
    records = [
        {"timeUnixNano": str(10 + at), "traceId": "5b", "spanId": f"s{at}", "eventName": name, "body": any_value(body)}
        for at, (name, body) in enumerate(events)
    ]
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}


def langsmith(turns):
    kinds = {"call": "tool", "agent": "chain", "model": "llm"}
    return [
        {"id": own, "trace_id": "run", "parent_run_id": parent or None, "name": name, "run_type": kinds[kind],
         "start_time": clock(start), "status": "success" if good else "error",
         "end_time": clock(end), "error": None if good else "TimeoutError()",
         "inputs": {"input": str(args)} if kind == "call" else {"messages": []}, "outputs": {"output": text_of(good)}}
        for own, parent, kind, name, args, good, start, end in whole_tree(turns)
    ]  # fmt: skip


SOURCES = {
    "openai chat": openai_chat,
    "openai requests": openai_requests,
    "openai responses": openai_responses,
    "anthropic": anthropic,
    "claude code": claude_code,
    "langgraph": langgraph,
    "langgraph stream": langgraph_stream,
    "otel": otel,
    "otel console": otel_console,
    "otel messages": otel_messages,
    "otel events": lambda turns: otel_messages(turns, events=True),
    "otel choices": otel_choices,
    "otel logs": otel_logs,
    "langsmith": langsmith,
}
NESTING = ("claude code", "langgraph stream", "otel", "otel console", "langsmith")
"""Sources that say which calls are inside another one."""


def as_lines(data):
    """JSON Lines of a run."""
    return "".join(json.dumps(item) + "\n" for item in (data if isinstance(data, list) else [data]))
