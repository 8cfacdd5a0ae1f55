"""Tables in Markdown whose rows are steps."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wfgate.read.formats.markdown.words import plain

_DELIMITER = re.compile(r"\|?(?>[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?$")
_CELL_END = re.compile(r"(?<!\\)\|")
_NUMBER = re.compile(r"(?:step[ \t]*)?#?(\d{1,4}(?>(?:\.\d{1,4})*))[.):]?$", re.IGNORECASE)
_NUMBERS = frozenset({"", "#", "no", "nr", "num", "number", "id", "order", "seq", "sequence", "phase"})
"""Headers of numbers, beside those of names: in a column "Step" stand numbers or names."""
_NAMES = ("action", "step", "task", "activity", "instruction", "procedure", "what", "what to do", "operation")
"""Headers of the column that says what to do; of several, the first one counts."""
_ALSO_NAMES = ("description", "title", "name", "details")
"""Headers of that column beside a column of numbers."""
_STEPS_AT_LEAST = 2


@dataclass(frozen=True)
class TableRow:
    """A row that is a step: its number as written, what to do, and the other cells as `Header: cell`."""

    number: str
    text: str
    more: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        line: Line of its header.
        end: Its last line.
        rows: Its rows if they are steps; empty if they have no numbers, so that it may be a list of anything; None if
            it does not look like steps.
    """

    line: int
    end: int
    rows: tuple[TableRow, ...] | None = None


def table_at(lines: Sequence[str], line: int) -> Table | None:
    r"""Return the table that begins in a line (counted from 1); None if none does.

    Example:
        >>> table = table_at(["| # | Action | Who |", "|---|---|---|", "| 1 | Build | me |", "| 2 | Test | |"], 1)
        >>> [(row.number, row.text, row.more) for row in table.rows]
        [('1', 'Build', ('Who: me',)), ('2', 'Test', ())]
        >>> table_at(["| Key | Length |", "|---|---|", "| Root | 4096 |"], 1)
        Table(line=1, end=3, rows=None)
    """
    if line >= len(lines) or "|" not in lines[line - 1] or not _DELIMITER.match(lines[line].strip()):
        return None
    titles = _cells(lines[line - 1])
    end = line + 1
    while end < len(lines) and "|" in lines[end]:
        end += 1
    cells = [_cells(each) for each in lines[line + 1 : end]]
    if len(cells) < _STEPS_AT_LEAST or len(_cells(lines[line])) != len(titles):
        return Table(line, end)
    headers = [re.sub(r"[ \t]*[#.:]+$|s$", "", plain(title).strip("*_").lower()) or "#" for title in titles]
    number = next((at for at in range(len(titles)) if _is_numbers(headers[at], [_at(row, at) for row in cells])), None)
    known = _NAMES if number is None else (*_NAMES, *_ALSO_NAMES)
    name = next((headers.index(each) for each in known if each in headers and headers.index(each) != number), None)
    if name is None:
        return Table(line, end)
    rows = () if number is None else tuple(_rows(titles, cells, number, name))
    return Table(line, end, rows if all(row.text for row in rows) else ())


def _is_numbers(header: str, cells: Sequence[str]) -> bool:
    return header in _NUMBERS | {*_NAMES} and all(_NUMBER.match(cell) for cell in cells)


def _rows(titles: Sequence[str], cells: Sequence[Sequence[str]], number: int, name: int) -> Iterator[TableRow]:
    for row in cells:
        others = (at for at in range(len(row)) if at not in {number, name} and row[at])
        more = tuple(f"{plain(titles[at])}: {row[at]}" if at < len(titles) else row[at] for at in others)
        match = _NUMBER.match(_at(row, number))
        yield TableRow(match[1] if match else "", _at(row, name), more)


def _at(row: Sequence[str], at: int) -> str:
    return row[at] if at < len(row) else ""


def _cells(line: str) -> list[str]:
    bare = line.strip()
    bare = bare.removeprefix("|")
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return [cell.strip().replace("\\|", "|") for cell in _CELL_END.split(bare)]
