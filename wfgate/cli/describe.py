"""`wfgate list`, `wfgate explain` and `wfgate schema`: everything the registries know."""

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from wfgate.cli.options import emit


def _registries() -> dict[str, Mapping[str, Any]]:
    from wfgate.checks import ABSOLUTE, RELATIVE
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
        "perturbations": PERTURBATIONS,
        "reporters": REPORTERS,
    }


def list_entries(
    kind: Annotated[str, typer.Argument(help="formats, embedders, metrics, checks, perturbations or reporters.")],
    output_format: Annotated[str, typer.Option("--format", "-f", help="text or json.")] = "text",
) -> None:
    """List what there is, one id a line with its one-sentence description."""
    from wfgate.errors import ConfigError
    from wfgate.registry import summary_of

    registries = _registries()
    if kind not in registries:
        raise ConfigError(f"unknown kind {kind!r}", fix=f"use one of: {', '.join(registries)}")
    if output_format not in {"text", "json"}:
        raise ConfigError(f"unknown format {output_format!r}", fix="use text or json")
    entries = {name: summary_of(entry) for name, entry in registries[kind].items()}
    if output_format == "json":
        emit(json.dumps([{"id": name, "summary": text} for name, text in entries.items()], indent=2), None)
        return
    width = max(len(name) for name in entries)
    emit("\n".join(f"{name:{width}}  {text}" for name, text in entries.items()), None)


def explain(
    name: Annotated[str, typer.Argument(metavar="ID", help="Id of a check, metric, perturbation, format, ...")],
) -> None:
    """Show the documentation of anything that has an id: what it is, why it matters, how to fix it."""
    from wfgate.errors import ConfigError

    wanted = name.casefold()
    found = [
        entry for registry in _registries().values() for key, entry in registry.items() if key.casefold() == wanted
    ]
    if not found:
        known = sorted(key for registry in _registries().values() for key in registry)
        raise ConfigError(f"nothing is called {name!r}", fix=f"known ids: {', '.join(known)}")
    for entry in found:
        documented = entry if isinstance(entry, type) else type(entry)
        severity = f", {entry.severity}" if hasattr(entry, "severity") and hasattr(entry, "defect") else ""
        title = f"{entry.id}{' ' + entry.defect if hasattr(entry, 'defect') else ''}{severity}"
        emit(f"{title}\n{'=' * len(title)}\n{inspect.getdoc(documented) or ''}\n", None)


def schema(
    name: Annotated[str, typer.Argument(help="result, profile, config or workflow.")] = "result",
) -> None:
    """Print a JSON Schema."""
    from wfgate.calibration import Profile
    from wfgate.errors import ConfigError
    from wfgate.gating.config import Config
    from wfgate.model import Workflow
    from wfgate.report import result_schema

    makers: dict[str, Callable[[], dict[str, Any]]] = {
        "result": result_schema,
        "profile": Profile.model_json_schema,
        "config": Config.model_json_schema,
        "workflow": Workflow.model_json_schema,
    }
    if name not in makers:
        raise ConfigError(f"there is no schema {name!r}", fix=f"use one of: {', '.join(makers)}")
    emit(json.dumps(makers[name](), indent=2), None)
