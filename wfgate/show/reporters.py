"""Reports: each module is one output format. A report turns a result into text; it never changes the exit code."""

from typing import TYPE_CHECKING

from wfgate.base import Registry, table

if TYPE_CHECKING:
    from wfgate.show.base import Reporter

REPORTERS: "Registry[Reporter]" = Registry(
    "reporter",
    table(
        "wfgate.show",
        {
            "text": (
                "text:TextReporter",
                "Plain text, optionally in colour: of each failed case what broke, how bad it is, and what to do.",
            ),
            "oneline": (
                "oneline:OnelineReporter",
                (
                    "One line per reason and finding, as compilers print them, sorted: `file:line:column: verdict ID "
                    "level: message`."
                ),
            ),
            "json": (
                "json:JsonReporter",
                (
                    "One JSON document with the complete result: `wfgate.result/2`, ASCII only, keys in the order of "
                    "the schema."
                ),
            ),
            "jsonl": (
                "jsonl:JsonlReporter",
                "JSON Lines: one case per line, in the form of `cases` in the JSON report.",
            ),
            "markdown": (
                "markdown:MarkdownReporter",
                "GitHub-flavoured Markdown for a job summary or a comment, of limited length.",
            ),
            "html": (
                "html:HtmlReporter",
                (
                    "One self-contained HTML page: a table of cases, the worst first, and a picture of the changes "
                    "of each case."
                ),
            ),
            "sarif": (
                "sarif:SarifReporter",
                (
                    "SARIF 2.1.0 for code scanning: each finding has a position, and a fingerprint that is stable "
                    "across commits."
                ),
            ),
            "junit": (
                "junit:JunitReporter",
                (
                    "JUnit XML: a case is a test; a regression is a failure, a case that could not be compared is an "
                    "error."
                ),
            ),
            "github": ("github:GithubReporter", "Annotations in a GitHub Actions log, at most ten."),
        },
    ),
    group="wfgate.reporters",
    added="wfgate.show.plugins:added",
)
"""Every reporter, in the order in which they are listed everywhere."""
