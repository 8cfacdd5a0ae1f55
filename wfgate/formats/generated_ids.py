"""Ids that an editor makes up: new ones with every export, so that they say nothing."""

import re

_GENERATED = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|[0-9]{10,17}")


def is_generated(value: object) -> bool:
    """Return whether a value is a UUID or a time in seconds or less.

    Example:
        >>> [is_generated(value) for value in ("0b83f901-f97c-428f-8954-c4b772509bb2", "1715846546749", "orders")]
        [True, True, False]
    """
    return isinstance(value, str) and _GENERATED.fullmatch(value) is not None
