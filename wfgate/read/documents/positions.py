"""Offsets in a text to line and column numbers."""

from bisect import bisect_right

from wfgate.model import SourceSpan


class Positions:
    r"""The line and column of every offset in one text. A line ends with a line feed.

    Cost: one linear scan to build; a lookup is logarithmic in the number of lines.

    Example:
        >>> Positions("ab\ncd").span(4)
        SourceSpan(line=2, column=2)
    """

    def __init__(self, text: str) -> None:
        self._starts = [0]
        end = text.find("\n")
        while end >= 0:
            self._starts.append(end + 1)
            end = text.find("\n", end + 1)

    def span(self, offset: int) -> SourceSpan:
        """Return the line and column of the character at `offset` (from 0)."""
        line = bisect_right(self._starts, offset)
        return SourceSpan(line=line, column=offset - self._starts[line - 1] + 1)
