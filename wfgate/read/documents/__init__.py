"""Bytes to documents: text, YAML, JSON and XML, with positions and limits. The kind of a file is decided here."""
