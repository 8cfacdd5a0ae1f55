"""Writes the results of `measure.py` as the tables, sentences and figures of calibration/beside-others.md."""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))

import docs_pictures
from worker import TOOLS

RESULTS = Path(__file__).parents[1] / "peers.json"
RATES = (0.01, 0.05)
"""Shares of harmless pairs blocked at which the harmful pairs caught are counted."""
GATE = "wfgate"
OURS = (GATE, "wfgate-score")
FASTER = {GATE: ("worfeval-node", 20), "wfgate-score": ("worfeval-node", 200)}
"""How many times the median of WorFEval a median of wfgate should be: the tool, and the target."""
TITLES = {name: tool.title for name, tool in TOOLS.items()} | {"recorded-model": "a recorded language model"}
POPULATIONS = {
    "perturbed": "Perturbed workflows",
    "graded": "Perturbed workflows with recorded grades",
    "regenerations": "Workflows written anew",
    "short": "Short names",
    "processtbench": "Plans with tool calls",
}
ABOUT = {
    "perturbed": """\
Variants of goldens that trained no network: harmless are rewordings of some or all steps, harmful are all
[perturbations](../docs/perturbations.md) (one to five steps in ten; the other steps verbatim or reworded). wfgate uses
a profile that was fitted on other goldens, with the same kinds of perturbations.""",
    "graded": """\
The [pairs of the paper's tables](lab-book.md#the-judge-of-the-paper), without goldens that trained the network:
harmless are rewordings, harmful are missing and merged steps; wfgate's profile as above. The language model graded
each pair with the paper's rubric (mean of three wordings), as the model-graded metrics of deepeval and promptfoo
do.""",
    "regenerations": """\
Workflows that a language model wrote from the brief of a golden (half "{half}" of the
[corpus](corpora/regenerations/DATA_CARD.md)): harmless are those that reviewers accepted. The recorded
language model had to quote each step; its score is the number of problems that wfgate finds in the quotes. Model and
reviewers are of the same family.""",
    "short": """\
Goldens with step names of one to six words, with the names of a workflow written anew; harmful are those in which one
step has the name from a changed brief.""",
    "processtbench": """\
Plans that a language model made for the tasks of ProcessTBench. An exact comparison of tools and dependencies says
which are harmful; reworded and translated arguments are harmless. wfgate was developed with this corpus at hand.
Goldens and plans list their steps in different orders, which scores of texts count as a difference.""",
}
COLORS = ("#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c8c8c")
DASHES = ("", "6 3")
Json = dict[str, Any]


def read(path: Path = RESULTS) -> Json:
    """Return the results."""
    found: Json = json.loads(path.read_text(encoding="utf-8"))
    return found


def as_json(found: Json) -> str:
    """Return results as JSON: one line for each innermost object."""

    def lines(value: Any, indent: str) -> str:
        if not isinstance(value, dict) or not any(isinstance(each, dict) for each in value.values()):
            return json.dumps(value, ensure_ascii=False)
        inner = indent + "  "
        members = (f"{inner}{json.dumps(name)}: {lines(each, inner)}" for name, each in value.items())
        return "{\n" + ",\n".join(members) + f"\n{indent}}}"

    return lines(found, "") + "\n"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a Markdown table."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def setup(found: Json) -> str:
    """Return what was measured."""
    used = found["settings"]
    named = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    return (
        f"At most {used['pairs']} pairs of each population, two harmless for each harmful one where there are enough; "
        f"seed {used['seed']}. Versions: {named}"
        f"{'' if 'WorFBench' in found['versions'] else '; no clone of WorFBench was given'}."
    )


def sections(found: Json) -> str:
    """Return a section with table and figure for each population."""
    return "\n\n".join(_section(name, found) for name in POPULATIONS if name in found["populations"])


