"""Limits on the size of a file. A larger file is rejected before it costs time or memory."""

MAX_BYTES = 16 * 1024 * 1024
"""Largest file or text."""
MAX_DEPTH = 100
"""Deepest nesting of lists, mappings and elements."""
MAX_VALUES = 500_000
"""Most list items and mapping entries of a JSON or YAML document: each has a position, which takes memory."""
MAX_ELEMENTS = 400_000
"""Most XML elements that are kept."""
MAX_ALIASED = 100_000
"""Most values that YAML aliases may expand to, all together."""
