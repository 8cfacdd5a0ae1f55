"""The report for build servers that read test results: JUnit XML."""

import re
from collections.abc import Iterator
from typing import ClassVar
from xml.etree import ElementTree as ET

from wfgate.decide import GateResult, Verdict
from wfgate.show import wording
from wfgate.show.base import Reporter
from wfgate.show.escape import LIMIT, visible
from wfgate.show.samples import TOGETHER, compared_cases, pooled_words, sample_fails, sample_words
from wfgate.show.text import TextReporter
from wfgate.show.view import RunCase, RunView

_NO_XML = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class JunitReporter(Reporter):
    """JUnit XML: a case is a test; a regression is a failure, a case that could not be compared is an error.

    The combined verdict on samples is a test too, and so is the comparison with a previous release. A test has the
    name of its case, so that a build server recognises the test in the next run.
    """

    id: ClassVar[str] = "junit"

    def render(self, result: GateResult) -> str:
        """Return the document."""
        run = RunView(result)
        kinds = [_kind(view.case.verdict, failing=view.fails) for view in run.cases]
        together = [
            (group, name, summary, verdict, _kind(verdict, failing=failing))
            for group, name, verdict, summary, failing in _together(run)
        ]
        kinds += [kind for *_, kind in together]
        if run.is_empty:  # build servers accept a suite without tests
            kinds.append("error")
        counts = {"tests": len(kinds), "failures": kinds.count("failure"), "errors": kinds.count("error")}
        attributes = {name: str(number) for name, number in counts.items()}
        root = ET.Element("testsuites", {"name": "wfgate", **attributes})
        suite = ET.SubElement(
            root, "testsuite", {"name": "wfgate", **attributes, "skipped": str(kinds.count("skipped"))}
        )
        properties = ET.SubElement(suite, "properties")
        facts = {"version": result.tool.version, "promise": run.promise}
        facts |= {"previous release": run.against} if run.against is not None else {}
        for name, value in facts.items():
            ET.SubElement(properties, "property", {"name": name, "value": _name(value)})
        if run.is_empty:
            test = ET.SubElement(suite, "testcase", {"name": "suite", "classname": "wfgate"})
            ET.SubElement(test, "error", {"message": run.summary, "type": "inconclusive"})
        for view, kind in zip(run.cases, kinds, strict=False):
            _add(suite, view, kind)
        for group, name, summary, verdict, kind in together:
            test = ET.SubElement(suite, "testcase", {"name": _name(name), "classname": group})
            if kind != "passed":
                ET.SubElement(test, kind, {"message": _name(summary), "type": verdict})
            elif verdict != "pass":
                ET.SubElement(test, "system-out").text = _name(summary)
        ET.indent(root, " ")
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _together(run: RunView) -> Iterator[tuple[str, str, Verdict, str, bool]]:
    """Yield tests about several cases (combined samples, compared releases): class, name, verdict, text, failing."""
    result = run.result
    for case, summary in sample_words(result):
        yield "samples", case.id, case.verdict, summary, sample_fails(case, result)
    if result.release is None:
        return
    for name, verdict, summary in compared_cases(result.release):
        yield "previous release", name, verdict, summary, wording.fails_alone(verdict, result)
    if len(result.release.cases) > 1:
        pooled = result.release.pooled.verdict
        failing = wording.fails_alone(pooled, result)
        yield "previous release of all cases", TOGETHER, pooled, pooled_words(result.release), failing


def _kind(verdict: Verdict, *, failing: bool) -> str:
    """Return the JUnit result of a verdict; a review that does not fail the build is "passed"."""
    if verdict == "inconclusive":
        return "error" if failing else "skipped"
    return "failure" if failing else "passed"


def _add(suite: ET.Element, view: RunCase, kind: str) -> None:
    case = view.case
    test = ET.SubElement(suite, "testcase", {"name": _name(case.id), "classname": _name(case.golden)})
    words = f"{view.verdict}: {visible(view.headline, 2 * LIMIT)}"
    details = _xml("\n" + TextReporter(width=100).case(view)) if case.verdict != "pass" or kind != "passed" else ""
    if kind != "passed":
        ET.SubElement(test, kind, {"message": _xml(words), "type": case.verdict}).text = details
    elif details:
        ET.SubElement(test, "system-out").text = details


def _name(text: str) -> str:
    return _xml(visible(text))


def _xml(text: str) -> str:
    """Return the text without characters that XML does not allow."""
    return _NO_XML.sub("\ufffd", text)