def _section(name: str, found: Json) -> str:
    title = POPULATIONS[name]
    members = found["populations"][name]
    head = ("tool", "harmless / harmful", "AUC", "minus wfgate's", *(f"caught at {_percent(rate)}" for rate in RATES))
    rows = [
        (
            TITLES[tool],
            f"{each['harmless']} / {each['harmful']}",
            _area(each["auc"]),
            "-" if tool == GATE else _difference(each["difference"]),
            *(_share(each["caught"][str(rate)]) for rate in RATES),
        )
        for tool, each in members["tools"].items()
    ]
    unscored = [
        f"{TITLES[tool]} {each['unscored']}" for tool, each in members["tools"].items() if each.get("unscored")
    ]
    parts = [
        f"### {title}",
        f"{ABOUT[name].format(half=found['settings']['half'])} {members['goldens']} goldens.",
        table(head, rows),
        f"Pairs without a score (ranked last): {', '.join(unscored)}." if unscored else "",
        f"![ROC curves: {title}](../docs/pictures/beside-{name}.svg)",
    ]
    return "\n\n".join(filter(None, parts))


def unchanged(found: Json) -> str:
    """Return the table of identical and relisted workflows."""
    rows = [
        (TITLES[tool], *(f"{below} of {of} ({_percent(below / of)})" for below, of in members.values()))
        for tool, members in found["same"].items()
    ]
    return table(("tool", "identical, below 1", "relisted, below 1"), rows)


def costs(found: Json) -> str:
    """Return the table of time and memory."""
    rows = [
        (
            TITLES[tool],
            f"{each['first_s']:.2f} s ({each['starts']})",
            _milliseconds(each["median_ms"]),
            _milliseconds(each["p95_ms"]),
            f"{each['peak_mb']:,} MB",
            f"{each['pairs']:,}",
        )
        for tool, each in found["cost"].items()
    ]
    measured = table(("tool", "first pair (processes)", "median", "95th percentile", "peak memory", "pairs"), rows)
    return "\n\n".join(filter(None, (measured, _ratios(found["cost"]))))


def _ratios(cost: Json) -> str:
    """Return how much faster than WorFEval wfgate is, with the targets; empty if it was not measured."""
    rows = [
        (TITLES[tool], f"{cost[peer]['median_ms'] / cost[tool]['median_ms']:.1f}", f">= {target}")
        for tool, (peer, target) in FASTER.items()
        if peer in cost and tool in cost
    ]
    return (
        table(("tool", f"{TITLES['worfeval-node']}: median divided by that of the tool", "wanted"), rows)
        if rows
        else ""
    )


def better(found: Json) -> str:
    """Return the list of all places where another tool is better than wfgate, or not shown to be worse."""
    lines = [line for name in POPULATIONS if name in found["populations"] for line in _ranked_better(name, found)]
    ours = found["cost"][GATE]
    for key, what in {
        "first_s": "faster on the first pair",
        "median_ms": "faster on later pairs (median)",
        "peak_mb": "smaller in memory",
    }.items():
        smaller = {tool for tool, each in found["cost"].items() if each[key] < ours[key]}
        tools = [TITLES[tool] for tool in found["cost"] if tool in smaller.difference(OURS)]
        if tools:
            lines.append(f"- **Cost.** {what[0].upper()}{what[1:]} than wfgate: {', '.join(tools)}.")
    for name, what in {"identity": "identical", "relisted": "relisted"}.items():
        of = {tool: below / count for tool, each in found["same"].items() for below, count in [each[name]]}
        tools = [TITLES[tool] for tool in of if of[tool] < of[GATE] and tool not in OURS]
        if tools:
            lines.append(f"- **{what.capitalize()} workflows.** Fewer scores below 1: {', '.join(tools)}.")
    return "\n".join(lines) or "Every other tool is shown to be worse than wfgate in all of the measured numbers."


def _ranked_better(name: str, found: Json) -> Iterator[str]:
    """Yield what other tools do as well or better on one population."""
    tools = found["populations"][name]["tools"]
    title = POPULATIONS[name]
    for tool, each in tools.items():
        if tool in OURS:
            continue
        said = []
        value, low, high = each["difference"]
        if high >= 0:
            higher = "a higher AUC" if low > 0 else "an AUC that is not shown to differ" if value else "the same AUC"
            said.append(f"{higher}, {_difference(each['difference'])}")
        for rate in map(str, RATES):
            theirs, ours = each["caught"][rate], tools[GATE]["caught"][rate]
            if theirs[0] > ours[0]:
                sure = "" if theirs[1] > ours[2] else " (the intervals overlap)"
                said.append(
                    f"more caught at {_percent(float(rate))}, {_percent(theirs[0])} against {_percent(ours[0])}{sure}"
                )
        if said:
            yield f"- **{title}.** {TITLES[tool]}: {'; '.join(said)}."


