"""Help in groups: commands by what they are for, and the options of a command with many of them.

The group of a command or an option is its `rich_help_panel`. Typer shows these panels only in its help made by rich;
the plain help here has the same groups as headings, fits 80 columns and imports nothing.
"""

from collections.abc import Iterable
from typing import Any

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


class GroupedCommands(TyperGroup):
    """The commands of a program, listed under headings."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands without a panel, then each panel in the order of first use; descriptions are not cut."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        shown = [
            (getattr(command, "rich_help_panel", None), (name, command.get_short_help_str(limit=200)))
            for name, command in found
            if command is not None and not command.hidden
        ]
        _write_groups(formatter, shown, "Commands")


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
