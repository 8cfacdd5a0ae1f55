"""Makes findings from broken own rules, and requires that the golden keeps them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from wfgate.errors import OwnRuleError
from wfgate.model import Task, read
from wfgate.rules.base import SEVERITIES, Finding, Severity, fingerprint_of
from wfgate.rules.own.check import OwnRuleBroken
from wfgate.rules.own.evaluate import Breach, Subjected
from wfgate.rules.own.file import PlacedRule
from wfgate.rules.weight import Grounds, Waive, no_waiver, weigh


def require_kept(rules: Iterable[PlacedRule], golden: Subjected) -> None:
    """Raise an error for the first rule that names no step of the golden, or that the golden breaks.

    `never` and `additional` need no match, nor does each step of `exactly_one_of`.

    Raises:
        OwnRuleError: With the place of the rule and the fix.
    """
    for one in rules:
        rule = one.rule
        if rule.kind not in {"never", "exactly_one_of", "contains", "at_least", "additional"}:
            for step in rule.steps:
                if not golden.finder.find(step).best:
                    raise OwnRuleError(
                        f"{one.place}: the rule {rule.id!r} names a step that the golden does not have: {step}",
                        fix="name it as it is in the golden (see `wfgate rules`), or limit the rule with `cases`",
                    )
        breach = next(golden.breaches(rule), None)
        if breach is not None:
            exact = "name the step by a pattern or with `same_words`, " if breach.doubtful else "correct the rule, "
            raise OwnRuleError(
                f"{one.place}: the golden itself breaks the rule {rule.id!r}: {read(breach.message).text}",
                fix=f"{exact}limit it to other cases with `cases`, or approve a golden that keeps it",
            )


def findings_of(
    rules: Iterable[PlacedRule],
    subject: Subjected,
    levels: Mapping[str, str] | None = None,
    waived: Waive = no_waiver,
) -> tuple[Finding, ...]:
    """Return a finding for each breach of a rule, in the order of the rule ids.

    Args:
        rules: The rules that apply.
        subject: The workflow.
        levels: Configured level by check id; that of `WO001` replaces the levels of the rules.
        waived: Returns the waiver of a finding.
    """
    level = (levels or {}).get(OwnRuleBroken.id)
    if level == "off":
        return ()
    policy = next((each for each in SEVERITIES if each == level), None)
    times: Counter[str] = Counter()
    findings = []
    for one in sorted(rules, key=lambda one: one.rule.id):
        for breach in subject.breaches(one.rule):
            tasks = [subject.workflow.tasks[step] for step in breach.steps]
            parts = [" ".join(task.text.casefold().split()) for task in tasks]
            parts += ["lacks", str(breach.lacks)] if breach.lacks else []
            fingerprint = fingerprint_of(OwnRuleBroken.id, one.rule.id, *parts)
            times[fingerprint] += 1
            if times[fingerprint] > 1:  # steps with the same text
                fingerprint = fingerprint_of(OwnRuleBroken.id, one.rule.id, *parts, f"#{times[fingerprint]}")
            golden = subject.finder.golden
            lacking = golden.find(breach.lacks).steps if golden and breach.lacks else ()
            known = [golden.workflow.tasks[step] for step in lacking] if golden else []
            findings.append(_finding(one, breach, (known, tasks), fingerprint, policy, waived))
    return tuple(findings)


def _finding(
    one: PlacedRule,
    breach: Breach,
    steps: tuple[Sequence[Task], Sequence[Task]],
    fingerprint: str,
    policy: Severity | None,
    waived: Waive,
) -> Finding:
    rule = one.rule
    known, tasks = steps
    because = f"; {rule.because.strip()}" if rule.because else ""
    said = read(f"rule {rule.id} is broken: {breach.message}{because}")
    severity: Severity = "warning" if rule.verdict == "review" or breach.doubtful else "error"
    waiver = waived(OwnRuleBroken.id, fingerprint)
    grounds = Grounds(severity, policy=None if breach.doubtful and policy == "error" else policy, proven=True)
    return Finding(
        id=OwnRuleBroken.id,
        defect=rule.id,
        about="flow",
        severity=grounds.level,
        weight=weigh(grounds, waived=waiver is not None),
        message=said.text,
        mentions=said.mentions,
        tasks=tuple(task.name for task in (*known, *tasks)),
        golden_steps=tuple(dict.fromkeys(task.id for task in known)),
        candidate_steps=tuple(dict.fromkeys(task.id for task in tasks)),
        location=next((task.span for task in tasks if task.span), None),
        golden_location=next((task.span for task in known if task.span), None),
        witness=(
            f"{one.place}",
            "proven" if breach.proven else "statistical: a step is matched by meaning",
            breach.fix,
        ),
        fingerprint=fingerprint,
        exact=breach.proven,
        proven=breach.proven,
        waived=waiver and waiver.model_copy(update={"weight": weigh(grounds)}),
    )