def missing(found: Json) -> str:
    """Return what could not be measured, and the errors that tools raised."""
    lines = []
    for tool, problem in found["problems"].items():
        counted = (
            ", ".join(f"{kind} on {count} pairs" for kind, count in problem.items())
            if isinstance(problem, dict)
            else f"not measured: {problem}"
        )
        lines.append(f"- {TITLES[tool]}: {counted}.")
    return "\n".join(lines) or "All tools were measured, and none raised an error."


def report(found: Json) -> str:
    """Return everything as text, for the terminal."""
    parts = {"": setup(found), "As good as wfgate or better": better(found), "Not measured, errors": missing(found)}
    more = {"Same workflows": unchanged(found), "Cost": costs(found)}
    said = "\n\n".join(f"## {name}\n\n{text}" if name else text for name, text in (parts | more).items())
    return f"{said}\n\n{sections(found)}"


def pictures(found: Json) -> dict[str, str]:
    """Return the ROC figures by file name."""
    return {
        f"beside-{name}.svg": _roc(POPULATIONS[name], members["tools"])
        for name, members in found["populations"].items()
    }


def _roc(title: str, tools: Mapping[str, Json]) -> str:
    """Return the ROC curves of all tools: harmful pairs caught by harmless pairs blocked."""
    left, right, top, bottom = 60, 440, 40, 420
    axes = f"M{left} {top}V{bottom}H{right}"
    parts = [
        f'<path class="line" d="{axes}"/>',
        f'<path class="line" stroke-dasharray="2 4" d="M{left} {bottom}L{right} {top}"/>',
    ]
    for share in (0, 25, 50, 75, 100):
        x, y = left + share / 100 * (right - left), bottom - share / 100 * (bottom - top)
        parts.append(docs_pictures.text(left - 8, y + 4, f"{share} %", "small", "end"))
        parts.append(docs_pictures.text(x, bottom + 20, f"{share} %", "small"))
    parts.append(docs_pictures.text(left, 22, "harmful workflows caught", "small", "start"))
    parts.append(docs_pictures.text(right, bottom + 42, "harmless workflows blocked", "small", "end"))
    parts.append(docs_pictures.text(470, 52, "tool (AUC)", "small", "start"))
    others = (tool for tool in TITLES if tool != GATE)
    styles = dict(zip(others, _styles(), strict=False)) | {GATE: ' style="stroke-width:3"'}
    kinds = {GATE: "line curve"}
    for tool in sorted(tools, key=lambda tool: tool == GATE):  # wfgate is drawn last, above all others
        points = [map(float, point.split(",")) for point in tools[tool]["curve"].split()]
        drawn = [(left + x * (right - left), bottom - y * (bottom - top)) for x, y in points]
        path = "".join(f"{'L' if number else 'M'}{x:.1f} {y:.1f}" for number, (x, y) in enumerate(drawn))
        parts.append(f'<path class="{kinds.get(tool, "line")}"{styles[tool]} d="{path}"/>')
    for place, tool in enumerate(sorted(tools, key=lambda tool: -tools[tool]["auc"][0])):
        y = 76 + 26 * place
        parts.append(f'<path class="{kinds.get(tool, "line")}"{styles[tool]} d="M470 {y}h28"/>')
        parts.append(docs_pictures.text(506, y + 4, f"{TITLES[tool]} ({tools[tool]['auc'][0]:.2f})", "small", "start"))
    return docs_pictures.svg(760, 480, f"{title}: harmful workflows caught by harmless workflows blocked", parts)


def _styles() -> Iterator[str]:
    """Yield colours for curves, first solid, then dashed."""
    for dashes in DASHES:
        for color in COLORS:
            yield f' style="stroke:{color};stroke-dasharray:{dashes or "none"}"'


def _area(values: list[float]) -> str:
    value, low, high = values
    return f"{value:.3f} ({low:.2f}-{high:.2f})"


def _difference(values: list[float]) -> str:
    value, low, high = values
    return f"{value:+.3f} ({low:+.2f} to {high:+.2f})"


def _share(values: list[float]) -> str:
    value, low, high = (round(100 * each) for each in values)
    return f"{value} % ({low}-{high} %)"


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def _milliseconds(value: float) -> str:
    return f"{value:.2f} ms" if value < 10 else f"{value:,.0f} ms"
