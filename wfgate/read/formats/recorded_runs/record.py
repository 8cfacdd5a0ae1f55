"""The records of a run, each with its place in the file, and the calls that are found in them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel

from wfgate.errors import FormatError
from wfgate.model import SourceSpan
from wfgate.read.documents.document import Document, Key, Path
from wfgate.read.documents.json_text import parse_value
from wfgate.read.formats.typed import read_shape

_Model = TypeVar("_Model", bound=BaseModel)
RECORD_AGAIN = "record the whole run again"


class RunValue(NamedTuple):
    """A value of a run and where it is."""

    document: Document
    path: Path
    value: Any

    def inner(self, key: Key) -> "RunValue":
        """Return the value under a key."""
        return RunValue(self.document, (*self.path, key), self.value[key])

    def items(self) -> Iterator["RunValue"]:
        """Yield the items of a list; nothing for another value."""
        if isinstance(self.value, list):
            yield from (self.inner(at) for at in range(len(self.value)))

    def shape(self, model: type[_Model], what: str) -> _Model:
        """Return the model of the value.

        Raises:
            FormatError: If the value does not have this form.
        """
        return read_shape(model, self.value, self.document, self.path, what)

    @property
    def span(self) -> SourceSpan | None:
        """The position of the value."""
        return self.document.span(*self.path)

    def error(self, message: str, fix: str) -> FormatError:
        """Return an error about the value."""
        return self.document.error(message, *self.path, fix=fix)

    def cut(self, why: str) -> FormatError:
        """Return the error that the run is cut off here."""
        return self.error(f"the run is cut off: {why}", RECORD_AGAIN)


@dataclass(eq=False)
class RunCall:
    """A call of a tool, whichever source recorded it.

    Attributes:
        tool: The name of the tool, or of an agent.
        arguments: The arguments as recorded.
        at: Where it is in the file.
        turn: Calls of one turn are parallel, and follow those of lower turns.
        ended: Whether there is a result.
        failed: Whether the result is an error.
        inner: The calls inside this call.
    """

    tool: str
    arguments: Any
    at: RunValue
    turn: int
    ended: bool = False
    failed: bool = False
    inner: "list[RunCall]" = field(default_factory=list)


class Transcript:
    """Collects the calls of messages and their results, which name the calls by id."""

    def __init__(self) -> None:
        self.calls: list[RunCall] = []
        self._by_id: dict[str, RunCall] = {}

    def call(self, own: str, call: RunCall, parent: str | None = None) -> None:
        """Add a call, maybe inside another one. Streamed states repeat earlier calls; these are left out.

        Raises:
            FormatError: If the call around it is missing, or two calls have one id.
        """
        if not own:
            raise call.at.error(f"the call of {call.tool[:80]!r} has no id", "record the ids of calls and results")
        known = self._by_id.get(own)
        if known is not None:
            if (known.tool, known.arguments) != (call.tool, call.arguments):
                raise call.at.error("two calls have the same id", "give each call an id of its own")
            return
        around = None if parent is None else self._by_id.get(parent)
        if parent is not None and around is None:
            raise call.at.cut("the call around this one is missing")
        self._by_id[own] = call
        (self.calls if around is None else around.inner).append(call)

    def result(self, own: str, at: RunValue, *, failed: bool) -> None:
        """Add the result of a call.

        Raises:
            FormatError: If the call is missing.
        """
        if own not in self._by_id:
            raise at.cut("the call of this result is missing")
        call = self._by_id[own]
        call.ended, call.failed = True, failed

    def unended(self, parent: str | None) -> list[str]:
        """Return the ids of the calls without a result, of those directly inside a call."""
        here = self.calls if parent is None else self._by_id[parent].inner
        inside = {id(call) for call in here if not call.ended}
        return [own for own, call in self._by_id.items() if id(call) in inside] if inside else []

    def ended(self) -> list[RunCall]:
        """Return the calls.

        Raises:
            FormatError: If a call has no result.
        """
        unended = next((call for call in self._by_id.values() if not call.ended), None)
        if unended is not None:
            raise unended.at.cut(f"the call of {unended.tool[:80]!r} has no result")
        return self.calls


def records(document: Document) -> list[RunValue]:
    """Return the records of a file: the items of a list, the lines of JSON Lines, or the only record.

    Raises:
        FormatError: If a line is not JSON; the file, line and column are those of the error.
    """
    if document.data is not None:
        whole = RunValue(document, (), document.data)
        return list(whole.items()) if isinstance(document.data, list) else [whole]
    if document.kind != "json":
        document.mapping()  # raises why there is no data
    found: list[RunValue] = []
    lines = document.text.split("\n")
    last = max((number for number, line in enumerate(lines) if line.strip()), default=0)
    for number, line in enumerate(lines):
        if line.strip():
            above = number + document.lines_above
            try:
                value = parse_value(line, document.name)
            except FormatError as error:
                cut = "in its last line the run is cut off, or it is not JSON: " * (number == last)
                raise FormatError(
                    f"{cut}{error.message}",
                    path=document.name,
                    line=above + 1,
                    column=error.column,
                    fix=RECORD_AGAIN if cut else f"{error.fix}; JSON Lines have one value in each line",
                ) from None
            spans: dict[Path, SourceSpan] = {(): SourceSpan(line=above + 1, column=1)}
            found.append(RunValue(Document(document.name, kind="json", data=value, spans=spans), (), value))
    return found


def is_failure(content: Any) -> bool:
    """Return whether the result of a call says that the call failed.

    Example:
        >>> [is_failure(each) for each in ("Error: no such file", '{"error": "timeout"}', "3 errors fixed", None)]
        [True, True, False, False]
    """
    if isinstance(content, list):  # the parts of a text
        texts = [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
        content = "".join(texts)
    if isinstance(content, str):
        start = content.lstrip()[:20].casefold()
        if not start.startswith("{"):
            return start.startswith(("error", "traceback"))
        try:
            content = parse_value(content, "result")
        except FormatError:
            return False
    if not isinstance(content, dict):
        return False
    return (
        bool(content.get("error"))
        or True in (content.get("is_error"), content.get("isError"))
        or content.get("status") in ("error", "failed")
    )
