"""Bytes to `Workflow`: documents with positions, and one reader for each format."""

from wfgate.base.door import door

__getattr__, __dir__ = door(
    __name__,
    {
        "documents.beside": "Beside is_outside",
        "documents.document": "Diagnostic Document Path",
        "documents.folders": "entries_below files_below repository_of",
        "documents.json_lines": "records",
        "documents.kind": "document_of",
        "documents.limits": "MAX_BYTES",
        "documents.text": "decode load_bytes load_text",
        "documents.values": "Remainder Unquoted canonical_text check_plain",
        "formats": "FORMATS find read_data read_file read_text suffixes write",
        "formats.base": "Format ProseFormat Reading other_parts",
        "formats.builder": "with_ends",
        "formats.called": "ACTION Call called_by_commands called_by_values may_call",
        "formats.choice": "DETECTED EVERY Formats IGNORED format_of is_ignored is_listed",
        "formats.consequences": "CLASSES COMMENTS Class Consequences NEUTRAL consequences_of",
        "formats.drawings.plan": "repetition said",
        "formats.drawings.workflow": "named_ways",
        "formats.folders": (
            "APPROVALS OTHER_FOLDERS OWN_RULES Skipped VARIANT_MARK is_record is_workflow key_of read_or_skip "
            "readable_below rules_beside why_skipped workflow_files workflow_name"
        ),
        "formats.foreign": "is_no_workflow",
        "formats.mermaid.writer": "label",
        "formats.table": "recognising",
    },
)
