"""Values that a shell completes: ids and names, each with one sentence."""

import contextlib
import importlib
from collections.abc import Callable, Iterable, Mapping

Complete = Callable[[str], Iterable[tuple[str, str]]]
"""A function from the beginning of a word to its completions, each with a sentence about it."""


PROFILES = {
    "default": "The shipped profile: harmless are rewordings, and workflows written anew.",
    "reworded": "The shipped profile for candidates that keep the steps and only reword them.",
}
"""Names of the shipped profiles (`wfgate.decide.SHIPPED_PROFILES`); importing them would take a second."""


def ids(*registries: str, only: str | None = None) -> Complete:
    """Return the completion of the ids in registries, which are imported when a shell asks.

    Args:
        registries: Registries as `module:NAME`.
        only: Attribute that an entry must have as true.
    """

    def complete(incomplete: str) -> Iterable[tuple[str, str]]:
        for registry in registries:
            module, _, name = registry.partition(":")
            known = getattr(importlib.import_module(module), name)
            for key, summary in known.summaries.items():
                if _fits(key, incomplete) and (only is None or getattr(known[key], only)):
                    yield key, summary

    return _safely(complete)


def words(known: Mapping[str, str]) -> Complete:
    """Return the completion of fixed words, each with a sentence about it."""
    return lambda incomplete: [(word, said) for word, said in known.items() if _fits(word, incomplete)]


def _fits(word: str, incomplete: str) -> bool:
    return word.casefold().startswith(incomplete.casefold())


def _safely(complete: Complete) -> Complete:
    """Return a completion that offers nothing if it fails: an error would be printed into the line that is typed."""

    def safely(incomplete: str) -> Iterable[tuple[str, str]]:
        with contextlib.suppress(Exception):
            return [*complete(incomplete)]
        return []

    return safely


FORMATS = ids("wfgate.read:FORMATS")
"""The formats of wfgate."""
WRITTEN_FORMATS = ids("wfgate.read:FORMATS", only="writes")
"""The formats that wfgate can write."""
