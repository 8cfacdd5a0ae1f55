"""How many examples hypothesis draws: slow tests and the weekly run draw them all, who waits for the tests a part."""

import os


def examples(count: int) -> int:
    """Return `count` where the environment sets `ALL_EXAMPLES`, otherwise a quarter of it, but at least 10."""
    return count if os.environ.get("ALL_EXAMPLES") else max(10, count // 4)
