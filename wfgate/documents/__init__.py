"""Bytes to documents: text, YAML, JSON and XML, with positions and limits. The kind of a file is decided here."""

from wfgate.documents.document import Diagnostic, Document, Key, Kind, Path, Severity
from wfgate.documents.fences import Block, fenced_blocks, json_blocks
from wfgate.documents.kind import document_of
from wfgate.documents.limits import MAX_BYTES, MAX_DEPTH, MAX_VALUES
from wfgate.documents.positions import Positions
from wfgate.documents.text import decode, load_text
from wfgate.documents.values import Remainder, Unquoted, canonical_text, check_plain

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_VALUES",
    "Block",
    "Diagnostic",
    "Document",
    "Key",
    "Kind",
    "Path",
    "Positions",
    "Remainder",
    "Severity",
    "Unquoted",
    "canonical_text",
    "check_plain",
    "decode",
    "document_of",
    "fenced_blocks",
    "json_blocks",
    "load_text",
]
