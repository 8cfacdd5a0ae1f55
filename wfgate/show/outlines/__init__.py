"""A workflow as an outline for a terminal."""
