"""Embedders and meaning models of other packages: classes that a spec selects, beside wfgate's own."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from wfgate.base import Registry, blamed, check_class, documentation_of
from wfgate.errors import ConfigError
from wfgate.language.spec import Selectable

S = TypeVar("S", bound=Selectable)


@dataclass(frozen=True)
class PluginKind(Generic[S]):
    """A class of another package.

    Attributes:
        kind: The class.
        package: The distribution with its version.
        wrapped: Returns a component of the class whose errors name the package.
    """

    kind: type[S]
    package: str
    wrapped: Callable[[S, str], S]

    @property
    def id(self) -> str:
        """Id of the component."""
        return self.kind.id

    @property
    def documentation(self) -> str:
        """The documentation that `wfgate explain` shows."""
        return documentation_of(self.kind, self.package)

    def form(self) -> str:
        """Return the form of the component's spec: "id" or "id:ARGUMENT"."""
        return self.kind.form()

    def load(self, argument: str) -> S:
        """Return the component for the argument of a spec.

        Raises:
            ConfigError: If the argument is not supported or missing, or the package fails.
        """
        with blamed(f"the {self.kind.kind} {self.id!r}", self.package):
            return self.wrapped(self.kind.load(argument), self.package)


def component(known: Registry[type[S] | PluginKind[S]], spec: str) -> S:
    """Return the component for a spec, of wfgate or of an installed package.

    Raises:
        ConfigError: If there is no such component, its argument is missing or not supported, or its package fails.
    """
    own_id, _, argument = spec.strip().partition(":")
    if own_id not in known:
        forms = ", ".join([*(kind.form() for kind in known.values()), *known.extensions.ids])
        raise ConfigError(f"unknown {known.kind} {own_id!r}", fix=f"use one of: {forms}")
    return known[own_id].load(argument.strip())


def complete_class(name: str, kind: object, base: type[S], public: str) -> type[S]:
    """Return the class of a package, as `check_class` does, if it has all methods; see there."""
    given = check_class(name, kind, base, public)
    if inspect.isabstract(given):
        raise TypeError(f"these methods are missing: {', '.join(sorted(given.__abstractmethods__))}")
    return given
