"""Reporters of other packages (entry point group `wfgate.reporters`)."""

from wfgate.base import blamed, check_class, checked, documentation_of
from wfgate.decide import CaseResult, GateResult
from wfgate.show.base import Reporter


class PluginReporter(Reporter):
    """A reporter of another package. Its errors become `ConfigError`s that name the package.

    Args:
        reporter: The reporter.
        package: The distribution of the reporter, with its version.
    """

    def __init__(self, reporter: Reporter, package: str) -> None:
        self.reporter = reporter
        self.package = package
        vars(self).update({name: getattr(reporter, name) for name in ("id", "draws", "streams", "says_verdict")})

    @property
    def documentation(self) -> str:
        """The documentation that `wfgate explain` shows."""
        return documentation_of(type(self.reporter), self.package)

    def render(self, result: GateResult) -> str:
        """Return the report.

        Raises:
            ConfigError: If the package fails, or the report is not a text that ends with a newline.
        """
        with blamed(f"the reporter {self.id!r}", self.package):
            return _ended(checked(self.reporter.render(result), str, "render() returned"), "render()")

    def piece(self, case: CaseResult) -> str:
        """Return the piece of the report for one case.

        Raises:
            ConfigError: As for `render`.
        """
        with blamed(f"the reporter {self.id!r}", self.package):
            return _ended(checked(self.reporter.piece(case), str, "piece() returned"), "piece()")


def added(name: str, kind: object, package: str) -> PluginReporter:
    """Return the reporter of a package; whatever this raises is a fault of the package."""
    reporter = check_class(name, kind, Reporter, "wfgate.show.base.Reporter")()  # type: ignore[type-abstract]
    for attribute in ("draws", "streams", "says_verdict"):
        checked(getattr(reporter, attribute), bool, f"the attribute `{attribute}` is")
    return PluginReporter(reporter, package)


def _ended(text: str, what: str) -> str:
    if text and not text.endswith("\n"):
        raise ValueError(f"{what} returned a text that does not end with a newline")
    return text
