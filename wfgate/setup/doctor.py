"""What is wrong with a set-up, before it surprises somebody."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

from wfgate.baseline import defects, last_approval, standing
from wfgate.baseline.approvals import SUFFIX
from wfgate.checks import Finding
from wfgate.errors import ConfigError, FormatError, WfgateError
from wfgate.evidence import Assessor
from wfgate.formats import read_file
from wfgate.gating import Gate, Waivers, load_waivers, pair_files
from wfgate.gating.config import Config
from wfgate.gating.suite import VARIANT_MARK, Pair, reference_files, workflow_name
from wfgate.profile import Profile, default_profile, load_profile

SOON = timedelta(days=30)
"""A profile that expires within this time is named."""

Level = Literal["error", "warning"]


@dataclass(frozen=True)
class Complaint:
    """Something that is wrong.

    Attributes:
        level: "error" makes the gate or the pre-deploy check fail; "warning" will, or makes it judge less.
        about: The file or the setting.
        message: What is wrong with it.
        fix: What to do.
    """

    level: Level
    about: str
    message: str
    fix: str


def diagnose(
    config: Config, candidates: Sequence[Path], assessor: Callable[[], Assessor], today: date
) -> list[Complaint]:
    """Return what is wrong with a set-up: extras, profile, references, approvals, partners, waivers.

    Cost: where there are waivers and candidates, the gate judges them all: what waives nothing is not known before.

    Args:
        config: The configuration, paths resolved; the file of waivers too, if there is one.
        candidates: Files, or folders of them, that the references should be the partners of; may be empty.
        assessor: Makes what compares, by the configuration; asking it is part of the examination.
        today: Decides what has expired.
    """
    waivers, unread = _loaded(config, today)
    gate, unfit = _gate(config, assessor, waivers)
    place = config.reference
    pairs = pair_files(candidates, place) if candidates and place is not None and place.exists() else []
    return [
        *unfit,
        *_references(config, waivers),
        *_unpaired(pairs),
        *unread,
        *(_idle(gate, pairs, waivers) if gate and pairs and waivers.waivers else ()),
    ]


def _gate(config: Config, assessor: Callable[[], Assessor], waivers: Waivers) -> tuple[Gate | None, list[Complaint]]:
    """Return the gate as it would run, and what is wrong with its profile."""
    name = str(config.profile or "the shipped profile")
    try:
        profile = load_profile(config.profile) if config.profile else default_profile()
    except WfgateError as error:
        return None, [_of(error, name)]
    old = list(_age(profile, name, waivers.today))
    try:
        return Gate(assessor(), profile, config.policy, waivers), old
    except WfgateError as error:  # a missing extra, numbers that do not fit, a rate that nothing reaches
        return None, [_of(error, name), *old]


def _age(profile: Profile, name: str, today: date) -> Iterator[Complaint]:
    try:
        profile.require_current(today)
    except WfgateError as error:
        yield _of(error, name)
        return
    if profile.expires is not None and profile.expires - today <= SOON:
        said = f"the profile expires on {profile.expires.isoformat()}"
        yield Complaint("warning", name, said, "refit it: wfgate calibrate CORPUS... --output PROFILE --refresh")


def _loaded(config: Config, today: date) -> tuple[Waivers, list[Complaint]]:
    """Return the waivers, and what is wrong with their file."""
    if config.waivers is None:
        return Waivers(today=today), []
    try:
        waivers = Waivers(load_waivers(config.waivers), today, str(config.waivers))
    except WfgateError as error:
        return Waivers(today=today), [_of(error, str(config.waivers))]
    fix = "mend what it waived, or look at it again and set a later day"
    return waivers, [_about(waivers, finding, fix) for finding in waivers.expired()]


def _idle(gate: Gate, pairs: Sequence[Pair], waivers: Waivers) -> Iterator[Complaint]:
    """Yield the waivers that waive nothing; none where a case cannot be judged, as that one may need them."""
    cases = [gate.decide(pair) for pair in pairs]
    if all(case.error is None for case in cases):
        for finding in waivers.unused((case.id, case.findings) for case in cases):
            yield _about(waivers, finding, "delete it")


def _about(waivers: Waivers, finding: Finding, fix: str) -> Complaint:
    said = finding.message.removeprefix(f"{waivers.source}: ")
    return Complaint("warning", waivers.source, f"{said} [{finding.id}]", fix)


def _references(config: Config, waivers: Waivers) -> Iterator[Complaint]:
    place = config.reference
    if place is None:
        fix = "set `reference` in wfgate.toml; `wfgate init` writes one"
        yield Complaint("error", "reference", "no references are configured", fix)
        return
    if not place.exists():
        fix = "approve the first one: wfgate approve CANDIDATE"
        yield Complaint("error", str(place), "there is no such file or folder", fix)
        return
    known = {place.stem: [place]} if place.is_file() else reference_files(place)
    if not known:
        yield Complaint("error", str(place), "there is no workflow in it", "approve the first one: wfgate approve")
    for files in known.values():
        if all(VARIANT_MARK in path.stem for path in files):
            said = "a variant of a workflow that has no plain reference"
            yield Complaint("warning", str(files[0]), said, f"rename it: without {VARIANT_MARK}VARIANT")
        for path in files:
            yield from _reference(path, config, waivers)
    for path in sorted(place.rglob(f"*{SUFFIX}")) if place.is_dir() else ():
        if not path.with_name(path.name.removesuffix(SUFFIX)).is_file():
            fix = "restore the reference, or delete the record too"
            yield Complaint("warning", str(path), "approvals of a reference that is gone", fix)


def _reference(path: Path, config: Config, waivers: Waivers) -> Iterator[Complaint]:
    try:
        workflow = read_file(path).workflow
    except FormatError as error:
        yield _of(error, str(path))
        return
    if len(workflow.tasks) < config.policy.min_steps:
        said = f"it has {len(workflow.tasks)} steps; statistics need {config.policy.min_steps}"
        yield Complaint("warning", str(path), said, "gate it as a part of a larger workflow, or by rules alone")
    try:
        approval, found = last_approval(path), standing(path)
    except ConfigError as error:
        yield _of(error, str(path))
        return
    if found != "approved":
        said = "it has no record of an approval" if found == "unrecorded" else "it was changed since it was approved"
        yield Complaint("warning", str(path), f"{said}: predeploy refuses it", f"look at it: wfgate approve {path}")
    accepted = set(approval.accepted) if approval else set()
    try:
        found_defects = defects(workflow, workflow_name(path.stem), config.policy, waivers)
    except ConfigError:  # a solver that is not installed: said about the profile already
        return
    for finding in found_defects:
        if finding.waived is None and f"{finding.id} {finding.fingerprint}" not in accepted:
            yield Complaint("warning", str(path), f"{finding.message} [{finding.id}]", f"wfgate explain {finding.id}")


def _unpaired(pairs: Sequence[Pair]) -> Iterator[Complaint]:
    for pair in pairs:
        if pair.problem is None:
            continue
        if pair.candidate is None:
            fix = "generate it, or delete the reference"
            yield Complaint("error", str(pair.goldens[0]), f"unpaired: {pair.problem}", fix)
        else:
            fix = f"approve it: wfgate approve {pair.candidate}"
            yield Complaint("error", str(pair.candidate), f"unpaired: {pair.problem}", fix)


def _of(error: WfgateError, about: str) -> Complaint:
    place = str(error).partition("\n")[0] if isinstance(error, FormatError) else error.message
    return Complaint("error", about, place.removeprefix(f"{about}: "), error.fix or "see the message")
