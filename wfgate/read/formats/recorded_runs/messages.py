"""Messages with tool calls: OpenAI (chat and responses), Anthropic, LangGraph."""

from collections.abc import Iterator, Sequence
from typing import Any

from wfgate.read.formats.recorded_runs.record import RunCall, RunValue, Transcript, is_failure
from wfgate.read.formats.typed import Sparse

_ROLES = {"human": "user", "ai": "assistant"}
_LIMITS = ("length", "max_tokens", "max_output_tokens", "incomplete", "in_progress")  # no set: values may be lists
_INPUTS = ("arguments", "input", "action", "queries", "code")
"""Where the items of the responses API have the arguments of built-in tools."""


class ChatFunction(Sparse):
    """What a chat completion calls."""

    name: str
    arguments: Any = None
    input: Any = None


class ChatCall(Sparse):
    """A tool call of OpenAI's chat completions."""

    id: str
    function: ChatFunction | None = None
    custom: ChatFunction | None = None


class ChatMessage(Sparse):
    """A message of OpenAI's chat completions."""

    tool_calls: tuple[ChatCall, ...] = ()
    tool_call_id: str = ""
    function_call: ChatFunction | None = None
    name: str = ""
    content: Any = None


class ContentBlock(Sparse):
    """A block of a message of Anthropic."""

    type: str = ""
    id: str = ""
    name: str = ""
    input: Any = None
    tool_use_id: str = ""
    content: Any = None
    is_error: bool = False


class GraphCall(Sparse):
    """A tool call in a message of LangGraph."""

    id: str
    name: str
    args: Any = None


class GraphMessage(Sparse):
    """A message of LangGraph."""

    tool_calls: tuple[GraphCall, ...] = ()
    tool_call_id: str = ""
    content: Any = None
    status: str = ""


class ResponseItem(Sparse):
    """An item of OpenAI's responses API."""

    type: str = ""
    id: str = ""
    call_id: str = ""
    name: str = ""
    status: str = ""
    output: Any = None
    error: Any = None


class MessageReader:
    """Reads the messages of one run, in their order."""

    def __init__(self) -> None:
        self.transcript = Transcript()
        self._turn = self._last = 0
        self._turns: dict[str, int] = {}
        self._answered = True
        self._pending = ("", "")
        self._subgraphs: dict[tuple[str, ...], str] = {}

    def read(self, records: Sequence[RunValue]) -> list[RunCall]:
        """Return the calls.

        Raises:
            FormatError: If a message is not valid, or the run is cut off.
        """
        for record in records:
            for message, parent, subgraph in _messages(record, None, ()):
                self._message(message, self._around(subgraph, message) if subgraph else parent)
        return self.transcript.ended()

    def _around(self, subgraph: tuple[str, ...], at: RunValue) -> str:
        """Return the id of the call that a subgraph of LangGraph is inside: the only open one around it, or its node.

        Raises:
            FormatError: If it is inside one of several parallel calls: the stream does not say which.
        """
        for end in range(1, len(subgraph) + 1):
            own = subgraph[:end]
            if own not in self._subgraphs:
                outer = self._subgraphs.get(own[:-1])
                pending = [each for each in self.transcript.unended(outer) if each not in self._subgraphs.values()]
                if len(pending) > 1:
                    what = f"the stream does not say which of {len(pending)} parallel calls this subgraph is inside"
                    raise at.error(what, "record the run with LangSmith or OpenTelemetry")
                if not pending:
                    name = own[-1].partition(":")[0]
                    call = RunCall(name, None, at, self._begin(None), ended=True)
                    self.transcript.call("|".join(own), call, outer)
                self._subgraphs[own] = pending[0] if pending else "|".join(own)
        return self._subgraphs[subgraph]

    def _message(self, at: RunValue, parent: str | None) -> None:
        value = at.value
        for key in ("finish_reason", "stop_reason"):
            if value.get(key) in _LIMITS:
                raise at.cut("the answer of the model reached its limit")
        kind = str(value.get("type", ""))
        role = value.get("role") or _ROLES.get(kind, kind)
        if "role" not in value and role not in ("user", "assistant", "tool", "system"):
            self._item(at)
            return
        if role == "assistant":
            self._turn = self._begin(value.get("id"))
        blocks = value.get("content")
        if isinstance(blocks, list):
            for block in at.inner("content").items():
                self._block(block, parent)
        if "role" in value:
            self._chat(at)
        else:
            self._graph(at, parent)

    def _begin(self, own: Any) -> int:
        """Return the turn of a message of the model; parts of one message have the same id."""
        self._last += 1
        return self._turns.setdefault(own, self._last) if isinstance(own, str) and own else self._last

    def _chat(self, at: RunValue) -> None:
        role = at.value.get("role")
        if role not in ("assistant", "tool", "function"):
            return
        message = at.shape(ChatMessage, "the message")
        if message.function_call is not None:  # early chat completions: one call in a message, and no ids
            old, place = message.function_call, at.inner("function_call")
            self._pending = (f"function call {self._turn}", old.name)
            self.transcript.call(self._pending[0], RunCall(old.name, old.arguments, place, self._turn))
        for call, place in zip(message.tool_calls, _under(at, "tool_calls"), strict=True):
            function = call.function or call.custom
            if function is None:
                raise place.error("the tool call has no 'function'", "add 'function' with a name and arguments")
            given = function.input if function.arguments is None else function.arguments
            self.transcript.call(call.id, RunCall(function.name, given, place, self._turn))
        if role == "tool":
            self.transcript.result(message.tool_call_id, at, failed=is_failure(message.content))
        elif role == "function":
            own, name = self._pending
            self.transcript.result(own if message.name in ("", name) else "", at, failed=is_failure(message.content))
            self._pending = ("", "")

    def _graph(self, at: RunValue, parent: str | None) -> None:
        message = at.shape(GraphMessage, "the message")
        for call, place in zip(message.tool_calls, _under(at, "tool_calls"), strict=True):
            self.transcript.call(call.id, RunCall(call.name, call.args, place, self._turn), parent)
        if at.value.get("type") == "tool":
            failed = message.status == "error" if message.status else is_failure(message.content)
            self.transcript.result(message.tool_call_id, at, failed=failed)

    def _block(self, at: RunValue, parent: str | None) -> None:
        kind = at.value.get("type") if isinstance(at.value, dict) else None
        if not isinstance(kind, str) or not kind.endswith(("tool_use", "tool_result")):
            return
        block = at.shape(ContentBlock, "the block")
        if kind.endswith("tool_use"):
            if not block.name:
                raise at.error("the call has no 'name'", "add 'name'")
            self.transcript.call(block.id, RunCall(block.name, block.input, at, self._turn), parent)
        else:
            error = isinstance(block.content, dict) and str(block.content.get("type", "")).endswith("_error")
            self.transcript.result(block.tool_use_id, at, failed=block.is_error or error)

    def _item(self, at: RunValue) -> None:
        """Read an item of the responses API: calls between two outputs are one turn."""
        item = at.shape(ResponseItem, "the item")
        if item.type.endswith("_call_output"):
            self._answered = True
            self.transcript.result(item.call_id, at, failed=is_failure(item.output))
        elif item.type.endswith("_call"):
            if self._answered:
                self._turn = self._begin(None)
            given = next((at.value[key] for key in _INPUTS if at.value.get(key) is not None), None)
            call = RunCall(item.name or item.type.removesuffix("_call"), given, at, self._turn)
            own = item.call_id or item.id
            self.transcript.call(own, call)
            self._answered = not item.call_id
            if not item.call_id:  # a tool that the service runs; the item is call and result
                if item.status in _LIMITS or item.status == "searching":
                    raise at.cut(f"the call of {call.tool[:80]!r} has no result")
                self.transcript.result(own, at, failed=item.status == "failed" or bool(item.error))


