"""The reference of all commands with their options, and of all keys of wfgate.toml, for `docs.py`.

Commands are read from the application itself, as `--help` shows them; settings from the models that the configuration
is validated with, and their docstrings.
"""

import re
from collections.abc import Iterator
from typing import Any, get_args

import typer
from typer.core import TyperGroup

from wfgate.cli.app import app
from wfgate.cli.grouped_help import MODELS
from wfgate.decide import Policy
from wfgate.llm import Prices
from wfgate.run import Config, JudgeSettings

TABLES: dict[str, tuple[type[Any], str]] = {
    "": (Config, "Keys at the top of the file"),
    "policy": (Policy, "The rules of the gate; [Policy](policy.md) says which to change when"),
    "judge": (JudgeSettings, "A language model that grades"),
    'prices."MODEL"': (Prices, "What a language model costs, for the sum at the end of a run"),
}
"""The tables of the file, each with the model that validates it."""
FREE = {
    "checks": 'Level by check: `WR111 = "error"`; `error`, `warning`, `info` or `off`',
    "formats": 'Format by pattern of file names: `"runbooks/*.txt" = "markdown"`; the first match decides',
}
"""Tables with keys of the user's choice."""


def escaped(text: str) -> str:
    """Return a text as it stands in a cell of a table."""
    return " ".join(text.split()).replace("|", "&#124;").replace("<", "&lt;")


def commands() -> str:
    """Return a section for each group of commands, with a table of options for each command."""
    group = typer.main.get_command(app)
    if not isinstance(group, TyperGroup):
        raise TypeError("the application has no commands")
    root = typer.Context(group, info_name="wfgate")
    parts, heading = [], None
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if (panel := command.rich_help_panel or MODELS) != heading:
            heading = panel
            parts.append(f"## {heading}")
        parts.append(_command(name, command, typer.Context(command, info_name=name, parent=root)))
    return "\n\n".join(parts)


def _command(name: str, command: Any, context: Any) -> str:
    text, _, example = (command.help or "").partition("Example: ")
    usage = " ".join(command.get_usage(context).removeprefix("Usage: ").split())
    panels: dict[str, list[str]] = {"": []}
    for param in command.get_params(context):
        record = param.get_help_record(context)
        if record is not None and "--help" not in param.opts:
            option = " ".join(record[0].split()).replace("|", "/")
            panels.setdefault(_panel(param), []).append(f"| `{option}` | {escaped(record[1])} |")
    rows = ["| option | what |", "| --- | --- |"]
    for panel, lines in panels.items():
        rows += [*([f"| *{panel}* | |"] if panel else []), *lines]
    table = "\n".join(rows) if len(rows) > 2 else ""
    block = f"```text\n{usage}\n{' '.join(example.split())}\n```"
    return "\n\n".join(filter(None, (f"### {name}", text.strip(), block, table)))


def _panel(param: Any) -> str:
    found = getattr(param, "rich_help_panel", None)
    return found if isinstance(found, str) else ""


def settings() -> str:
    """Return a table for each table of wfgate.toml: key, type, default, and what it means."""
    parts = []
    for table, (model, about) in TABLES.items():
        parts.append(f"## {f'[{table}]' if table else 'Top level'}\n\n{about}.")
        rows = ["| key | values | default | what |", "| --- | --- | --- | --- |"]
        rows += [f"| `{key}` | {kind} | {default} | {escaped(what)} |" for key, kind, default, what in _keys(model)]
        parts.append("\n".join(rows))
    parts += [f"## [{table}]\n\n{about}." for table, about in FREE.items()]
    return "\n\n".join(parts)


def _keys(model: type[Any]) -> Iterator[tuple[str, str, str, str]]:
    text = (model.__doc__ or "").partition("Attributes:\n")[2].partition("\n\n")[0]
    described = dict(block.split(": ", 1) for block in re.split(r"(?m)^        (?=\w+: )", text)[1:])
    for key, field in model.model_fields.items():
        if key in {*FREE, *TABLES, "prices"}:
            continue  # a table of its own
        default = field.get_default(call_default_factory=True) if not field.is_required() else None
        shown = "needed" if field.is_required() else "" if default is None else f"`{_toml(default)}`"
        words = " ".join(described[key].split()).replace("`load_config` looks", "wfgate looks")
        words = re.sub(r"; None (uses|requires)\b", r"; without it, wfgate \1", words)
        yield key, _kind(field.annotation), shown, re.sub(r"\bNone (uses|requires)\b", r"Without it, wfgate \1", words)


def _toml(value: object) -> str:
    """Return a default as it would be written in the file.

    Example:
        >>> _toml(("a", "b")), _toml(True), _toml(0.05)
        ('["a", "b"]', 'true', '0.05')
    """
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(one) for one in value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def _kind(annotation: Any) -> str:
    """Return the type of a key in words, or its values if there are few."""
    choices = [one for one in get_args(annotation) if isinstance(one, str)]
    if choices:
        return ", ".join(f'`"{one}"`' for one in choices)
    text = str(annotation)
    if "tuple" in text:
        return "tables" if "dict" in text else "texts"
    for name, word in (("bool", "`true`, `false`"), ("float", "number"), ("int", "whole number"), ("Path", "path")):
        if name in text:
            return word
    return "text"
