"""Calibration corpora: golden workflows and their recorded texts (rewordings and other texts for variants)."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from wfgate.documents import check_plain
from wfgate.documents.folders import files_below
from wfgate.documents.json_lines import records
from wfgate.errors import CalibrationError, FormatError, printable
from wfgate.formats import Formats, format_of, read_data, read_file
from wfgate.formats.choice import DETECTED, is_listed
from wfgate.model import Workflow, expand
from wfgate.perturb import DriftText, ExtraText, Golden, MergeText, StepTexts, VagueText

FOREIGN_STEPS = 12
"""Maximum number of steps of other workflows that can be added to a golden."""
_TEXT_KEYS = ("rewordings", "paraphrase_a", "paraphrase_b", "merges", "drifts", "extras", "vague", "omissions")
_LABELS = {"accept": True, "minor": True, "reject": False}
"""Labels of workflows written anew, and whether they are accepted."""
_ANEW_KEYS = {"id", "golden", "brief", "label", "labels", "why", "support", "second_support"}
_WHOLE_KEYS = ("paraphrase_a", "paraphrase_b")
_WORKFLOW_KEYS = ("workflow", "wfgate", "task_nodes", "nodes", "tasks", "edges", "plans")


@dataclass(frozen=True)
class Corpus:
    """A calibration corpus.

    Attributes:
        goldens: Usable goldens, sorted by id.
        refused: Records that cannot be used as goldens, each with the reason, for reports.
        names: Name of the corpus of each golden, by id of the golden. The name is that of the given folder or file.
    """

    goldens: tuple[Golden, ...]
    refused: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """Hash of all goldens and their texts."""
        digest = hashlib.sha256()
        for golden in self.goldens:
            digest.update(content_key(golden).encode())
        return digest.hexdigest()

    def where(self, test: Callable[[Golden], bool]) -> "Corpus":
        """Return the corpus with only the goldens for which `test` is true."""
        return replace(self, goldens=tuple(filter(test, self.goldens)))

    def sample(self, size: int) -> "Corpus":
        """Return a corpus of at most `size` goldens.

        Goldens with recorded rewordings are taken first. Among equals, the hash of the id decides.
        """
        ranked = sorted(self.goldens, key=lambda golden: (not golden.texts.rewordings, _hash(golden.id)))
        return replace(self, goldens=tuple(sorted(ranked[:size], key=lambda golden: golden.id)))


def content_key(golden: Golden) -> str:
    """Return a hash of all data of a golden that its variants depend on."""
    unused = None if golden.texts.omissions else {"omissions"}  # keeps the keys of older score tables valid
    texts = golden.texts.model_dump_json(exclude=unused)
    parts = [golden.id, golden.workflow.content_hash(), texts, *golden.foreign]
    for side in (golden.accepted, golden.refused):
        parts += ["written anew", *(workflow.content_hash() for workflow in side)] if side else []
    return _hash("\0".join(parts))


def read_corpus(paths: Sequence[Path], formats: Formats = DETECTED) -> Corpus:
    """Read corpora.

    Each path is a JSON Lines file, a workflow file, or a folder of both. A JSON Lines record has an `id` and a
    workflow in any JSON form, recorded texts, or both. Workflows and texts with the same id are joined across all
    files, for example `goldens.jsonl` and `variants.jsonl`; lists of texts are concatenated. Step numbers in texts
    start at 1.

    Files whose names match a pattern of `formats` are read in that format, whatever their suffix.

    Raises:
        CalibrationError: If a path does not exist, a line is not a JSON object, or there is no usable golden.
    """
    workflows: dict[str, Workflow] = {}
    anew: defaultdict[str, list[tuple[bool, Workflow]]] = defaultdict(list)
    texts: dict[str, dict[str, Any]] = {}
    refused: list[str] = []
    names: dict[str, str] = {}
    for given, path in ((source, file) for source in paths for file in _files(source, formats)):
        if path.suffix != ".jsonl":
            _keep(workflows, refused, path.stem, path, format_id=format_of(path, formats))
            names.setdefault(path.stem, given.stem)
            continue
        for number, record in records(path):
            where = f"{path}:{number}"
            name = printable(str(record.get("id", where)))
            if "golden" in record:
                _keep_anew(anew, refused, name, record, where)
                continue
            if any(key in record for key in _TEXT_KEYS):
                _join(texts.setdefault(name, {}), record)
            if any(key in record for key in _WORKFLOW_KEYS):
                _keep(workflows, refused, name, record, where)
                names.setdefault(name, given.stem)
    goldens = [
        replace(
            _golden(name, workflow, texts.get(name, {}), refused),
            accepted=tuple(written for accepted, written in anew[name] if accepted),
            refused=tuple(written for accepted, written in anew[name] if not accepted),
        )
        for name, workflow in sorted(workflows.items())
    ]
    if not goldens:
        raise CalibrationError(
            f"no golden workflow found in the corpus{f' ({refused[0]})' if refused else ''}",
            fix="give a JSON Lines file of workflows or a folder with workflows",
        )
    refused += [f"{name}: a workflow for a golden that is not in the corpus" for name in anew if name not in workflows]
    refused += [
        f"{name}: recorded texts for a workflow that is not in the corpus" for name in texts if name not in workflows
    ]
    return Corpus(_with_foreign_steps(goldens), tuple(refused), {golden.id: names[golden.id] for golden in goldens})


def read_texts(path: Path, n: int) -> StepTexts:
    """Read the recorded texts of one golden, which has n steps, from a JSON file.

    Raises:
        CalibrationError: If the file cannot be read, or its texts do not match the golden (wrong number of texts,
            unknown steps).
    """
    if path.exists() and not path.is_file():
        raise CalibrationError(f"{path}: not a regular file", fix="give the path of a JSON file")
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        texts = _step_texts(record)
    except (FormatError, OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        fix = "see calibration/README.md for the format"
        raise CalibrationError(f"{path}: recorded texts cannot be read: {error}", fix=fix) from None
    if not texts.fits(n):
        fix = "give one text per step; step numbers start at 1"
        raise CalibrationError(f"{path}: the recorded texts do not fit a workflow with {n} steps", fix=fix)
    return texts


def _files(path: Path, formats: Formats) -> list[Path]:
    if not path.exists():
        raise CalibrationError(f"{path}: the file or folder does not exist", fix="check the path of the corpus")
    if path.is_file():
        return [path]
    if not path.is_dir():  # a pipe or a device may never end
        fix = "give a JSON Lines file, a workflow file or a folder"
        raise CalibrationError(f"{path}: not a regular file", fix=fix)
    known = {".jsonl", ".yaml", ".yml", ".json"}
    return sorted(file for file in files_below(path) if file.suffix in known or is_listed(file, formats))


def _join(texts: dict[str, Any], record: dict[str, Any]) -> None:
    """Add the recorded texts of a record to the texts of its golden."""
    for key in _TEXT_KEYS:
        if key in record:
            old, new = texts.get(key), record[key]
            concatenate = key not in _WHOLE_KEYS and isinstance(old, list) and isinstance(new, list)
            texts[key] = [*old, *new] if concatenate and old is not None else new


def _keep(
    workflows: dict[str, Workflow],
    refused: list[str],
    name: str,
    source: Path | dict[str, Any],
    where: str = "",
    format_id: str | None = None,
) -> None:
    try:
        reading = read_file(source, format_id) if isinstance(source, Path) else read_data(_workflow_of(source), where)
    except FormatError as error:
        reason = str(error).splitlines()[0] if isinstance(source, Path) else error.message
        refused.append(f"{name}: {reason}")
        return
    if name in workflows:
        if workflows[name].content_hash() != expand(reading.workflow).content_hash():
            refused.append(f"{name}: another workflow with this id ({where or source})")
    elif not reading.workflow.tasks:
        refused.append(f"{name}: the workflow has no steps")
    else:
        workflows[name] = expand(reading.workflow)


def _keep_anew(
    anew: dict[str, list[tuple[bool, Workflow]]], refused: list[str], name: str, record: dict[str, Any], where: str
) -> None:
    """Add a workflow that was written anew for the golden that the record names."""
    label = record.get("label")
    if label not in _LABELS:
        refused.append(f"{name}: the label of a workflow written anew is one of {', '.join(_LABELS)}, not {label!r}")
        return
    try:
        reading = read_data({key: record[key] for key in record.keys() - _ANEW_KEYS}, where)
    except FormatError as error:
        refused.append(f"{name}: {error.message}")
        return
    anew[printable(str(record["golden"]))].append((_LABELS[label], expand(reading.workflow)))


def _workflow_of(record: dict[str, Any]) -> dict[str, Any]:
    """Return the workflow in a record: all keys that are not keys of the corpus format."""
    corpus_keys = {*_TEXT_KEYS, "regeneration", "bad_regeneration", "written"}
    if "wfgate" in record:  # the native format has no key `id` and refuses unknown keys
        corpus_keys.add("id")
    return {key: value for key, value in record.items() if key not in corpus_keys}


def _golden(name: str, workflow: Workflow, recorded: dict[str, Any], refused: list[str]) -> Golden:
    try:
        texts = _step_texts(recorded)
    except (FormatError, ValidationError, KeyError, TypeError, AttributeError) as error:
        refused.append(f"{name}: recorded texts cannot be read: {str(error).splitlines()[0]}")
        return Golden(name, workflow)
    if not texts.fits(len(workflow.tasks)):
        refused.append(f"{name}: recorded texts do not fit {len(workflow.tasks)} steps")
        return Golden(name, workflow)
    return Golden(name, workflow, texts)


def _step_texts(recorded: dict[str, Any]) -> StepTexts:
    check_plain(recorded, "texts")  # lone surrogates can be neither hashed nor written
    rewordings = [*recorded.get("rewordings", ())]
    rewordings += [recorded[key] for key in ("paraphrase_a", "paraphrase_b") if key in recorded]
    vague = recorded.get("vague") or []
    return StepTexts(
        rewordings=tuple(rewordings),
        merges=tuple(
            MergeText(steps=tuple(step - 1 for step in item["steps"]), text=item["text"])
            for item in recorded.get("merges", ())
        ),
        drifts=tuple(
            DriftText(step=item["step"] - 1, kind=item.get("kind", ""), text=item["text"])
            for item in recorded.get("drifts", ())
        ),
        extras=tuple(
            ExtraText(after=-1 if item["after"] == "START" else item["after"] - 1, text=item["text"])
            for item in recorded.get("extras", ())
        ),
        vague=tuple(
            VagueText(step=item["step"] - 1, text=item["text"])
            for item in (vague if isinstance(vague, list) else [vague])
        ),
        omissions=tuple(tuple(step - 1 for step in steps) for steps in recorded.get("omissions", ())),
    )


def texts_record(texts: StepTexts) -> dict[str, Any]:
    """Return recorded texts as a corpus record, with step numbers from 1; empty lists are left out."""
    record: dict[str, Any] = {
        "rewordings": [list(reworded) for reworded in texts.rewordings],
        "merges": [{"steps": [step + 1 for step in item.steps], "text": item.text} for item in texts.merges],
        "drifts": [{"step": item.step + 1, "kind": item.kind, "text": item.text} for item in texts.drifts],
        "extras": [
            {"after": "START" if item.after < 0 else item.after + 1, "text": item.text} for item in texts.extras
        ],
        "vague": [{"step": item.step + 1, "text": item.text} for item in texts.vague],
        "omissions": [[step + 1 for step in steps] for steps in texts.omissions],
    }
    return {key: value for key, value in record.items() if value}


def _with_foreign_steps(goldens: Sequence[Golden]) -> tuple[Golden, ...]:
    """Give each golden foreign steps: steps of other goldens, which an operator can add.

    The steps are those of the next goldens in the order of the hashes of ids, so that the choice is stable.
    """
    ordered = sorted(goldens, key=lambda golden: _hash(golden.id))
    steps = [golden.workflow.tasks[-1].text for golden in ordered]
    extended = []
    for index, golden in enumerate(ordered):
        others = [steps[(index + offset) % len(steps)] for offset in range(1, min(FOREIGN_STEPS + 1, len(steps)))]
        extended.append(replace(golden, foreign=tuple(dict.fromkeys(others))))
    return tuple(sorted(extended, key=lambda golden: golden.id))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
