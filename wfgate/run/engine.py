"""Builds a gate from a configuration, for the API, the command line and the pytest plugin."""

from datetime import date
from typing import TYPE_CHECKING

from wfgate.base import Store
from wfgate.decide import DEFAULT_PROFILE, Assessor, Profile, Waivers, default_profile, load_profile
from wfgate.errors import ConfigError
from wfgate.language import load_embedder, load_meaning_model
from wfgate.run.config import Config, JudgeSettings
from wfgate.run.gate import Gate
from wfgate.run.revision import Revision
from wfgate.run.waiver_file import load_waivers

if TYPE_CHECKING:
    from wfgate.compare import LlmJudge
    from wfgate.decide import SecondStage
    from wfgate.llm import Client


def load_gate(
    config: Config,
    today: date,
    *,
    base: Revision | None = None,
    store: Store | None = None,
    profile: Profile | None = None,
    assessor: Assessor | None = None,
    keep_pairs: bool = False,
) -> Gate:
    """Return the gate for a configuration.

    Args:
        config: The settings; its profile, waivers, policy, formats and models are used.
        today: The day of the run: profiles and waivers that ended before it have expired.
        base: Git revision to read profile and waivers from; None reads from the disk.
        store: Cache of embeddings and model outputs; None caches in memory only.
        profile: Profile to use instead of the configured one.
        assessor: Assessor to use instead of a new one from the configuration.
        keep_pairs: Whether results contain the compared workflows, for reports with pictures.

    Raises:
        ConfigError: If the name of a model or metric, the waiver file or a rate is invalid, or the policy needs a
            judge and there is none.
        CalibrationError: If the profile cannot be read.
        ProfileMismatchError: If the profile has expired, was fitted with other metrics or models, or has no
            calibration of the configured judge.
        LlmServiceError: If the judge's service is not configured, or the extra `llm` is not installed.
    """
    profile = profile or load_configured_profile(config, base)
    profile.require_current(today)
    waivers = load_configured_waivers(config, today, base)
    assessor = assessor or load_assessor(config, store)
    second_stage = load_second_stage(config, base, assessor, store)
    return assemble(config, profile, waivers, assessor, keep_pairs=keep_pairs, second_stage=second_stage, base=base)


def assemble(
    config: Config,
    profile: Profile,
    waivers: Waivers,
    assessor: Assessor,
    *,
    keep_pairs: bool = False,
    second_stage: "SecondStage | None" = None,
    base: Revision | None = None,
) -> Gate:
    """Return a gate from loaded parts.

    Unlike `load_gate`, this function loads nothing and does not check the expiry date.
    """
    source = str(config.profile or DEFAULT_PROFILE)
    gate = Gate(
        assessor,
        profile,
        config.policy,
        waivers,
        source=source,
        keep_pairs=keep_pairs,
        formats=config.formats,
        second_stage=second_stage,
        own_rules=config.rules,
        base=base,
    )
    if config.judge and config.judge.require_exam is not None:
        profile.require_exam(config.judge.require_exam)
    return gate


def load_assessor(config: Config, store: Store | None = None) -> Assessor:
    """Return an assessor with the embedder, meaning model, metrics and judge of a configuration."""
    return Assessor(
        load_embedder(config.embedder, store, config.beta),
        load_meaning_model(config.meaning_model, store),
        config.metrics,
        _judge(config.judge, store) if config.judge and config.judge.grades else None,
    )


def load_configured_profile(config: Config, base: Revision | None = None) -> Profile:
    """Return the profile of a configuration; the shipped profile "default" if the configuration names none."""
    path = config.profile_file
    if path is None:
        return default_profile(config.shipped_profile or DEFAULT_PROFILE)
    content = base.read(path) if base else None
    if base and content is None:
        raise ConfigError(
            f"{path}: not in the base revision {base.ref}",
            fix="commit the profile to the base revision first",
        )
    return load_profile(path, content)


def load_configured_waivers(config: Config, today: date, base: Revision | None = None) -> Waivers:
    """Return the waivers in the waiver file of a configuration.

    A waiver accepts a finding until a date. Without a waiver file the result contains no waivers. Expired waivers on
    the day `today` have no effect and are reported.
    """
    if config.waivers is None:
        return Waivers(today=today)
    return Waivers(load_waivers(config.waivers, base), today, str(config.waivers))


def load_second_stage(
    config: Config, base: Revision | None, assessor: Assessor, store: Store | None = None
) -> "SecondStage | None":
    """Return the second stage of a configuration; it shares the client with the assessor's judge.

    It is None if the policy does not ask for it, or if there is no base revision: only the base revision protects the
    policy from the author of a candidate, and this is the only part of the gate that can make a verdict milder.

    Raises:
        ConfigError: If the policy asks for it, and there is no judge.
        LlmServiceError: If the judge's service is not configured, or the extra `llm` is not installed.
    """
    if not config.policy.judge_may_clear:
        return None
    if config.judge is None:
        raise ConfigError("judge_may_clear needs a judge", fix="set `model` in [judge], or give --judge MODEL")
    if base is None:
        return None
    from wfgate.decide import SecondStage  # noqa: PLC0415 - needs a language model

    graded = assessor.judge.client if assessor.judge else None
    return SecondStage(graded or _client(config.judge, store))


def _judge(settings: JudgeSettings, store: Store | None) -> "LlmJudge":
    from wfgate.compare import LlmJudge  # noqa: PLC0415 - needs a language model

    return LlmJudge(_client(settings, store))


def _client(settings: JudgeSettings, store: Store | None) -> "Client":
    from wfgate.llm import Client, Limits  # noqa: PLC0415 - needs a language model

    client = Client(settings.model, store, Limits(timeout=settings.timeout, concurrency=settings.concurrency))
    client.service  # noqa: B018 - fails now, before anything is read, if the extra or the key is missing
    return client
