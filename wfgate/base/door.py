"""The front door of a room: its `__init__` says which names other rooms may import, and where they are defined."""

from collections.abc import Callable, Mapping
from sys import modules
from typing import Any


def door(room: str, names: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a room, which load a name when it is first used.

    A process loads only the modules whose names it uses. Type checkers read the same from the file `__init__.pyi`,
    which `calibration/docs.py` writes from the table.

    Args:
        room: The name of the package.
        names: The names by the module that defines them, relative to the room; several are separated by spaces.

    Raises:
        AttributeError: From `__getattr__`, if the room does not hand out the name.

    Example:
        >>> get, _ = door("wfgate.base", {"registry": "Registry"})
        >>> get("Registry").__name__
        'Registry'
    """
    home = {name: f"{room}.{module}" for module, defined in names.items() for name in defined.split()}

    def __getattr__(name: str) -> Any:  # noqa: N807 - it becomes the function of the package
        if name not in home:
            raise AttributeError(f"{room} does not hand out {name!r}")
        __import__(home[name])  # not by importlib, whose time `-X importtime` does not show
        value = getattr(modules[home[name]], name)
        setattr(modules[room], name, value)
        return value

    def __dir__() -> list[str]:  # noqa: N807
        return sorted(home)

    return __getattr__, __dir__
