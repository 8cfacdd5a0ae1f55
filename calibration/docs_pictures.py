"""Draws the figures of docs/how-it-decides.md as SVG: the stages of a decision, and the null distribution."""

import json
from html import escape
from importlib.resources import files
from itertools import pairwise
from typing import Any

STYLE = """
text { font: 14px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: #1f2328 }
.small { font-size: 12px; fill: #57606a } .paper { fill: #fff } .box { fill: #f6f8fa; stroke: #59636e }
.line { fill: none; stroke: #59636e; stroke-width: 1.5 }
.tip { fill: #59636e } .curve { stroke: #0a58ca; stroke-width: 2 }
.block { fill: #fff0ee; stroke: #b42318 } .review { fill: #fff4e0; stroke: #8a4b00 }
.pass { fill: #edf4ff; stroke: #0a58ca }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .small { fill: #9da7b3 } .paper { fill: #0d1117 } .box { fill: #161b22; stroke: #8b949e }
  .line { stroke: #8b949e } .tip { fill: #8b949e } .curve { stroke: #79b8ff }
  .block { fill: #3d1513; stroke: #ff938a } .review { fill: #3a2a0b; stroke: #e3b341 }
  .pass { fill: #0d2440; stroke: #79b8ff }
}"""
CELL = "kept, rewritten"
"""The cell whose null distribution is drawn; it may use the whole false-block rate."""
STAGES = (
    ("Align", ("which steps correspond", "merged, split, missing, added")),
    ("Fates", ("what became of each step:", "does its text mean the same?")),
    ("Findings, evidence", ("weight and claims of a finding,", "numbers that grow with damage")),
    ("p-value", ("among harmless candidates of", "its structure, style and length")),
)
VERDICTS = (
    ("block", "block", ("a proof, a lost critical step,", "or a p-value up to alpha_block")),
    ("review", "review", ("a contradiction, an unsure critical step,", "or a p-value up to alpha_review")),
    ("pass", "pass", ("otherwise",)),
)


def svg(width: int, height: int, title: str, parts: list[str]) -> str:
    """Return a picture."""
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        f' role="img" aria-label="{escape(title)}">\n<style>{STYLE}\n</style>\n'
        f'<rect class="paper" width="{width}" height="{height}"/>\n{body}\n</svg>\n'
    )


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "middle") -> str:
    """Return a line of text."""
    return f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def box(x: float, y: float, width: float, kind: str, title: str, lines: tuple[str, ...]) -> list[str]:
    """Return a box of height 76 with a title and small lines."""
    middle = x + width / 2
    small = [text(middle, y + 44 + 17 * number, line, "small") for number, line in enumerate(lines)]
    return [
        f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="76" rx="6"/>',
        text(middle, y + 23, title),
        *small,
    ]


def arrow(points: list[tuple[float, float]]) -> str:
    """Return a line with a tip; its last part is horizontal or goes down."""
    path = " ".join(f"{'L' if number else 'M'}{x:g} {y:g}" for number, (x, y) in enumerate(points))
    (before, _), (x, y) = points[-2:]
    tip = f"{x - 8} {y - 4} {x - 8} {y + 4} {x} {y}" if before != x else f"{x - 4} {y - 8} {x + 4} {y - 8} {x} {y}"
    return f'<path class="line" d="{path}"/><polygon class="tip" points="{tip}"/>'


def decision() -> str:
    """Return the picture of the stages: four boxes in a row, three verdicts below."""
    wide, gap = 212, 26
    left = [20 + number * (wide + gap) for number in range(len(STAGES))]
    parts = [
        part for x, (title, lines) in zip(left, STAGES, strict=True) for part in box(x, 20, wide, "box", title, lines)
    ]
    parts += [arrow([(a + wide, 58), (b, 58)]) for a, b in pairwise(left)]
    each, start = 280, 45
    middle = left[-1] + wide / 2
    for number, (kind, title, lines) in enumerate(VERDICTS):
        x = start + number * (each + 30)
        parts += box(x, 170, each, kind, title, lines)
        parts.append(arrow([(middle, 96), (middle, 132), (x + each / 2, 132), (x + each / 2, 170)]))
    return svg(966, 266, "Align, fates, findings and evidence, p-value; then block, review or pass", parts)


def null_distribution(profile: dict[str, Any]) -> str:
    """Return the picture of the share of harmless candidates of a cell with at least a score, with both rates."""
    null, promise = profile["null"]["cells"][CELL], profile["promise"]
    scores, shares = null["scores"], [tail / null["mass"] for tail in null["tail"]]
    left, right, top, bottom = 70, 860, 40, 300
    low, high = scores[-1], scores[0]

    def x_of(score: float) -> float:
        return left + (score - low) / (high - low) * (right - left)

    def y_of(share: float) -> float:
        return bottom - share * (bottom - top)

    points = [(x_of(score), y_of(share)) for score, share in zip(scores, shares, strict=True)]
    path = "".join(f"{'L' if number else 'M'}{x:.1f} {y:.1f}" for number, (x, y) in enumerate(points))
    parts = [f'<path class="line" d="M{left} {top}V{bottom}H{right}"/>', f'<path class="line curve" d="{path}"/>']
    shown = (0, 25, 50, 75, 100)
    parts += [text(left - 8, y_of(share / 100) + 4, f"{share} %", "small", "end") for share in shown]
    parts.append(text(left, 22, f"harmless candidates ({CELL}) with at least this score", "small", "start"))
    parts.append(text(right, bottom + 42, "nonconformity score (higher is worse)", "small", "end"))
    for kind, rate, y in (("review", promise["alpha_review"], 110), ("block", promise["alpha_block"], 70)):
        score = next(
            (score for score, share in zip(reversed(scores), reversed(shares), strict=True) if share <= rate), high
        )
        x = x_of(score)
        parts.append(f'<path class="line {kind}" stroke-dasharray="4 4" d="M{x:.1f} {y}V{bottom}"/>')
        parts.append(text(x + 6, y + 12, f"{kind}: {100 * rate:g} %", "", "start"))
    return svg(900, 350, f"The share of harmless candidates ({CELL}) with at least a score", parts)


def pictures() -> dict[str, str]:
    """Return the pictures by file name."""
    profile = json.loads((files("wfgate") / "data" / "profiles" / "default.json").read_text("utf-8"))
    return {"decision.svg": decision(), "null-distribution.svg": null_distribution(profile)}
