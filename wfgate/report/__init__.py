"""Reports: each module is one output format. A report turns a result into text; it never changes the exit code."""

from wfgate.registry import Registry
from wfgate.report.base import Reporter
from wfgate.report.github import GithubReporter
from wfgate.report.html import HtmlReporter
from wfgate.report.json import JsonReporter, result_schema
from wfgate.report.jsonl import JsonlReporter, case_schema
from wfgate.report.junit import JunitReporter
from wfgate.report.markdown import MarkdownReporter
from wfgate.report.oneline import OnelineReporter
from wfgate.report.sarif import SarifReporter
from wfgate.report.text import TextReporter

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
