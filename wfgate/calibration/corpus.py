"""Calibration corpora: golden workflows and their recorded texts (rewordings and other texts for variants)."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from wfgate.calibration.perturb import RECORDED
from wfgate.calibration.perturb.base import Golden
from wfgate.calibration.perturb.texts import DriftText, Edit, ExtraText, MergeText, StepTexts, VagueText
from wfgate.errors import CalibrationError, FormatError, printable
from wfgate.model import Workflow, expand, fingerprint
from wfgate.read import (
    DETECTED,
    IGNORED,
    Formats,
    Reading,
    Skipped,
    check_plain,
    is_ignored,
    is_record,
    key_of,
    read_data,
    read_or_skip,
    read_text,
    readable_below,
    records,
    workflow_name,
)

FOREIGN_STEPS = 12
"""Maximum number of steps of other workflows that can be added to a golden."""
_TEXT_KEYS = ("rewordings", "paraphrase_a", "paraphrase_b", "merges", "drifts", "extras", "vague", "omissions")
_LABELS = {"accept": True, "minor": True, "reject": False}
"""Labels of workflows written anew, and whether they are accepted."""
_EDITS = "edits"
_ANEW_KEYS = {"id", "golden", "brief", "label", "labels", "why", "support", "second_support"}
_WHOLE_KEYS = ("paraphrase_a", "paraphrase_b")
_MARKDOWN = "markdown"
_WORKFLOW_KEYS = (_MARKDOWN, "workflow", "wfgate", "task_nodes", "nodes", "tasks", "edges", "plans")
_PLAN_KEYS = ("steps", "plan")
"""Keys of a workflow in a record without recorded texts; beside texts, `steps` can be the steps that they reword."""
_LINES = ".jsonl"
_MOST_REASONS = 3
"""Most skipped files in the error that there is no golden."""


Records = list[tuple[int, dict[str, Any]]]
"""The objects of a JSON Lines file with their line numbers."""


@dataclass(frozen=True)
class Corpus:
    """A calibration corpus.

    Attributes:
        goldens: Usable goldens, sorted by id.
        refused: Files and records that cannot be used as goldens, each with the reason, for reports.
        names: Name of the corpus of each golden, by id of the golden. The name is that of the given folder or file.
        formats: Id of the format of each golden, by id of the golden.
    """

    goldens: tuple[Golden, ...]
    refused: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)

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
    for kind, operators in (("written anew", ("rewritten", "refused")), ("edited", ("edited", "misedited"))):
        for operator in operators:
            side = RECORDED[operator].workflows(golden)
            parts += [kind, *(workflow.content_hash() for workflow in side)] if side else []
    return _hash("\0".join(parts))


def read_corpus(paths: Sequence[Path], formats: Formats = DETECTED) -> Corpus:
    """Read corpora.

    Each path is a JSON Lines file, a workflow file, or a folder of both, in which all formats are read (see
    `readable_below`). A JSON Lines record has an `id` and a workflow (in any JSON form, or the text of a Markdown file
    as `markdown`), recorded texts, or both.

    Edits by hand stand in the list `edits` of a record (see calibration/README.md). What has the same id is joined
    across all files, for example `goldens.jsonl` and `variants.jsonl`; lists of texts are concatenated. Step numbers
    start at 1.

    The id of a workflow file is its name without the suffix, or its path below the folder if several files have the
    same name. A further reference (`deploy@2.yaml`, or `deploy.md` beside `deploy.yaml`) and a copy of another file
    are no goldens, because thresholds need goldens that are independent of each other.

    Files whose names match a pattern of `formats` are read in that format, whatever their suffix.

    Raises:
        CalibrationError: If a path does not exist, a line of a JSON Lines file is not a JSON object (in a folder, the
            file is skipped), or there is no usable golden.
    """
    contents = _Contents()
    files = [(given, *file) for given in paths for file in _files(given, formats, contents.refused)]
    ids = _ids([(given, path) for given, path, content in files if isinstance(content, Reading)])
    for given, path, content in files:
        if isinstance(content, Reading):
            contents.keep_file(ids[path], path, content, given.stem)
        else:
            contents.keep_records(path, content, given.stem)
    goldens = [
        replace(
            _golden(name, workflow, contents.texts.get(name, {}), contents.refused),
            accepted=tuple(written for accepted, written in contents.anew[name] if accepted),
            refused=tuple(written for accepted, written in contents.anew[name] if not accepted),
            edits=_edits(name, workflow, contents, accepted=True),
            misedits=_edits(name, workflow, contents, accepted=False),
        )
        for name, workflow in sorted(contents.workflows.items())
    ]
    if not goldens:
        more = len(contents.refused) - _MOST_REASONS
        reasons = "; ".join([*contents.refused[:_MOST_REASONS], *([f"{more} more"] if more > 0 else [])])
        raise CalibrationError(
            f"no golden workflow found in the corpus{f' ({reasons})' if reasons else ''}",
            fix="give a JSON Lines file of workflows or a folder with workflows",
        )
    for what, names in (
        ("a workflow for a golden", contents.anew),
        ("recorded texts for a workflow", contents.texts),
        ("edits of a workflow", contents.edits),
    ):
        contents.refused += [
            f"{name}: {what} that is not in the corpus" for name in names if name not in contents.workflows
        ]
    used = [golden.id for golden in goldens]
    return Corpus(
        _with_foreign_steps(goldens),
        tuple(contents.refused),
        {name: contents.names[name] for name in used},
        {name: contents.formats[name] for name in used},
    )


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


def _files(given: Path, formats: Formats, refused: list[str]) -> list[tuple[Path, Reading | Records]]:
    """Return the workflow files and the JSON Lines files of a given path; add the others to `refused`.

    Workflow files with errors come first in `refused`, and files that are meant to be skipped last.
    """
    if not given.exists():
        raise CalibrationError(f"{given}: the file or folder does not exist", fix="check the path of the corpus")
    if given.is_file():
        if given.suffix == _LINES:
            return [(given, list(records(given)))]
        read = read_or_skip(given, formats)
        refused += [str(read)] if isinstance(read, Skipped) else []
        return [] if isinstance(read, Skipped) else [(given, read)]
    if not given.is_dir():  # a pipe or a device may never end
        fix = "give a JSON Lines file, a workflow file or a folder"
        raise CalibrationError(f"{given}: not a regular file", fix=fix)
    readings, skipped = readable_below(given, {**formats, f"*{_LINES}": IGNORED})  # records, not recorded runs
    first: dict[str, Path] = {}
    further: list[str] = []
    files: list[tuple[Path, Reading | Records]] = []
    for path, reading in readings.items():
        of = first.setdefault(workflow_name(key_of(path, given)), path)
        if of == path:
            files.append((path, reading))
        else:
            further.append(printable(f"{path}: a further reference of {of.name}; only that file is a golden"))
    skipped = [file for file in skipped if not is_record(file.path)]  # such as an approval: it belongs to its workflow
    expected = [file for file in skipped if is_ignored(file.path, formats)]
    for file in sorted(set(skipped) - set(expected), key=lambda file: (file.line is None, file.path)):
        if file.path.suffix != _LINES or not file.path.is_file():  # reading a pipe may never end
            refused.append(str(file))
            continue
        try:
            files.append((file.path, list(records(file.path))))
        except CalibrationError as error:
            refused.append(printable(error.message))
    refused += [*further, *map(str, expected)]
    return sorted(files, key=lambda file: file[0])


def _ids(files: Sequence[tuple[Path, Path]]) -> dict[Path, str]:
    """Return an id for each file, given with the folder in which it was found: its name, if no other file has it."""
    named = Counter(path.stem for _, path in files)
    keys = {path: key_of(path, given) for given, path in files}
    keyed = Counter(keys.values())
    return {
        path: printable(path.stem if named[path.stem] == 1 else key if keyed[key] == 1 else path.as_posix())
        for path, key in keys.items()
    }


@dataclass
class _Contents:
    """What the files of a corpus contain, by id."""

    workflows: dict[str, Workflow] = field(default_factory=dict)
    anew: defaultdict[str, list[tuple[bool, Workflow]]] = field(default_factory=lambda: defaultdict(list))
    texts: dict[str, dict[str, Any]] = field(default_factory=dict)
    edits: defaultdict[str, list[tuple[bool, Edit]]] = field(default_factory=lambda: defaultdict(list))
    names: dict[str, str] = field(default_factory=dict)
    formats: dict[str, str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    prints: dict[str, str] = field(default_factory=dict)
    """Id of the first file with a workflow, by the fingerprint of the workflow."""

    def keep_file(self, name: str, path: Path, reading: Reading, corpus: str) -> None:
        """Add the workflow of a file as a golden."""
        same = self.prints.setdefault(fingerprint(expand(reading.workflow)), name)
        if same != name:
            self.refused.append(printable(f"{path}: the same workflow as {same!r}"))
        else:
            self.keep(name, reading, f"{path}", corpus)

    def keep_records(self, path: Path, lines: Records, corpus: str) -> None:
        """Add the workflows and texts of a JSON Lines file."""
        for number, record in lines:
            where = f"{path}:{number}"
            name = printable(str(record.get("id", where)))
            if "golden" in record:
                _keep_anew(self.anew, self.refused, name, record, where)
                continue
            _keep_edits(self.edits, self.refused, name, record)
            texts = any(key in record for key in _TEXT_KEYS)
            if texts:
                _join(self.texts.setdefault(name, {}), record)
            if any(key in record for key in (*_WORKFLOW_KEYS, *(() if texts else _PLAN_KEYS))):
                try:
                    self.keep(name, _read(_workflow_of(record), where), where, corpus)
                except FormatError as error:
                    self.refused.append(f"{name}: {error.message}")

    def keep(self, name: str, reading: Reading, where: str, corpus: str) -> None:
        """Add a workflow; of two with the same id, the first is kept."""
        workflow = expand(reading.workflow)
        if name in self.workflows:
            if self.workflows[name].content_hash() != workflow.content_hash():
                self.refused.append(printable(f"{name}: another workflow with this id ({where})"))
        elif not workflow.tasks:
            self.refused.append(f"{name}: the workflow has no steps")
        else:
            self.workflows[name] = workflow
            self.names[name] = corpus
            self.formats[name] = reading.format


def _join(texts: dict[str, Any], record: dict[str, Any]) -> None:
    """Add the recorded texts of a record to the texts of its golden."""
    for key in _TEXT_KEYS:
        if key in record:
            old, new = texts.get(key), record[key]
            concatenate = key not in _WHOLE_KEYS and isinstance(old, list) and isinstance(new, list)
            texts[key] = [*old, *new] if concatenate and old is not None else new


def _keep_anew(
    anew: dict[str, list[tuple[bool, Workflow]]], refused: list[str], name: str, record: dict[str, Any], where: str
) -> None:
    """Add a workflow that was written anew for the golden that the record names."""
    label = record.get("label")
    if label not in _LABELS:
        refused.append(f"{name}: the label of a workflow written anew is one of {', '.join(_LABELS)}, not {label!r}")
        return
    try:
        reading = _read({key: record[key] for key in record.keys() - _ANEW_KEYS}, where)
    except FormatError as error:
        refused.append(f"{name}: {error.message}")
        return
    anew[printable(str(record["golden"]))].append((_LABELS[label], reading.workflow))


def _keep_edits(
    edits: dict[str, list[tuple[bool, Edit]]], refused: list[str], name: str, record: dict[str, Any]
) -> None:
    """Add the edits of a record that all reviewers judged alike."""
    for number, item in enumerate(record.get(_EDITS, ()), start=1):
        try:
            labels = {_LABELS[label] for label in item["labels"]}
            edit = _edit(item)
        except (FormatError, ValidationError, KeyError, TypeError, AttributeError) as error:
            refused.append(f"{name}: edit {number} cannot be read: {str(error).splitlines()[0]}")
            continue
        if len(labels) == 1:
            edits[name].append((labels.pop(), edit))


def _edit(item: dict[str, Any]) -> Edit:
    check_plain(item, "edits")
    fields: dict[str, Any] = {key: item[key] for key in ("kind", "text", "texts") if key in item}
    fields |= {key: item[key] - 1 for key in ("step", "after") if key in item}
    fields |= {key: tuple(step - 1 for step in item[key]) for key in ("steps", "swap") if key in item}
    return Edit.model_validate(fields)


def _edits(name: str, workflow: Workflow, contents: "_Contents", *, accepted: bool) -> tuple[Edit, ...]:
    """Return the recorded edits of a workflow with one label."""
    edits = [edit for label, edit in contents.edits.get(name, ()) if label is accepted]
    usable = [edit for edit in edits if edit.fits(len(workflow.tasks)) and not workflow.gateways]
    if len(usable) < len(edits):
        contents.refused.append(f"{name}: {len(edits) - len(usable)} edits do not fit the workflow")
    return tuple(usable)


def _read(record: dict[str, Any], where: str) -> Reading:
    """Return the workflow in the keys of a record that are left: the text of a Markdown file, or any JSON form."""
    text = record.get(_MARKDOWN)
    return read_text(text, f"{where} (markdown)", "markdown") if isinstance(text, str) else read_data(record, where)


def _workflow_of(record: dict[str, Any]) -> dict[str, Any]:
    """Return the workflow in a record: all keys that are not keys of the corpus format."""
    corpus_keys = {*_TEXT_KEYS, _EDITS, "regeneration", "bad_regeneration", "written"}
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
