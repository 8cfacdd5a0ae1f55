"""Components that a user selects by a spec: "id" or "id:ARGUMENT"."""

from abc import ABC
from typing import Any, ClassVar, Self

from wfgate.errors import ConfigError


class Selectable(ABC):
    """A component with a spec: an embedder or a meaning model."""

    kind: ClassVar[str]
    """Name of the kind of component, for messages ("embedder")."""
    id: ClassVar[str]
    version: ClassVar[int] = 1
    argument: ClassVar[str] = ""
    """Placeholder for the argument after `id:` in a spec ("MODEL"); empty if there is none."""

    @classmethod
    def load(cls, argument: str) -> Self:
        """Return the component for the argument of a spec. Weights are loaded on first use.

        Raises:
            ConfigError: If an unsupported argument is given or a required argument is missing.
        """
        if argument:
            raise ConfigError(f"the {cls.kind} {cls.id} takes no argument", fix=f"write {cls.form()}")
        return cls()

    @classmethod
    def form(cls) -> str:
        """Return the form of the component's spec: "id" or "id:ARGUMENT"."""
        return f"{cls.id}:{cls.argument}" if cls.argument else cls.id


class SelectedByModel(Selectable):
    """A component whose argument is the name of a model. A pickle contains only the name.

    Args:
        model: Name of the model; for local models also its folder.
    """

    argument = "MODEL"
    example: ClassVar[str] = "MODEL"
    """Name of a model, for messages."""

    def __init__(self, model: str) -> None:
        self.model = model

    @classmethod
    def load(cls, argument: str) -> Self:
        """Return the component for a model's name.

        Raises:
            ConfigError: If the argument is empty.
        """
        if not argument:
            raise ConfigError(f"the {cls.kind} {cls.id} needs a model", fix=f"write {cls.id}:{cls.example}")
        return cls(argument)

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model}
