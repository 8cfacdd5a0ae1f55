"""Time for drawing a large pair, size of a suite's HTML page, and time for filtering its table."""

import shutil
import statistics
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import Any

from accuracy import table
from speed import suite_lines, workflows

from wfgate import __version__
from wfgate.compare import compare
from wfgate.decide import step_states
from wfgate.language import load_embedder, load_meaning_model
from wfgate.run import Config, load_gate, read_pairs
from wfgate.show import REPORTERS, pair_picture, svg

PAIRS = 500
TYPED = ("a", "step", "7", "deploy", "")
"""Text typed into the filter."""


def pictures() -> None:
    """Print the numbers for a picture of a 200-task pair and a page of a 500-pair suite."""
    print("## Pictures\n")
    rows = [("a 200-task pair drawn (layout and SVG)", f"{_drawing(200):.2f} s", "<= 2 s")]
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        seconds = _page(page)
        rows.append((f"the page of {PAIRS} pairs", f"{page.stat().st_size / 1e6:.1f} MB", "<= 5 MB"))
        rows.append(("writing the page, without gating", f"{seconds:.1f} s", ""))
        rows.append((f"filtering {PAIRS} rows in Chromium", _filtering(page), "< 100 ms"))
    table(("what", "measured", "target"), rows)


def _drawing(n: int, repeats: int = 5) -> float:
    golden, candidate = workflows(n)
    comparison = compare(golden, candidate, load_embedder(), load_meaning_model())
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        svg([pair_picture(golden, candidate, comparison.alignment, step_states(comparison))])
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _page(path: Path) -> float:
    """Write a page of goldens, half compared with themselves, half with another golden; return the seconds."""
    lines = suite_lines(PAIRS, lambda number: f"part-{number % 5}/{number}")
    gate = load_gate(Config(), date.min, keep_pairs=True)
    result = gate.run(read_pairs(lines, "suite", path.parent), tool=__version__, jobs=2)
    start = time.perf_counter()
    text = REPORTERS["html"].render(result)
    seconds = time.perf_counter() - start
    path.write_text(text, encoding="utf-8")
    return seconds


def _filtering(page: Path) -> str:
    """Return the longest time for filtering and layout of the table."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    try:
        from selenium import webdriver  # noqa: PLC0415 - a development tool
    except ImportError:
        return "not measured: no selenium"
    if not chromium or not driver:
        return "not measured: no Chromium"
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    browser: Any = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        browser.get(page.as_uri())
        took = browser.execute_script(
            "const text = document.getElementById('by-text');"
            "return arguments[0].map((typed) => { const start = performance.now(); text.value = typed;"
            "text.dispatchEvent(new Event('input', {bubbles: true})); document.body.offsetHeight;"
            "return performance.now() - start })",
            list(TYPED),
        )
    finally:
        browser.quit()
    return f"{max(took):.0f} ms"
