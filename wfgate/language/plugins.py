"""Embedders and meaning models of other packages: classes that a spec selects, beside wfgate's own."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from wfgate.base import Extensions, Registry, blamed, check_class, documentation_of
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

    def load(self, argument: str) -> S:
        """Return the component for the argument of a spec.

        Raises:
            ConfigError: If the argument is not supported or missing, or the package fails.
        """
        with blamed(f"the {self.kind.kind} {self.id!r}", self.package):
            return self.wrapped(self.kind.load(argument), self.package)


class SelectablePlugins(Extensions[PluginKind[S]]):
    """The classes of one kind that installed packages add.

    Args:
        base: The class that they must derive from.
        public: Name of this class for messages.
        group: The entry point group.
        own: wfgate's own classes, whose ids no package may use.
        wrapped: Returns a component of such a class whose errors name the package.
    """

    def __init__(
        self, base: type[S], public: str, group: str, own: Registry[type[S]], wrapped: Callable[[S, str], S]
    ) -> None:
        super().__init__(base.kind, group, own, self._entry)
        self._base = base
        self._public = public
        self._own = own
        self._wrapped = wrapped

    def component(self, spec: str) -> S:
        """Return the component for a spec, of wfgate or of an installed package.

        Raises:
            ConfigError: If there is no such component, its argument is missing or not supported, or its package fails.
        """
        own_id, _, argument = spec.strip().partition(":")
        if own_id in self._own:
            return self._own[own_id].load(argument.strip())
        if own_id in self.ids:
            return self.find(own_id).load(argument.strip())
        forms = ", ".join([*(kind.form() for kind in self._own.values()), *self.ids])
        raise ConfigError(f"unknown {self.kind} {own_id!r}", fix=f"use one of: {forms}")

    def check(self, found: type[S]) -> None:
        """Check a class of a package; whatever this raises is a fault of the package."""
        if inspect.isabstract(found):
            raise TypeError(f"these methods are missing: {', '.join(sorted(found.__abstractmethods__))}")

    def _entry(self, name: str, kind: object, package: str) -> PluginKind[S]:
        found = check_class(name, kind, self._base, self._public)
        self.check(found)
        return PluginKind(found, package, self._wrapped)
