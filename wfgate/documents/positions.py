"""Offsets in a text to lines and columns."""

from bisect import bisect_right

from wfgate.model import SourceSpan


class Positions:
    r"""Line and column of every offset of one text; a line ends with a line feed.

    Cost: one linear scan when built, logarithmic in the number of lines per lookup.

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
        """Return line and column of the character at `offset` (0-based)."""
        line = bisect_right(self._starts, offset)
        return SourceSpan(line=line, column=offset - self._starts[line - 1] + 1)