def _under(at: RunValue, key: str) -> Iterator[RunValue]:
    return at.inner(key).items() if isinstance(at.value.get(key), list) else iter(())


def _messages(
    at: RunValue, parent: str | None, subgraph: tuple[str, ...]
) -> Iterator[tuple[RunValue, str | None, tuple[str, ...]]]:
    """Yield the messages and items of a record, with the id of the call or the subgraph that they are inside of."""
    value = at.value
    if isinstance(value, list):  # of a stream of LangGraph: the subgraph, and what it did
        if len(value) != len(("subgraph", "update")) or not isinstance(value[0], list):
            raise at.error("a record must be a mapping", "write one mapping for each message")
        yield from _messages(at.inner(1), parent, tuple(map(str, value[0])))
    elif not isinstance(value, dict):
        raise at.error("a record must be a mapping", "write one mapping for each message")
    elif isinstance(value.get("message"), dict):
        inside = value.get("parent_tool_use_id")
        yield from _messages(at.inner("message"), inside if isinstance(inside, str) else None, subgraph)
    elif isinstance(value.get("role"), str) or (isinstance(value.get("type"), str) and value.get("lc") != 1):
        yield at, parent, subgraph
    else:
        for message in _held(at):
            yield from _messages(message, parent, subgraph)


def _choices(at: RunValue) -> Iterator[RunValue]:
    """Yield the message of a whole response of OpenAI's chat completions."""
    choices = [*at.inner("choices").items()]
    if len(choices) > 1:
        raise at.error(f"the response has {len(choices)} choices", "keep the choice with which the run went on")
    for choice in choices:
        if not isinstance(choice.value, dict) or not isinstance(choice.value.get("message"), dict):
            raise choice.error("the choice has no 'message'", "record whole responses instead of streamed parts")
        if choice.value.get("finish_reason") in _LIMITS:
            raise choice.cut("the answer of the model reached its limit")
        yield choice.inner("message")


def _held(at: RunValue) -> Iterator[RunValue]:
    """Yield the messages and items in a record."""
    value = at.value
    if value.get("lc") == 1 and isinstance(value.get("kwargs"), dict):  # as LangChain writes its objects
        yield at.inner("kwargs")
    elif isinstance(value.get("messages"), list):
        yield from at.inner("messages").items()
    elif isinstance(value.get("choices"), list):
        yield from _choices(at)
    elif value.get("object") == "response" or "output" in value:
        if value.get("status") in _LIMITS:
            raise at.cut("the response is incomplete")
        for key in ("input", "output"):
            yield from _under(at, key)
    else:
        yield from (at.inner(key) for key in value if isinstance(value[key], dict) and "messages" in value[key])
