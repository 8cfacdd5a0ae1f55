"""Embedders of other packages (entry point group `wfgate.embedders`)."""

from collections.abc import Sequence

import numpy as np

from wfgate.base import blamed, checked
from wfgate.language.embedders.base import Embedder, MatchingParameters, Vectors
from wfgate.language.plugins import PluginKind, complete_class

_UNIT = 1e-3
"""Largest difference of the length of a row from 1."""


class PluginEmbedder(Embedder):
    """An embedder of another package. Its errors become `ConfigError`s that name the package.

    Args:
        inner: The embedder.
        package: The distribution of the embedder, with its version.
    """

    def __init__(self, inner: Embedder, package: str) -> None:
        self.inner = inner
        self.package = package
        self.id = inner.id  # type: ignore[misc] # same identity as the wrapped embedder
        self.version = inner.version  # type: ignore[misc]
        self.contextual = inner.contextual  # type: ignore[misc]
        self.remembered = inner.remembered  # type: ignore[misc]
        self._what = f"the embedder {self.id!r}"

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the embedder."""
        with blamed(self._what, self.package):
            return checked(self.inner.fingerprint, str, "the fingerprint is")

    @property
    def parameters(self) -> MatchingParameters:
        """The parameters of the embedder."""
        with blamed(self._what, self.package):
            return checked(self.inner.parameters, MatchingParameters, "the parameters are")

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit-length row per text, zeros for a text without meaning.

        Raises:
            ConfigError: If the package fails, or returns no such rows.
        """
        with blamed(self._what, self.package):
            return _rows(self.inner.embed(texts), "embed() returned", len(texts))

    def embed_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """Return for each text one unit-length row per token.

        Raises:
            ConfigError: If the package fails, or returns no such rows.
        """
        with blamed(self._what, self.package):
            rows = checked(self.inner.embed_tokens(texts), list, "embed_tokens() returned")
            if len(rows) != len(texts):
                raise ValueError(f"embed_tokens() returned {len(rows)} items for {len(texts)} texts")
            return [_rows(each, "embed_tokens() returned") for each in rows]


def added(name: str, kind: object, package: str) -> PluginKind[Embedder]:
    """Return the class of a package; whatever this raises is a fault of the package."""
    public = "wfgate.language.embedders.base.Embedder"
    embedder = complete_class(name, kind, Embedder, public)  # type: ignore[type-abstract]
    checked(embedder.contextual, bool, "the attribute `contextual` is")
    return PluginKind(embedder, package, PluginEmbedder)


def _rows(value: object, what: str, count: int | None = None) -> Vectors:
    """Return rows of single precision, if they are finite, of length 1 or 0, and as many as asked for."""
    rows = checked(value, np.ndarray, what)
    if rows.ndim != 2 or (count is not None and len(rows) != count):
        wanted = "rows" if count is None else f"{count} rows"
        raise ValueError(f"{what} an array of the shape {rows.shape}, not {wanted}")
    rows = rows.astype(np.float32, copy=False)
    lengths = np.linalg.norm(rows, axis=1)
    if not (np.isfinite(lengths).all() and ((np.abs(lengths - 1) < _UNIT) | (lengths == 0)).all()):
        raise ValueError(f"{what} rows whose length is not 1")
    return rows
