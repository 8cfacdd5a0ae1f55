"""The report for code scanning: SARIF 2.1.0."""

import json
import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, ClassVar
from urllib.parse import quote

from wfgate.decide import RUN_CHECKS, CaseResult, GateResult
from wfgate.model import Place, SourceSpan
from wfgate.rules import CHECKS, SECTIONS, SEVERITIES, Check, Severity, fingerprint_of
from wfgate.run import FILE_NAMES
from wfgate.show import wording
from wfgate.show.base import Reporter
from wfgate.show.escape import visible
from wfgate.show.view import RunCase, RunView

SCHEMA_URI = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
CAP = 5000
"""Results written, the most severe first; GitHub shows no more, and refuses files with over 25,000."""
MESSAGE = 1000
"""Characters of a message."""

_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
_LINE = re.compile(r"(.+\.jsonl):([1-9]\d{0,8})")
"""Name of a case without an id: the line of its suite."""
_VERDICT = "verdict"
_VERDICT_RULE = {
    "id": _VERDICT,
    "name": "Verdict",
    "shortDescription": {"text": "A reason without a finding: statistics, judge, nothing compared."},
    "defaultConfiguration": {"level": "error"},
}


class SarifReporter(Reporter):
    """SARIF 2.1.0 for code scanning: each finding has a position, and a fingerprint that is stable across commits."""

    id: ClassVar[str] = "sarif"

    def render(self, result: GateResult) -> str:
        """Return the SARIF log, ASCII only."""
        run = RunView(result)
        items = [item for view in run.cases for item in _results(view)]
        items.sort(key=lambda item: tuple(_LEVELS.values()).index(item["level"]))
        shown = items[:CAP]
        rules = [*(_rule(check) for check in _checks(shown)), _VERDICT_RULE]
        places = {rule["id"]: place for place, rule in enumerate(rules)}
        invocation: dict[str, Any] = {
            "executionSuccessful": not result.errors and not run.is_empty,
            "exitCode": result.exit_code,
        }
        if notes := list(_notes(run, len(items) - len(shown))):
            invocation["toolExecutionNotifications"] = notes
        log = {
            "tool": {
                "driver": {
                    "name": "wfgate",
                    "version": result.tool.version,
                    "semanticVersion": result.tool.version,
                    "rules": rules,
                }
            },
            "automationDetails": {"id": "wfgate/"},
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation],
            "results": [item | {"ruleIndex": places[item["ruleId"]]} for item in shown],
        }
        document = {"$schema": SCHEMA_URI, "version": "2.1.0", "runs": [log]}
        return json.dumps(document, indent=1, allow_nan=False) + "\n"


def _results(view: RunCase) -> Iterator[dict[str, Any]]:
    """Yield the reasons without a finding, then the findings."""
    case = view.case
    level: Severity = "error" if view.fails else "warning"
    for one in view.reasons:
        if case.verdict != "pass" and one.reason.fingerprint is None:
            item = _result(case, _VERDICT, level, one.sentence, f"{_VERDICT}:{one.reason.message}")
            yield item | {"locations": [_place(case, None)]} | _suppressed(case)
    sentences = {one.reason.fingerprint: one.sentence for one in view.reasons}
    for finding in case.findings:
        words = sentences.get(finding.fingerprint) or wording.sentence(finding)
        item = _result(case, finding.id, finding.severity, words, finding.fingerprint)
        item["locations"] = [_place(case, finding.location)]
        if finding.golden_location is not None and wording.is_file(case.golden):
            golden = _location(case.golden, finding.golden_location) | {"message": {"text": "in the golden"}}
            item["relatedLocations"] = [golden]
        if finding.waived is not None:
            words = f"{finding.waived.owner}, until {finding.waived.expires}: {finding.waived.reason}"
            item["suppressions"] = _accepted(words)
        item["baselineState"] = "unchanged" if finding.pre_existing else "new"
        yield _suppressed(case) | item


def _suppressed(case: CaseResult) -> dict[str, Any]:
    """Return the suppressions of all results of an accepted case."""
    one = case.accepted
    return {"suppressions": _accepted(f"accepted by {one.by}: {one.url}")} if one is not None else {}


