"""Help in groups: commands by what they are for, and the options of a command with many of them.

The group of a command or an option is its `rich_help_panel`. Typer shows these panels only in its help made by rich;
the plain help here has the same groups as headings, fits 80 columns and imports nothing.
"""

import importlib
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import Any, ClassVar, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

GATE = "Gate"
ACCEPT = "Accept"
UNDERSTAND = "Understand"
CALIBRATE = "Calibrate"
MODELS = "Models"

RULES = "Rules"
REPORTS = "Reports"
SCORING = "Scoring"
RUN = "Run"

FEW = 12
"""Up to this many options of a command are one list."""


WIDEST = 30
"""Greatest width of the first column; the description of a longer name starts on the next line."""


class GroupedCommand(TyperCommand):
    """A command whose help lists its options under headings if there are more than `FEW`."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options without a panel, then each panel in the order of first use."""
        arguments, options = [], []
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None:
                continue
            if param.param_type_name == "argument":
                arguments.append((None, record))
            else:
                options.append((getattr(param, "rich_help_panel", None), record))
        _write_groups(formatter, arguments, "Arguments")
        if len(options) <= FEW:
            options = [(None, record) for _, record in options]
        _write_groups(formatter, options, "Options")


class Listed(NamedTuple):
    """A command as the help of the program lists it.

    Attributes:
        panel: The heading above it.
        short_help: One sentence that says what the command does.
        function: Its function, as `module:name`.
    """

    panel: str
    short_help: str
    function: str


class _Commands(MutableMapping[str, Any]):
    """Commands by name; each is imported and made when it is first read, so that `--help` makes none of them."""

    def __init__(self, listed: Mapping[str, Listed], made: Mapping[str, Any]) -> None:
        self._listed = listed
        self._made = dict(made)

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            panel, short_help, function = self._listed[name]
            module, _, attribute = function.partition(":")
            alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
            register = alone.command(name, short_help=short_help, rich_help_panel=panel, cls=GroupedCommand)
            register(getattr(importlib.import_module(module), attribute))
            self._made[name] = typer.main.get_command(alone)
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._listed, *self._made)))

    def __len__(self) -> int:
        return len({*self._listed, *self._made})

    def __contains__(self, name: object) -> bool:
        return name in self._listed or name in self._made


class GroupedCommands(TyperGroup):
    """The commands of a program, listed under headings."""

    listed: ClassVar[Mapping[str, Listed]] = {}

    def __init__(self, *, commands: Mapping[str, Any] | None = None, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Commands(self.listed, commands or {})

    @classmethod
    def of(cls, listed: Mapping[str, Listed]) -> "type[GroupedCommands]":
        """Return the class for a program with these commands by name."""
        return type(cls.__name__, (cls,), {"listed": listed})

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each panel of commands in the order of first use; descriptions are not cut."""
        del ctx
        rows = ((command.panel, (name, command.short_help)) for name, command in self.listed.items())
        _write_groups(formatter, rows, "Commands")


def _write_groups(formatter: Any, rows: Iterable[tuple[Any, tuple[str, str]]], rest: str) -> None:
    """Write each group as a section; all have the same first column. `rest` is the heading of rows without a group."""
    groups: dict[str, list[tuple[str, str]]] = {rest: []}
    for panel, row in rows:
        groups.setdefault(panel if isinstance(panel, str) else rest, []).append(row)
    longest = max((len(name) for group in groups.values() for name, _ in group), default=0)
    width = min(longest, WIDEST)
    for title, group in groups.items():
        if group:
            with formatter.section(title):
                formatter.write_dl(col_max=WIDEST, rows=[(name.ljust(width), text) for name, text in group])
