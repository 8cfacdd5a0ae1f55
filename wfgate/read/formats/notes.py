"""The diagnostics that a reader collects."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from wfgate.read.documents.document import Diagnostic, Document, Key, Path, Severity
from wfgate.read.formats.typed import Written

_SHOWN = 3


@dataclass
class Notes:
    """Collects the diagnostics of one file.

    Attributes:
        document: The file.
        single: Diagnostics about one value.
        groups: Diagnostics about several values: the names and the first path, by severity and message.
    """

    document: Document
    single: list[Diagnostic] = field(default_factory=list)
    groups: dict[tuple[Severity, str], tuple[dict[str, None], Path]] = field(default_factory=dict)

    def say(self, severity: Severity, message: str, *path: Key, fix: str | None = None) -> None:
        """Add a diagnostic about one value."""
        self.single.append(self.document.diagnostic(severity, message, *path, fix=fix))

    def group(self, severity: Severity, message: str, name: str, *path: Key) -> None:
        """Add a diagnostic; diagnostics with the same message are reported as one, with all names."""
        self.groups.setdefault((severity, message), ({}, path))[0][name] = None

    def unknown(self, shape: Written, what: str, *path: Key) -> None:
        """Warn about the keys of a mapping that its format does not know."""
        for key, fix in shape.unknown_keys().items():
            self.say("warning", f"{what} has no key {key[:80]!r}", *path, key, fix=fix)

    def all(self) -> tuple[Diagnostic, ...]:
        """Return all diagnostics, sorted by their position in the file."""
        grouped = [
            self.document.diagnostic(severity, f"{message}: {few(names)}", *path)
            for (severity, message), (names, path) in self.groups.items()
        ]
        return tuple(sorted([*self.single, *grouped], key=lambda note: (note.line or 0, note.column or 0)))


def few(names: Iterable[str]) -> str:
    """Return the first names in quotes, and the number of the others.

    Example:
        >>> few("abcde")
        "'a', 'b', 'c' and 2 more"
    """
    listed = list(names)
    shown = ", ".join(repr(name[:80]) for name in listed[:_SHOWN])
    return shown if len(listed) <= _SHOWN else f"{shown} and {len(listed) - _SHOWN} more"
