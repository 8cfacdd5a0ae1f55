"""The console (package rich) that lays out text."""

from io import StringIO

from rich.console import Console


def console(file: StringIO, width: int, *, color: bool) -> Console:
    """Return a console of `width` columns that interprets no markup and ignores the environment."""
    return Console(
        file=file,
        width=width,
        force_terminal=color,
        no_color=not color,
        color_system="standard" if color else None,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