def _accepted(words: str) -> list[dict[str, str]]:
    return [{"kind": "external", "status": "accepted", "justification": visible(words)}]


def _result(case: CaseResult, rule: str, level: Severity, words: str, key: str) -> dict[str, Any]:
    digest = fingerprint_of(case.id, key)
    return {
        "ruleId": rule,
        "level": _LEVELS[level],
        "message": {"text": _plain(f"{case.id}: {words}")},
        # GitHub looks at the second name only.
        "partialFingerprints": {"wfgate/v1": digest, "primaryLocationLineHash": f"{digest}:1"},
        "properties": {"case": visible(case.id), "verdict": case.verdict},
    }


def _place(case: CaseResult, span: SourceSpan | None) -> dict[str, Any]:
    """Return the location of a result: in the candidate, else the golden, else the suite, else the configuration.

    Every result needs a file, because code scanning refuses the whole log if one result has none.
    """
    if wording.is_file(case.candidate):
        return _location(case.candidate, span)
    golden = case.golden.split(", ")[0]
    line = _LINE.fullmatch(case.id)
    if wording.is_file(golden):
        place = _location(golden, None)
    elif line:
        place = _location(line[1], SourceSpan(line=int(line[2]), column=1))
    else:
        place = _location(FILE_NAMES[0], None)
    return place | {"logicalLocations": [{"name": visible(case.candidate), "kind": "resource"}]}


def _location(file: str, span: SourceSpan | None) -> dict[str, Any]:
    region = {"startLine": span.line, "startColumn": span.column} if span else {"startLine": 1}
    file = span.file if isinstance(span, Place) else file
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(file)}, "region": region}}


def _uri(file: str) -> str:
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix(), safe="/@")


def _plain(text: str) -> str:
    """Return a text without embedded links, which SARIF writes as `[text](target)`."""
    return re.sub(r"\]\s*\(", "] (", visible(text, MESSAGE)).replace("[", "(").replace("]", ")")


def _notes(run: RunView, left_out: int) -> Iterator[dict[str, Any]]:
    for view in run.given:
        if view.case.error is not None:
            yield {"level": "error", "message": {"text": _plain(f"{view.case.id}: {view.headline}")}}
    for verdict, words, fails in run.judged:
        level = "error" if fails else "note"
        yield {"level": level, "message": {"text": _plain(f"{wording.VERDICTS[verdict]} {words}")}}
    for words in run.notes():
        yield {"level": "note", "message": {"text": _plain(words)}}
    if not run.cases:
        yield {"level": "error" if run.is_empty else "note", "message": {"text": run.summary}}
    if left_out > 0:
        text = f"{wording.count(left_out, 'less severe result')} omitted; see the JSON report"
        yield {"level": "warning", "message": {"text": text}}


def _checks(items: list[dict[str, Any]]) -> list[Check]:
    named = {item["ruleId"] for item in items}
    others = [CHECKS[name] for name in sorted(named) if name in CHECKS.extensions.ids]
    return [check for check in (*CHECKS.values(), *RUN_CHECKS.values(), *others) if check.id in named]


def _rule(check: Check) -> dict[str, Any]:
    first, _, rest = check.documentation.partition("\n\n")
    words = " ".join(first.split())
    sections = re.sub(rf"^({'|'.join(SECTIONS)}):\n", r"**\1:**\n", rest, flags=re.MULTILINE)
    lines = "\n".join(line.strip() for line in sections.splitlines())
    return {
        "id": check.id,
        "name": "".join(word.capitalize() for word in check.defect.split("-")),
        "shortDescription": {"text": words},
        "fullDescription": {"text": words},
        "help": {"text": check.documentation, "markdown": f"{words}\n\n{lines}"},
        "defaultConfiguration": {"level": _LEVELS[check.severity]},
        "properties": {"problem.severity": _problem(check.severity), "tags": ["workflow"]},
    }


def _problem(severity: Severity) -> str:
    return ("error", "warning", "recommendation")[SEVERITIES.index(severity)]
