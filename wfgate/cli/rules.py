"""`wfgate rules`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli.options import (
    ConfigFile,
    DataFormat,
    EmbedderName,
    FormatName,
    MeaningModelName,
    OutputFile,
    OutputFormat,
    assessor_of,
    read_given,
    reference_of,
    settings,
)
from wfgate.cli.output import emit, note


def rules(
    goldens: Annotated[
        list[Path] | None,
        typer.Argument(metavar="GOLDEN", help="Approved workflows, or folders of them; by default the reference."),
    ] = None,
    candidate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Show what the rules match in this candidate, too.")
    ] = None,
    output_format: OutputFormat = DataFormat.TEXT,
    output: OutputFile = None,
    format_id: FormatName = None,
    embedder: EmbedderName = None,
    meaning_model: MeaningModelName = None,
    config: ConfigFile = None,
) -> None:
    """Show the rules of your own, and which steps each of them matches today.

    Rules stand in [[rules]] of wfgate.toml, and beside a golden (deploy.rules.toml). A step is matched by the same
    words, pattern, id, tool or value, or by meaning, with its p-value. Exit codes: 0 shown, 2 a rule that is invalid,
    names no step of the golden, or is broken by the golden, 3 unreadable file.

    Example: wfgate rules approved/deploy.yaml --candidate generated/deploy.yaml
    """
    from wfgate.errors import ConfigError
    from wfgate.read import key_of, workflow_files, workflow_name
    from wfgate.rules import require_kept
    from wfgate.run import rules_on_disk, subjects_of
    from wfgate.show import rules_record, rules_text

    loaded = settings(config, embedder, meaning_model, format_id=format_id)
    given = goldens or [reference_of(None, loaded)]
    files = {
        path: workflow_name(key_of(path, each))
        for each in given
        for path in (workflow_files(each, loaded.formats) if each.is_dir() else [each])
    }
    if candidate is not None and len(files) != 1:
        raise ConfigError(f"--candidate belongs to one golden, not {len(files)}", fix="give one golden file")
    assessor = assessor_of(loaded)
    records, kept = [], []
    for path, name in files.items():
        reading = read_given(path, loaded.formats)
        tested = [] if candidate is None else [read_given(candidate, loaded.formats, like=reading).workflow]
        known, subjects = rules_on_disk(path, name, loaded), subjects_of(reading.workflow, tested, assessor)
        records.append(rules_record(str(path), known, dict(zip(("golden", "candidate"), subjects, strict=False))))
        kept.append((known, subjects[0]))
    text = rules_text(records) if output_format is DataFormat.TEXT else json.dumps(_data(records), indent=2)
    emit(text, output)
    if not goldens:
        applied = {rule["id"] for record in records for rule in record["rules"]}
        for one in loaded.rules:
            if one["id"] not in applied:
                note(f"warning: `cases` of the rule {one['id']} names no golden: {one.get('cases')}")
    for known, golden in kept:
        require_kept(known, golden)


def _data(records: list[dict[str, object]]) -> dict[str, object]:
    return {"schema": "wfgate.rules/1", "goldens": records}
