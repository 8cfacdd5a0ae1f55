"""Reports: each module is one output format. A report turns a result into text; it never changes the exit code."""

from wfgate.base import Registry
from wfgate.show.base import Reporter
from wfgate.show.github import GithubReporter
from wfgate.show.html import HtmlReporter
from wfgate.show.json import JsonReporter, result_schema
from wfgate.show.jsonl import JsonlReporter, case_schema
from wfgate.show.junit import JunitReporter
from wfgate.show.markdown import MarkdownReporter
from wfgate.show.oneline import OnelineReporter
from wfgate.show.sarif import SarifReporter
from wfgate.show.text import TextReporter

REPORTERS: Registry[Reporter] = Registry(
    "reporter",
    (
        TextReporter(),
        OnelineReporter(),
        JsonReporter(),
        JsonlReporter(),
        MarkdownReporter(),
        HtmlReporter(),
        SarifReporter(),
        JunitReporter(),
        GithubReporter(),
    ),
)
"""Every reporter, in the order in which they are listed everywhere."""

__all__ = [
    "REPORTERS",
    "GithubReporter",
    "HtmlReporter",
    "JsonReporter",
    "JsonlReporter",
    "JunitReporter",
    "MarkdownReporter",
    "OnelineReporter",
    "Reporter",
    "SarifReporter",
    "TextReporter",
    "case_schema",
    "result_schema",
]
