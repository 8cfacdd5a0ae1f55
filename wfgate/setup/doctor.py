"""Finds problems in the set-up of a project before a build fails because of them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from shlex import quote
from typing import Literal

from wfgate import __version__
from wfgate.approvals import defects, last_approval, standing
from wfgate.decide import REASON, Assessor, Pair, Profile, Waivers
from wfgate.errors import ConfigError, FormatError, WfgateError
from wfgate.model import Task, Workflow, expand
from wfgate.read import APPROVALS, VARIANT_MARK, format_of, read_file, workflow_name
from wfgate.rules import Finding
from wfgate.run import (
    Config,
    Gate,
    assemble,
    load_configured_profile,
    load_configured_waivers,
    namesakes,
    pair_files,
    reference_files,
)
from wfgate.setup.critical import PROPOSED
from wfgate.setup.files import CI_SYSTEMS, NO_COMMIT

SOON = timedelta(days=30)
"""A profile that expires within this time is reported."""

Level = Literal["error", "warning"]


@dataclass(frozen=True)
class Complaint:
    """A problem of the set-up.

    Attributes:
        level: "error" if the gate or the pre-deploy check fails because of the problem; "warning" if it will fail
            later, or if the problem weakens the gate.
        about: The file or the setting that has the problem.
        message: The problem.
        fix: How to solve the problem.
    """

    level: Level
    about: str
    message: str
    fix: str


def diagnose(
    config: Config, candidates: Sequence[Path], assessor: Callable[[], Assessor], today: date
) -> list[Complaint]:
    """Return the problems in a set-up: extras, profile, references, approvals, pairs of files, waivers.

    Cost: if there are waivers and candidates, the gate compares all candidates in order to find unused waivers.

    Args:
        config: The configuration.
        candidates: Files, or folders of them, to pair with the references; may be empty.
        assessor: Function that makes the assessor (compares and scores) of the configuration. If it raises an error,
            the error is a problem too.
        today: The day of the check: profiles and waivers that ended before it have expired.
    """
    waivers, unread = _loaded(config, today)
    gate, unfit = _gate(config, assessor, waivers)
    place = config.reference
    pairs = (
        pair_files(candidates, place, formats=config.formats)
        if candidates and place is not None and place.exists()
        else []
    )
    return [
        *unfit,
        *_pipelines(Path()),
        *_audit(config),
        *_references(config, waivers),
        *(_together(config, place, gate) if place is not None and place.is_dir() else ()),
        *_unpaired(pairs, config, waivers),
        *unread,
        *(_idle(gate, pairs, waivers) if gate and pairs and waivers.waivers else ()),
    ]


def _pipelines(folder: Path) -> Iterator[Complaint]:
    """Yield the files of `wfgate init` that name no release and no commit of wfgate yet."""
    for name in (name for names in CI_SYSTEMS.values() for name in names):
        file = folder / name
        if file.is_file() and NO_COMMIT in file.read_text(encoding="utf-8", errors="replace"):
            fix = f"replace {NO_COMMIT} by a release (v{__version__}) or a commit; or `wfgate init --ci CI --ref REF`"
            yield Complaint("error", name, "the job does not run: it names no release and no commit of wfgate", fix)


def _audit(config: Config) -> Iterator[Complaint]:
    """Yield a problem if nothing fails the build."""
    if config.policy.is_audit:
        message = 'audit mode (fail_on = "none"): no verdict fails the build'
        fix = 'set fail_on = "block" or "review" in [policy] when the reports are trusted'
        yield Complaint("warning", "policy.fail_on", message, fix)


def _gate(config: Config, assessor: Callable[[], Assessor], waivers: Waivers) -> tuple[Gate | None, list[Complaint]]:
    """Return the gate and the problems of its profile.

    An expired profile is a problem, but the gate is still returned.
    """
    name = str(config.profile or "the shipped profile")
    try:
        profile = load_configured_profile(config)
    except WfgateError as error:
        return None, [_of(error, name)]
    expiry = list(_age(profile, name, waivers.today))
    try:
        return assemble(config, profile, waivers, assessor()), expiry
    except WfgateError as error:  # a missing extra, another signature, a rate that no candidate reaches
        return None, [_of(error, name), *expiry]


def _age(profile: Profile, name: str, today: date) -> Iterator[Complaint]:
    try:
        profile.require_current(today)
    except WfgateError as error:
        yield _of(error, name)
        return
    if profile.expires is not None and profile.expires - today <= SOON:
        message = f"the profile expires on {profile.expires.isoformat()}"
        yield Complaint(
            "warning", name, message, "refit the profile: wfgate calibrate CORPUS... --output PROFILE --refresh"
        )


def _loaded(config: Config, today: date) -> tuple[Waivers, list[Complaint]]:
    """Return the waivers, and the problems of the waiver file."""
    try:
        waivers = load_configured_waivers(config, today)
    except WfgateError as error:
        return Waivers(today=today), [_of(error, str(config.waivers))]
    fix = "fix the waived finding, or review it again and set a later date"
    return waivers, [_about(waivers, finding, fix) for finding in waivers.expired()]


def _idle(gate: Gate, pairs: Sequence[Pair], waivers: Waivers) -> Iterator[Complaint]:
    """Yield a problem for each unused waiver.

    Nothing if a case could not be compared, because this case may need the waivers.
    """
    cases = [gate.decide(pair) for pair in pairs]
    if all(case.error is None for case in cases):
        for finding in waivers.unused((case.id, case.findings) for case in cases):
            yield _about(waivers, finding, "delete it")


def _about(waivers: Waivers, finding: Finding, fix: str) -> Complaint:
    message = finding.message.removeprefix(f"{waivers.source}: ")
    return Complaint("warning", waivers.source, f"{message} [{finding.id}]", fix)


def _references(config: Config, waivers: Waivers) -> Iterator[Complaint]:
    place = config.reference
    if place is None:
        fix = "set `reference` in wfgate.toml; `wfgate init` writes one"
        yield Complaint("error", "reference", "no references are configured", fix)
        return
    if not place.exists():
        fix = "approve the first one: wfgate approve CANDIDATE"
        yield Complaint("error", str(place), "the file or folder does not exist", fix)
        return
    known = {place.stem: [place]} if place.is_file() else reference_files(place, config.formats)
    if not known:
        yield Complaint(
            "error", str(place), "the folder has no workflow", "approve the first one: wfgate approve CANDIDATE"
        )
    for files in known.values():
        if all(VARIANT_MARK in path.stem for path in files):
            message = "the file is a variant, but there is no reference without a variant name"
            yield Complaint("warning", str(files[0]), message, f"rename the file without {VARIANT_MARK}VARIANT")
    complaints = [one for files in known.values() for path in files for one in _reference(path, config, waivers)]
    yield from _approved_together(complaints, place)
    if known:
        yield from _critical([path for files in known.values() for path in files], config)
    for path in sorted(place.rglob(f"*{APPROVALS}")) if place.is_dir() else ():
        if not path.with_name(path.name.removesuffix(APPROVALS)).is_file():
            fix = "restore the reference, or delete this record"
            yield Complaint("warning", str(path), "the file records approvals of a reference that does not exist", fix)


def _together(config: Config, place: Path, gate: Gate | None) -> Iterator[Complaint]:
    """Yield the references of one name, and those that the gate does not take as alternatives of one workflow."""
    for files in reference_files(place, config.formats).values():
        problem, fix = namesakes(files)
        if problem is not None and fix is not None:
            yield Complaint("error", str(files[0]), problem, fix)
        elif gate and len(files) > 1:
            with suppress(FormatError):  # `_references` names the file
                first, *others = (read_file(path, format_of(path, config.formats)).workflow for path in files)
                stranger = gate.strangers(first, others, [str(path) for path in files])
                if stranger and stranger.fix:
                    yield Complaint("error", stranger.file or str(files[0]), stranger.message, stranger.fix)


def _critical(paths: Sequence[Path], config: Config) -> Iterator[Complaint]:
    """Yield the patterns of critical steps that match no step of the references, as far as these can be read.

    The patterns that `wfgate init` proposes are for workflows to come.
    """
    steps: list[Task] = []
    for path in paths:
        with suppress(FormatError):
            steps += expand(read_file(path, format_of(path, config.formats)).workflow).tasks
    for pattern in dict.fromkeys(config.policy.critical):
        if pattern in PROPOSED:
            continue
        alone = config.policy.model_copy(update={"critical": (pattern,)})
        if not any(alone.is_critical(step.model_copy(update={"critical": False})) for step in steps):
            message = f"the pattern {pattern!r} of critical steps matches no step of a reference"
            fix = "correct it (`wfgate show` prints the names of the steps), or delete it"
            yield Complaint("warning", "critical", message, fix)


def _approved_together(complaints: Sequence[Complaint], place: Path) -> Iterator[Complaint]:
    """Yield the problems; of several files that only need an approval, with one command for the whole folder."""
    alone = [one for one in complaints if one.fix == _review(Path(one.about), ())]
    fix = _review(place, ()) if len(alone) > 1 else ""
    yield from (replace(one, fix=fix) if fix and one in alone else one for one in complaints)


def _review(path: Path, findings: Sequence[Finding]) -> str:
    return f"review it: {_approve(path, findings)}"


def _reference(path: Path, config: Config, waivers: Waivers) -> Iterator[Complaint]:
    try:
        workflow = read_file(path, format_of(path, config.formats)).workflow
    except FormatError as error:
        yield _of(error, str(path))
        return
    if len(workflow.tasks) < config.policy.min_steps:
        steps = f"{len(workflow.tasks)} step{'s' * (len(workflow.tasks) != 1)}"
        message = f"the workflow has {steps}; with fewer than {config.policy.min_steps} only the findings decide"
        fix = "nothing, if every change of this workflow is worth a review; else make it part of a larger one"
        yield Complaint("warning", str(path), message, fix)
    try:
        approval, state = last_approval(path), standing(path)
    except ConfigError as error:
        yield _of(error, str(path))
        return
    findings = _defects(workflow, path, config, waivers)
    if state != "approved":
        message = (
            "the reference has no record of an approval"
            if state == "unrecorded"
            else "the reference was changed after its approval"
        )
        yield Complaint(
            "warning",
            str(path),
            f"{message}; `wfgate predeploy` does not accept it",
            _review(path, findings),
        )
    accepted = set(approval.accepted) if approval else set()
    for finding in findings:
        if finding.waived is None and f"{finding.id} {finding.fingerprint}" not in accepted:
            yield Complaint("warning", str(path), f"{finding.message} [{finding.id}]", f"wfgate explain {finding.id}")


def _defects(workflow: Workflow, path: Path, config: Config, waivers: Waivers) -> tuple[Finding, ...]:
    """Return the findings that an approval of a workflow accepts."""
    return defects(workflow, workflow_name(path.stem), config.policy, waivers, None)


def _approve(path: Path, findings: Sequence[Finding]) -> str:
    """Return the command that approves a file, and why it needs a reason if it does."""
    command = f"wfgate approve {quote(str(path))}"
    errors = [finding for finding in findings if finding.waived is None]
    if not errors:
        return command
    more = f" (and {len(errors) - 1} more)" * (len(errors) > 1)
    return f"{command}{REASON}, because of {errors[0].message} [{errors[0].id}]{more}; or fix it first"


def _unpaired(pairs: Sequence[Pair], config: Config, waivers: Waivers) -> Iterator[Complaint]:
    for pair in pairs:
        if pair.problem is None or namesakes(pair.goldens)[0]:  # `_references` names these
            continue
        if pair.candidate is None:
            fix = "generate the candidate, or delete the reference"
            yield Complaint("error", str(pair.goldens[0]), f"unpaired: {pair.problem}", fix)
        else:
            path = Path(str(pair.candidate))
            try:
                workflow = read_file(path, format_of(path, config.formats)).workflow
                fix = f"approve it: {_approve(path, _defects(workflow, path, config, waivers))}"
            except FormatError as error:
                fix = f"no workflow can be read from it: {error.message}"
            yield Complaint("error", str(pair.candidate), f"unpaired: {pair.problem}", fix)


def _of(error: WfgateError, about: str) -> Complaint:
    fix = error.fix or "correct the problem that the message names"
    return Complaint("error", about, error.text.removeprefix(f"{about}: "), fix)
