"""`wfgate list`, `wfgate explain` and `wfgate schema`: everything the registries know."""

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar

import typer

from wfgate.cli.options import DataFormat, OutputFormat, emit

T = TypeVar("T")


def _registries() -> dict[str, Mapping[str, Any]]:
    from wfgate.checks import ABSOLUTE, RELATIVE
    from wfgate.facts import FACTS
    from wfgate.formats import FORMATS
    from wfgate.matching.embedders import EMBEDDERS
    from wfgate.metrics import METRICS
    from wfgate.perturb import PERTURBATIONS
    from wfgate.report import REPORTERS

    return {
        "formats": FORMATS,
        "embedders": EMBEDDERS,
        "metrics": METRICS,
        "checks": {**ABSOLUTE, **RELATIVE},
        "facts": FACTS,
        "perturbations": PERTURBATIONS,
        "reporters": REPORTERS,
    }


def list_entries(
    kind: Annotated[
        str,
        typer.Argument(metavar="KIND", help="formats, embedders, metrics, checks, facts, perturbations or reporters."),
    ],
    output_format: OutputFormat = DataFormat.TEXT,
) -> None:
    """List what there is, one id a line with its one-sentence description."""
    from wfgate.registry import summary_of

    entries = {name: summary_of(entry) for name, entry in _chosen(_registries(), kind, "kind").items()}
    if output_format is DataFormat.JSON:
        emit(json.dumps([{"id": name, "summary": text} for name, text in entries.items()], indent=2), None)
        return
    width = max(len(name) for name in entries)
    emit("\n".join(f"{name:{width}}  {text}" for name, text in entries.items()), None)


def explain(
    name: Annotated[str, typer.Argument(metavar="ID", help="Id of a check, metric, perturbation, format, ...")],
) -> None:
    """Show the documentation of anything that has an id: what it is, why it matters, how to fix it."""
    from wfgate.errors import ConfigError

    entries = [(key, entry) for registry in _registries().values() for key, entry in registry.items()]
    found = [entry for key, entry in entries if key.casefold() == name.casefold()]
    if not found:
        raise ConfigError(f"nothing is called {name!r}", fix=_suggestion(name, [key for key, _ in entries]))
    emit("\n".join(_documentation(entry) for entry in found), None)


def schema(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="result, case, profile, config, workflow, facts.")
    ] = "result",
) -> None:
    """Print a JSON Schema."""
    from wfgate.calibration import Profile
    from wfgate.gating.config import Config
    from wfgate.model import Workflow
    from wfgate.report import case_schema, result_schema
    from wfgate.report.facts import facts_schema

    makers: dict[str, Callable[[], dict[str, Any]]] = {
        "result": result_schema,
        "case": case_schema,
        "profile": Profile.model_json_schema,
        "config": Config.model_json_schema,
        "workflow": Workflow.model_json_schema,
        "facts": facts_schema,
    }
    emit(json.dumps(_chosen(makers, name, "schema")(), indent=2), None)


def _chosen(choices: Mapping[str, T], name: str, kind: str) -> T:
    from wfgate.errors import ConfigError

    if name not in choices:
        raise ConfigError(f"unknown {kind} {name!r}", fix=f"use one of: {', '.join(choices)}")
    return choices[name]


def _suggestion(name: str, known: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name.casefold(), {key.casefold(): key for key in known}, n=3)
    if near:
        return f"did you mean {' or '.join(key for key in known if key.casefold() in near)}?"
    return f"known ids: {', '.join(known)}"


def _documentation(entry: Any) -> str:
    title = str(entry.id)
    if hasattr(entry, "defect"):  # a check
        title += f" {entry.defect}, {entry.severity}"
    if hasattr(entry, "answers"):  # a fact
        needs, takes = ", ".join(entry.needs) or "nothing", ", ".join(entry.takes) or "nothing"
        title += f" {entry.answers}, needs {needs}, takes {takes}, graded by {entry.metric}"
    documented = entry if isinstance(entry, type) else type(entry)
    said = entry.documentation if hasattr(entry, "documentation") else inspect.getdoc(documented)
    return f"{title}\n{'=' * len(title)}\n{said or ''}\n"
