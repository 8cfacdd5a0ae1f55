"""Checks of other packages (entry point group `wfgate.checks`)."""

from collections.abc import Iterator
from typing import get_args

from wfgate.base import blamed, check_class, checked, documentation_of
from wfgate.compare import Comparison
from wfgate.rules.base import SEVERITIES, AbsoluteCheck, Check, Kind, Observation, RelativeCheck, Subject

_ATTRIBUTES = ("id", "defect", "severity", "about", "rank", "version", "grouped", "waivable")
_OF_RELATIVE = ("proven", "exact_in_links", "changes_step")


class PluginAbsolute(AbsoluteCheck):
    """A check of one workflow, of another package. Its errors become `ConfigError`s that name the package.

    Args:
        inner: The check.
        package: The distribution of the check, with its version.
    """

    def __init__(self, inner: AbsoluteCheck, package: str) -> None:
        self.inner = inner
        self.package = package
        vars(self).update({name: getattr(inner, name) for name in _ATTRIBUTES})

    @property
    def documentation(self) -> str:
        """The documentation that `wfgate explain` shows."""
        return documentation_of(type(self.inner), self.package)

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield the defects of this workflow.

        Raises:
            ConfigError: If the package fails, or yields something that is no observation of this workflow.
        """
        with blamed(f"the check {self.id!r}", self.package):
            observations = [_checked(one, subject.graph.n, 0) for one in self.inner.check(subject)]
        yield from observations


class PluginRelative(RelativeCheck):
    """A check of a candidate against its golden, of another package; otherwise like `PluginAbsolute`.

    Args:
        inner: The check.
        package: The distribution of the check, with its version.
    """

    def __init__(self, inner: RelativeCheck, package: str) -> None:
        self.inner = inner
        self.package = package
        vars(self).update({name: getattr(inner, name) for name in (*_ATTRIBUTES, *_OF_RELATIVE)})

    @property
    def documentation(self) -> str:
        """The documentation that `wfgate explain` shows."""
        return documentation_of(type(self.inner), self.package)

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield the differences between the candidate and its golden.

        Raises:
            ConfigError: If the package fails, or yields something that is no observation of this pair.
        """
        sizes = len(comparison.candidate.tasks), len(comparison.golden.tasks)
        with blamed(f"the check {self.id!r}", self.package):
            observations = [_checked(one, *sizes) for one in self.inner.check(comparison)]
        yield from observations


def added(name: str, kind: object, package: str) -> PluginAbsolute | PluginRelative:
    """Return the check of a package; whatever this raises is a fault of the package."""
    check = check_class(name, kind, Check, "wfgate.rules.base.Check")()
    for attribute, wanted in (("defect", str), ("rank", int), ("grouped", bool), ("waivable", bool)):
        checked(getattr(check, attribute), wanted, f"the attribute `{attribute}` is")
    for attribute, among in (("severity", SEVERITIES), ("about", get_args(Kind))):
        if getattr(check, attribute) not in among:
            raise ValueError(f"the attribute `{attribute}` is not one of: {', '.join(among)}")
    if isinstance(check, RelativeCheck):
        return PluginRelative(check, package)
    if isinstance(check, AbsoluteCheck):
        return PluginAbsolute(check, package)
    raise TypeError("the class derives neither from AbsoluteCheck nor from RelativeCheck")


def _checked(observation: object, candidate: int, golden: int) -> Observation:
    """Return what a check of a package yields, if its steps exist and its words are texts."""
    seen = checked(observation, Observation, "check() yielded")
    for words in ((seen.message,), seen.witness, seen.key):
        for word in words:
            checked(word, str, "check() yielded an observation with a word that is")
    for steps, known in ((seen.tasks, candidate), (seen.golden, golden)):
        if not set(steps) <= set(range(known)):
            raise ValueError("check() yielded an observation about a step that does not exist")
    if seen.severity not in (None, *SEVERITIES) or seen.about not in (None, *get_args(Kind)):
        raise ValueError("check() yielded an observation with a severity or a subject that does not exist")
    return seen
