"""`wfgate list`, `wfgate explain` and `wfgate schema`: the entries of the registries, and the JSON Schemas."""

import itertools
import json
import pkgutil
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from wfgate.cli import completion
from wfgate.cli.options import DataFormat, OutputFormat
from wfgate.cli.output import columns, emit, note, use_color
from wfgate.registries import KINDS, broken, explained, registries, similar, unknown_id

T = TypeVar("T")


MOST_CASES = 12
"""Cases of a result that an error lists."""
_SCHEMAS = {
    "result": "wfgate.show:result_schema",
    "case": "wfgate.show:case_schema",
    "run": "wfgate.history.reports.history:run_schema",
    "profile": "wfgate.decide:Profile.model_json_schema",
    "config": "wfgate.run.config:Config.model_json_schema",
    "rules": "wfgate.rules:RulesFile.model_json_schema",
    "native": "wfgate.read.formats.native_shapes:native_schema",
    "workflow": "wfgate.model:Workflow.model_json_schema",
    "facts": "wfgate.catalogue.reports.facts:facts_schema",
    "acceptances": "wfgate.approvals.forge.acceptances:Acceptances.model_json_schema",
    "exam": "wfgate.catalogue.reports.exam:exam_schema",
    "exam-certificate": "wfgate.catalogue.reports.exam:certificate_schema",
}
"""The function that builds each schema. It is imported when it is needed."""


def _warn_of_broken(kind: str) -> None:
    """Print a warning for each entry of another package that cannot be loaded."""
    for problem in broken(kind):
        note(f"warning: {problem}")


def list_entries(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="formats, embedders, meaning-models, metrics, checks, facts, perturbations, reporters.",
            autocompletion=completion.words(dict.fromkeys(KINDS, "")),
        ),
    ],
    output_format: OutputFormat = DataFormat.TEXT,
) -> None:
    """List the entries of a registry: one id per line with a one-sentence description.

    Example: wfgate list checks
    """
    from wfgate.base import summary_of

    _chosen(KINDS, kind, "kind")
    _warn_of_broken(kind)
    listed = registries(kind)
    rows = {name: (said, "") for registry in listed for name, said in registry.summaries.items()}
    added = (one for registry in listed for one in registry.extensions.usable().items())
    rows |= {name: (summary_of(entry), entry.package) for name, entry in added}
    if output_format is DataFormat.JSON:
        records = [
            {"id": name, "summary": summary} | ({"package": package} if package else {})
            for name, (summary, package) in rows.items()
        ]
        emit(json.dumps(records, indent=2), None)
        return
    width = max(len(name) for name in rows)
    lines = (
        f"{name:{width}}  {summary}{f' ({package})' if package else ''}" for name, (summary, package) in rows.items()
    )
    emit("\n".join(_folded(line, width + 2) for line in lines), None)


def _folded(line: str, indent: int) -> str:
    """Return a line, wrapped to the width of the terminal if standard output is a terminal."""
    if not sys.stdout.isatty():
        return line
    return textwrap.fill(line, columns(), subsequent_indent=" " * indent, break_on_hyphens=False)


def _reflowed(text: str, width: int) -> str:
    r"""Return a text whose paragraphs are wrapped to a width; examples and tables are left as they are.

    A paragraph has a line that is too long, and all its lines have the same indent.

    Example:
        >>> print(_reflowed("What it does:\n    Reports steps that\n    are missing.\n\n    a  b", 20))
        What it does:
            Reports steps
            that are
            missing.
        <BLANKLINE>
            a  b
    """
    shown = []
    for _, group in itertools.groupby(text.split("\n"), key=_shape):
        lines = list(group)
        indent = " " * (len(lines[0]) - len(lines[0].lstrip()))
        words = [line.strip() for line in lines]
        prose = not any("  " in line or line.startswith((">", "-", "|", "=", "{")) for line in words)
        if prose and max(map(len, lines)) > width:
            lines = textwrap.wrap(
                " ".join(words),
                width,
                initial_indent=indent,
                subsequent_indent=indent,
                break_on_hyphens=False,
                break_long_words=False,
            )
        shown += lines
    return "\n".join(shown)


def _shape(line: str) -> tuple[int, bool, bool]:
    """Return the indent of a line, whether it is empty, and whether it underlines a title."""
    return len(line) - len(line.lstrip()), not line, line.startswith("=")


def explain(
    name: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="Id of a check, metric, perturbation, format, ..., or of a rule of your own; with --result a case.",
            autocompletion=completion.ids(*(place for places in KINDS.values() for place in places)),
        ),
    ],
    result: Annotated[
        Path | None,
        typer.Option("--result", metavar="FILE", help="Explain this case of a JSON result (gate --format json)."),
    ] = None,
) -> None:
    """Show the documentation of a check, metric, format, ...: what it does, why it matters, how to fix it.

    An id that is none of these is looked for among the rules of your own: in wfgate.toml, and beside goldens below
    this folder. With --result, show everything about one case of a recorded result: verdict, reasons, evidence,
    severity, what to do, and what the rules mean; or what the result says about a rule of your own.

    Example: wfgate explain deploy --result result.json
    """
    if result is not None:
        emit(_case(name, result), None)
        return
    for kind in KINDS:
        _warn_of_broken(kind)
    text = explained(name) or _own_rules(name)
    emit(_reflowed(text, columns()) if sys.stdout.isatty() else text, None)


def _own_rules(name: str) -> str:
    """Return the own rules of an id; files of rules that cannot be read are named, because it may be there."""
    from wfgate.run import load_config, rules_below
    from wfgate.show import rule_page

    rules, problems = rules_below(Path(), load_config(None, Path()))
    for problem in problems:
        note(f"warning: {problem}")
    if pages := [rule_page(one) for one in rules if one.rule.id == name]:
        return "\n".join(pages)
    raise unknown_id(name, (one.rule.id for one in rules))


def _case(name: str, path: Path) -> str:
    from wfgate.errors import ConfigError
    from wfgate.history import read_result
    from wfgate.show import case_names, explained_text, rule_text

    result = read_result(path)
    known = case_names(result)
    if name not in known and (text := rule_text(name, result)):
        return text
    if name not in known:
        raise ConfigError(f"{path}: no case {name!r}", fix=_suggestion(name, known, "cases", MOST_CASES))
    return explained_text(name, result, width=columns(), color=use_color())


def schema(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="result, case, run, profile, config, rules, native, workflow, facts, acceptances, exam or "
            "exam-certificate.",
            autocompletion=completion.words(dict.fromkeys(_SCHEMAS, "")),
        ),
    ] = "result",
) -> None:
    """Print a JSON Schema.

    Example: wfgate schema result
    """
    maker = pkgutil.resolve_name(_chosen(_SCHEMAS, name, "schema"))
    emit(json.dumps(maker(), indent=2), None)


def _chosen(choices: Mapping[str, T], name: str, kind: str) -> T:
    from wfgate.errors import ConfigError

    if name not in choices:
        raise ConfigError(f"unknown {kind} {name!r}", fix=f"use one of: {', '.join(choices)}")
    return choices[name]


def _suggestion(name: str, known: list[str], plural: str, shown: int) -> str:
    near = similar(name, known)
    if near:
        return f"did you mean {' or '.join(near)}?"
    more = f" and {len(known) - shown} more" if len(known) > shown else ""
    return f"known {plural}: {', '.join(known[:shown])}{more}"
