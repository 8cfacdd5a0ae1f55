"""What the reader has to say: things of one kind are said once, where the first stands."""

from dataclasses import dataclass, field

from wfgate.documents import Diagnostic, Document, Path, Severity
from wfgate.formats.fields import Fields, did_you_mean

_SHOWN = 3


@dataclass
class Notes:
    """Collects diagnostics of one file.

    Attributes:
        document: The file.
        found: What is said of one place each.
        groups: What is said of several places together: for a severity and a sentence the names and the first place.
    """

    document: Document
    found: list[Diagnostic] = field(default_factory=list)
    groups: dict[tuple[Severity, str], tuple[dict[str, None], Path]] = field(default_factory=dict)

    def say(self, severity: Severity, message: str, *path: str | int, fix: str | None = None) -> None:
        """Say something about one place."""
        self.found.append(self.document.diagnostic(severity, message, *path, fix=fix))

    def group(self, severity: Severity, message: str, name: str, *path: str | int) -> None:
        """Say something about a place by its name, together with all others of which the same is said."""
        self.groups.setdefault((severity, message), ({}, path))[0][name] = None

    def unknown(self, entry: Fields, known: tuple[str, ...]) -> None:
        """Warn of keys that the format does not have: they are kept, and mean nothing."""
        for key in entry.value:
            if key not in known:
                fix = did_you_mean(key, known)
                self.say("warning", f"{entry.what} has no key {key[:80]!r}: it is ignored", *entry.path, key, fix=fix)

    def all(self) -> tuple[Diagnostic, ...]:
        """Return everything, in the order of the file."""
        grouped = [
            self.document.diagnostic(severity, f"{message}: {_listed(list(names))}", *path)
            for (severity, message), (names, path) in self.groups.items()
        ]
        return tuple(sorted([*self.found, *grouped], key=lambda note: (note.line or 0, note.column or 0)))


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name[:80]) for name in names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"
