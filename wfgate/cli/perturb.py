"""`wfgate perturb`."""

from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli import completion
from wfgate.cli.options import FormatName, OutputFile, read_input
from wfgate.cli.output import emit, make_folder, note, note_refused


def perturb(
    source: Annotated[
        Path, typer.Argument(metavar="GOLDEN", help="Workflow file; with --all also a folder or a JSON Lines corpus.")
    ],
    operator: Annotated[
        str | None,
        typer.Option(
            "--operator",
            metavar="ID",
            help="Id of the perturbation; see `wfgate list perturbations`.",
            autocompletion=completion.ids("wfgate.calibration:PERTURBATIONS"),
        ),
    ] = None,
    severity: Annotated[
        float, typer.Option("--severity", metavar="SHARE", min=0.0, max=1.0, help="Share of steps to affect.")
    ] = 0.1,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of all random choices.")] = 0,
    reworded: Annotated[bool, typer.Option("--reworded", help="Reword every step first; needs --texts.")] = False,
    texts: Annotated[
        Path | None,
        typer.Option("--texts", metavar="FILE", help="JSON file with recorded texts: rewordings, merges, drifts, ..."),
    ] = None,
    random_steps: Annotated[
        bool,
        typer.Option(
            "--random-steps",
            help="Draw removed steps at random (as WorkflowPerturb does), not from recorded omissions.",
        ),
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Apply every operator at 10, 30 and 50 %; needs --export.")
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            metavar="FOLDER",
            help="Folder for the benchmark of --all: goldens, variants, labels, a suite, a sample to inspect.",
        ),
    ] = None,
    least: Annotated[
        int,
        typer.Option("--min-steps", metavar="N", min=1, help="With --all: leave out goldens with fewer steps."),
    ] = 1,
    inspect: Annotated[
        int, typer.Option("--inspect", metavar="N", min=0, help="With --all: size of the sample to inspect by hand.")
    ] = 30,
    target: Annotated[
        str, typer.Option("--to", metavar="ID", help="Format to write.", autocompletion=completion.WRITTEN_FORMATS)
    ] = "native",
    format_id: FormatName = None,
    output: OutputFile = None,
) -> None:
    """Make a variant of a golden: steps are removed, merged, split, reordered, rewired, added or reworded.

    With --all --export, make the perturbed benchmark of a corpus, with labels, severities and scores.

    Example: wfgate perturb deploy.yaml --operator missing --severity 0.3
    """
    import numpy as np

    from wfgate.calibration import PERTURBATIONS, Golden, StepTexts, perturb_reworded, read_texts, with_random_steps
    from wfgate.errors import ConfigError, PerturbationRejected
    from wfgate.model import expand
    from wfgate.read import write

    if everything or export is not None:
        if not everything or export is None or operator is not None:
            raise ConfigError("--all needs --export, and no --operator", fix="give --all --export FOLDER")
        _export(source, texts, export, seed=seed, random_steps=random_steps, least=least, inspect=inspect)
        return
    if operator is None:
        raise ConfigError("no operator was given", fix="give --operator ID, or --all --export FOLDER")
    perturbation = PERTURBATIONS.find(operator)
    workflow = expand(read_input(source, format_id).workflow)
    recorded = read_texts(texts, len(workflow.tasks)) if texts else StepTexts()
    golden = Golden(source.stem, workflow, recorded)
    golden = with_random_steps(golden) if random_steps else golden
    rng = np.random.default_rng(seed)
    try:
        if reworded:
            variant = perturb_reworded(perturbation, golden, severity, rng)
        else:
            variant = perturbation.perturb(golden, severity, rng)
    except PerturbationRejected as reason:
        fix = "give --texts with recorded texts for this perturbation, another --severity or another --seed"
        raise ConfigError(f"{source}: {operator} is not possible: {reason.message}", fix=fix) from None
    emit(write(variant.workflow, target), output)


def _export(
    source: Path, texts: Path | None, folder: Path, *, seed: int, random_steps: bool, least: int, inspect: int
) -> None:
    """Write the perturbed benchmark of a corpus to a folder."""
    from collections import Counter

    import numpy as np

    from wfgate.calibration import (
        Rejection,
        benchmark,
        inspection,
        inspection_markdown,
        label_lines,
        read_corpus,
        suite_lines,
        with_random_steps,
    )
    from wfgate.errors import ConfigError
    from wfgate.read import write
    from wfgate.show import count

    if texts is not None:
        raise ConfigError(
            "--texts is for one golden", fix="give a corpus: a folder with goldens.jsonl and variants.jsonl"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"{folder}: the folder is not empty", fix="give another --export")
    corpus = read_corpus([source])
    note_refused(corpus.refused)
    goldens = [golden for golden in corpus.goldens if golden.n >= least]
    if not goldens:
        raise ConfigError(f"{source}: no golden has {count(least, 'step')} or more", fix="give another --min-steps")
    if random_steps:
        goldens = [with_random_steps(golden) for golden in goldens]
    tried = [*benchmark(goldens, seed=seed)]
    variants = [each for each in tried if not isinstance(each, Rejection)]
    golden_files = _file_names("goldens", [golden.id for golden in goldens])
    variant_files = _file_names("variants", [each.label.id for each in variants])
    labels = [each.label for each in variants]
    chosen = inspection(variants, inspect, np.random.default_rng(seed))
    contents = {golden_files[golden.id]: write(golden.workflow, "native") for golden in goldens}
    contents |= {variant_files[each.label.id]: write(each.workflow, "native") for each in variants}
    contents["labels.jsonl"] = label_lines(labels)
    contents["suite.jsonl"] = suite_lines(labels, golden_files, variant_files)
    contents["rejected.jsonl"] = "".join(
        f"{each.model_dump_json()}\n" for each in tried if isinstance(each, Rejection)
    )
    contents["inspect.md"] = inspection_markdown(chosen)
    for name, content in contents.items():
        make_folder(folder / name)
        emit(content, folder / name)
    left = len(corpus.goldens) - len(goldens)
    if left:
        note(f"{count(left, 'golden')} left out, with fewer than {count(least, 'step')}")
    by_label = Counter(label.label for label in labels)
    emit(
        f"{count(len(goldens), 'golden')}, {count(len(labels), 'variant')}: {by_label['benign']} benign,"
        f" {by_label['degraded']} degraded; {len(tried) - len(labels)} rejected\n"
        f"Next: inspect {folder / 'inspect.md'}, then wfgate gate --pairs {folder / 'suite.jsonl'}",
        None,
    )


def _file_names(folder: str, ids: list[str]) -> dict[str, str]:
    """Return a path in the folder for each id: its letters, digits, `-` and `_`, and a number if two are the same."""
    import re

    taken: dict[str, int] = {}
    names = {}
    for name in ids:
        plain = re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:120]
        taken[plain] = taken.get(plain, 0) + 1
        names[name] = f"{folder}/{plain}{f'.{taken[plain]}' if taken[plain] > 1 else ''}.yaml"
    return names
