"""All registries by kind, and the documentation of their entries: what `wfgate list` and `wfgate explain` show."""

import difflib
import inspect
import pkgutil
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from wfgate.errors import ConfigError

if TYPE_CHECKING:
    from wfgate.base import Registry

KINDS: dict[str, tuple[str, ...]] = {
    "formats": ("wfgate.read:FORMATS",),
    "embedders": ("wfgate.language.embedders:EMBEDDERS",),
    "meaning-models": ("wfgate.language.meaning:MEANING_MODELS",),
    "metrics": ("wfgate.compare:METRICS",),
    "checks": ("wfgate.rules:CHECKS", "wfgate.decide:RUN_CHECKS"),
    "facts": ("wfgate.catalogue:FACTS",),
    "perturbations": ("wfgate.calibration:PERTURBATIONS",),
    "reporters": ("wfgate.show:REPORTERS",),
}
"""The registries of each kind. Each is imported when it is needed."""
_DIGITS = "0123456789"
_NEAREST = 3
"""Ids or names that a suggestion has."""


def registries(kind: str) -> "list[Registry[Any]]":
    """Return the registries of a kind."""
    return [pkgutil.resolve_name(name) for name in KINDS[kind]]


def broken(kind: str) -> list[ConfigError]:
    """Return the errors of the entries of other packages that cannot be loaded."""
    return [problem for registry in registries(kind) for problem in registry.extensions.broken()]


def explanation(name: str) -> str:
    """Return what `explained` returns.

    Raises:
        ConfigError: If there is no such id; the fix names the most similar ones.
    """
    text = explained(name)
    if text is None:
        raise unknown_id(name)
    return text


def explained(name: str) -> str | None:
    """Return the documentation of all entries with an id, in any case of letters, or of a rule without a check."""
    from wfgate.show import rule_meaning  # noqa: PLC0415 - `wfgate list` does not need it

    texts = [_documentation(registry[key]) for key, registry in _known() if key.casefold() == name.casefold()]
    if not texts and (rule := rule_meaning(name.casefold())):
        texts = [_titled(name.casefold(), f"{rule[0]}\n\nHow to fix:\n    {rule[1]}")]
    return "\n".join(texts) or None


def unknown_id(name: str, others: Iterable[str] = ()) -> ConfigError:
    """Return the error that there is no such id, neither of an entry nor among `others`."""
    return ConfigError(f"unknown id {name!r}", fix=_nearest_ids(name, [*(key for key, _ in _known()), *others]))


def _known() -> "Iterator[tuple[str, Registry[Any]]]":
    for registry in (registry for kind in KINDS for registry in registries(kind)):
        yield from ((key, registry) for key in (*registry, *registry.extensions.usable()))


def similar(name: str, known: list[str]) -> list[str]:
    """Return the most similar of the known names; else those that contain the name."""
    wanted, folded = name.casefold(), {key.casefold() for key in known}
    near = difflib.get_close_matches(wanted, folded, n=_NEAREST) or sorted(key for key in folded if wanted in key)
    return [key for key in known if key.casefold() in near[:_NEAREST]]


def _nearest_ids(name: str, known: list[str]) -> str:
    """Return a suggestion with the most similar ids; of ids such as WR504, those with the nearest numbers."""
    near = similar(name, known)
    letters = name.casefold().rstrip(_DIGITS)
    number = name[len(letters) :]
    if not near and number:
        numbered = [key for key in known if key.casefold().rstrip(_DIGITS) == letters and key[-1] in _DIGITS]
        near = sorted(numbered, key=lambda key: abs(int(key[len(letters) :]) - int(number[:9])))[:_NEAREST]
    kinds = f"list all ids of a kind: wfgate list {'|'.join(KINDS)}"
    return f"did you mean {' or '.join(near)}? Or {kinds}" if near else kinds


def _documentation(entry: Any) -> str:
    title = str(entry.id)
    if hasattr(entry, "defect"):  # a check
        title += f" {entry.defect}, {entry.severity}"
    if hasattr(entry, "answers"):  # a fact
        needs, takes = ", ".join(entry.needs) or "nothing", ", ".join(entry.takes) or "nothing"
        title += f" {entry.answers}, needs {needs}, takes {takes}, graded by {entry.metric}"
    documented = entry if isinstance(entry, type) else type(entry)
    text = entry.documentation if hasattr(entry, "documentation") else inspect.getdoc(documented)
    return _titled(title, text or "")


def _titled(title: str, text: str) -> str:
    return f"{title}\n{'=' * len(title)}\n{text}\n"
