"""Takes the two screenshots for the README: the example's HTML report in a browser.

usage: screenshots.py [FOLDER]

Needs Chromium with its driver, selenium and Pillow; FOLDER is examples/deploy by default.
"""

import io
import json
import shutil
import sys
import tempfile
from datetime import UTC, date, datetime
from pathlib import Path

from PIL import Image
from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

from wfgate import __version__
from wfgate.decide import Origin
from wfgate.run import Config, load_gate, read_pairs
from wfgate.show import REPORTERS

DEPLOY = Path(__file__).parents[1] / "examples" / "deploy"
SHOTS = {"report-overview": ("", 1240, 900), "report-pair": ("missing-hardening", 1180, 1330)}
"""File name, open case, width and height of each screenshot."""
ORIGIN = Origin(when=datetime(2026, 7, 1, 10, 30, tzinfo=UTC), commit="7d1f02c9", ref="rollout-checks")


def main() -> None:
    """Take the screenshots."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DEPLOY
    lines = (DEPLOY / "suite.jsonl").read_text(encoding="utf-8").splitlines()
    gate = load_gate(Config(), date.min, keep_pairs=True)
    result = gate.run(read_pairs(iter(lines), "suite", DEPLOY), tool=__version__)
    shown = [
        case.model_copy(update={"golden": _short(case.golden), "candidate": _short(case.candidate)})
        for case in result.cases
    ]
    with tempfile.TemporaryDirectory() as temporary:
        page = Path(temporary) / "report.html"
        drawn = result.model_copy(update={"cases": tuple(shown), "origin": ORIGIN})
        page.write_text(REPORTERS["html"].render(drawn), encoding="utf-8")
        options = webdriver.ChromeOptions()
        for flag in (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
        ):
            options.add_argument(flag)
        # With an explicit driver, selenium does not search the network for one.
        browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
        for name, (case, wide, tall) in SHOTS.items():
            browser.set_window_size(wide, tall)
            browser.get("about:blank")
            browser.get(page.as_uri())
            if case:
                browser.execute_script(
                    f"[...document.links].find((a) => a.textContent === {json.dumps(case)}).click()"
                )
                WebDriverWait(browser, 30).until(
                    lambda driver: driver.execute_script("return !document.querySelector('#case').hidden")
                )
            picture = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
            small = picture.quantize(160, dither=Image.Dither.NONE)
            small.save(folder / f"{name}.png", optimize=True)
        browser.quit()


def _short(path: str) -> str:
    return str(Path(path).relative_to(DEPLOY))


if __name__ == "__main__":
    main()
