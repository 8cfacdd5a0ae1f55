"""A result as text, Markdown, HTML, SARIF, JUnit or JSON. A report never changes a verdict or an exit code."""

from wfgate.base.door import door

__getattr__, __dir__ = door(
    __name__,
    {
        "base": "Reporter",
        "compared": "SideBySide side_by_side",
        "console": "LintedFile lint_record lint_text plain render score_table",
        "own_rules": "rule_page rule_text rules_record rules_text",
        "contract": "SharedContract contract_record contract_text freed_lines",
        "escape": "guarded markdown_text markup visible",
        "explained": "case_names explained_text rule_meaning",
        "json": "published_schema result_schema",
        "jsonl": "case_schema",
        "markdown": "table",
        "oneline": "verdict_line",
        "outlines.text": "outline",
        "page": "document html_page",
        "picture.scene": "pictures_of",
        "picture.svg": "picture_style svg",
        "picture.text": "changes_text",
        "picture.views": "pair_picture",
        "reporters": "REPORTERS",
        "runs": "SHORT changed_names flip_words other_settings run_link run_name since_words took_words way_words",
        "scoring": "suite_text",
        "text": "STYLES TextReporter lines_of",
        "view": "CaseView ReasonView",
        "wording": "VERDICTS count counted_words percent percent_range summary",
    },
)
