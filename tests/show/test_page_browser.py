"""The page in a real browser: Chromium without a window, driven through its driver."""

import json
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from wfgate.decide import Assessor, Origin, Pair, Policy, default_profile, record_of
from wfgate.decide.run_record import counted
from wfgate.history import history_page
from wfgate.language import load_embedder, load_meaning_model
from wfgate.run import Gate, read_pairs
from wfgate.show import REPORTERS

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="chromium and chromedriver are not installed"),
]
DEPLOY = Path(__file__).parents[2] / "examples" / "deploy"
HOSTILE = (
    "<img src=x onerror=window.hacked=1></script><script>window.hacked=1</script>\u202e<svg onload=window.hacked=1>"
)


def hostile() -> Pair:
    def steps(*names: str) -> dict[str, Any]:
        return {"wfgate": "1", "name": HOSTILE, "steps": [f"{name} {HOSTILE}" for name in names]}

    return Pair(HOSTILE, (steps("Build", "Scan", "Push", "Deploy"),), steps("Build", "Push", "Deploy"))


def composites() -> Pair:
    inner = {"tasks": [{"id": "x", "name": "Run the unit tests"}, {"id": "y", "name": "Scan the image"}]}
    inner |= {"flow": [{"from": "START", "to": "x"}, {"from": "x", "to": "y"}, {"from": "y", "to": "END"}]}
    outer = {
        "tasks": [
            {"id": "a", "name": "Build the image"},
            {"id": "k", "name": "All checks", "workflow": "checks"},
            {"id": "b", "name": "Deploy the image"},
        ],
        "flow": [
            *({"from": one, "to": two} for one, two in (("START", "a"), ("a", "k"), ("k", "b"), ("b", "END"))),
        ],
    }
    whole = {"wfgate": "1", "main": "ship", "workflows": {"ship": outer, "checks": inner}}
    return Pair("composites", (whole,), json.loads(json.dumps(whole).replace("Scan the image", "Sign the image")))


RUNBOOK = (
    "Announce the maintenance window in the operations channel and page the on-call database engineer",
    "Confirm that the replica in eu-west-1 is healthy and lags less than 30 seconds behind the primary",
    "Put the application into read-only mode",
    "Wait until all open transactions on the primary are committed or rolled back",
    "Take a snapshot of the primary and record its identifier in the incident ticket",
    "Stop replication on the replica",
    "Promote the replica to primary",
    "Point the DNS record db.internal.example.com to the new primary and wait until the change is visible",
    "Run the smoke tests against the new primary",
    "Switch the application back to read-write mode",
    "Require approval of the incident commander before the old primary is deleted",
    "Notify the customers on the status page that the maintenance is finished",
)


def runbook() -> Pair:
    """Twelve steps in a row; the candidate lacks one, changes one and exchanges two."""

    def text(title: str, steps: Sequence[str]) -> str:
        return "\n".join([f"# {title}", "", *(f"{number}. {step}." for number, step in enumerate(steps, start=1))])

    steps = [step.replace("30 seconds", "300 seconds") for step in RUNBOOK if "snapshot" not in step]
    steps[7], steps[8] = steps[8], steps[7]
    long = "FAILOVER OF THE PRODUCTION DATABASE, generated again after the incident review of the second quarter"
    return Pair("runbook", (text("Database failover runbook", RUNBOOK),), text(long, steps))


def long() -> Pair:
    """Sixty steps in a row; the candidate lacks one and says the contrary of another."""
    golden = [f"Check part {number} of the building" for number in range(60)]
    candidate = [step for step in golden if " 20 " not in step]
    candidate[39] = "Do not check part 40 of the building"
    return Pair("long", ({"wfgate": "1", "steps": golden},), {"wfgate": "1", "steps": candidate})


def wide() -> Pair:
    """Ten parallel steps; the candidate lacks one."""

    def release(*jobs: str) -> dict[str, Any]:
        tasks = [{"id": "a", "name": "Check out the sources"}, *({"id": job, "name": f"Run {job}"} for job in jobs)]
        tasks.append({"id": "z", "name": "Publish the packages"})
        flow = [("START", "a"), *(link for job in jobs for link in (("a", job), (job, "z"))), ("z", "END")]
        whole = {"tasks": tasks, "flow": [{"from": a, "to": b} for a, b in flow]}
        return {"wfgate": "1", "main": "release", "workflows": {"release": whole}}

    jobs = ("lint", "types", "unit", "integration", "browser", "docs", "licences", "audit", "build")
    return Pair("wide", (release(*jobs),), release(*jobs[1:]))


@pytest.fixture(scope="module")
def long_report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a report: a linear runbook, a wide graph, strangers' text, and changes since a previous run."""
    gate = Gate(Assessor(load_embedder(), load_meaning_model()), default_profile(), Policy(), keep_pairs=True)
    result = gate.run([runbook(), wide(), hostile(), composites(), long()], tool="0")
    before = record_of(result, Origin(ref="a-branch-with-a-name-that-does-not-fit-on-a-narrow-screen/" * 3))
    cases = before.cases | {"runbook": "pass", "gone-" * 30: "pass"}
    before = before.model_copy(update={"cases": cases, "counts": counted(cases), "url": "runs/1.html"})
    folder = tmp_path_factory.mktemp("long")
    path = folder / "report.html"
    path.write_text(REPORTERS["html"].render(result.model_copy(update={"previous": before})))
    (folder / "history.html").write_text(history_page([before, record_of(result)] * 20))
    return path.as_uri()


@pytest.fixture
def sized(browser: Any) -> Iterator[Callable[[int], None]]:
    """Set the width of the window in CSS pixels."""

    def resize(width: int) -> None:
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    yield resize
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a report: the example, strangers' text, composites, and many cases to filter."""
    suite = DEPLOY / "suite.jsonl"
    pairs = [*read_pairs(iter(suite.read_text().splitlines()), "suite", DEPLOY), hostile(), composites()]
    gate = Gate(Assessor(load_embedder(), load_meaning_model()), default_profile(), Policy(), keep_pairs=True)
    result = gate.run(pairs, tool="0")
    passed = next(case for case in result.cases if case.verdict == "pass")
    more = tuple(passed.model_copy(update={"id": f"more/{number}"}) for number in range(492))
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(REPORTERS["html"].render(result.model_copy(update={"cases": (*result.cases, *more)})))
    return path.as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from selenium import webdriver  # noqa: PLC0415 - only where there is a browser

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--window-size=1400,1000",
    ):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(DRIVER)))
    yield driver
    driver.quit()


@pytest.fixture
def page(browser: Any, report: str) -> Any:
    """The report, freshly opened, with a log that holds nothing yet."""
    browser.get("about:blank")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    for log in ("browser", "performance"):
        browser.get_log(log)
    browser.get(report)
    ready(browser)
    return browser


def opened(browser: Any, address: str) -> None:
    """Open a report afresh."""
    browser.get("about:blank")
    browser.get(address)
    ready(browser)


def ready(browser: Any) -> None:
    """Wait for the report's own script, the last thing of the page: a slow machine hands over a half read page."""
    until(browser, "document.readyState === 'complete' && document.querySelector('#more').textContent")


def until(browser: Any, script: str) -> Any:
    """Wait until a script returns something, and return that."""
    from selenium.webdriver.support.ui import WebDriverWait  # noqa: PLC0415 - see above

    return WebDriverWait(browser, 20, poll_frequency=0.02).until(
        lambda driver: driver.execute_script(f"return {script}")
    )


def open_case(browser: Any, name: str) -> None:
    """Open a case as people do: by its link."""
    browser.execute_script(
        "[...document.querySelectorAll('#cases a')].find((link) => link.textContent.includes(arguments[0])).click()",
        name,
    )
    until(browser, "!document.querySelector('#case').hidden && document.activeElement.tagName === 'H2'")


def press(browser: Any, *keys: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains  # noqa: PLC0415 - see above

    ActionChains(browser).send_keys(*keys).perform()


def test_no_error_and_no_request(page: Any):
    for name in ("missing-hardening", "onerror", "composites"):
        open_case(page, name)
        page.execute_script("location.hash = '#overview'")
        until(page, "!document.querySelector('#overview').hidden")
    assert page.get_log("browser") == []
    sent = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    asked = {one["params"]["request"]["url"] for one in sent if one["method"] == "Network.requestWillBeSent"}
    assert all(url.startswith(("file:", "data:", "about:")) for url in asked), asked
    assert page.execute_script("return window.hacked") is None


def test_strangers_text_does_not_run(page: Any):
    open_case(page, "onerror")
    shown = page.execute_script("return document.querySelector('#case').textContent")
    assert "<img src=x onerror=window.hacked=1>" in shown
    assert "\\u202e" in shown
    assert page.execute_script("return window.hacked") is None
    assert page.execute_script("return document.querySelectorAll('#case img, #case script, #case iframe').length") == 0


def test_the_policy_holds_what_the_page_would_not(page: Any):
    """What escaping let through would still not run: no script, handler or style in place, no request."""
    page.execute_script(
        "document.querySelector('#overview').insertAdjacentHTML('beforeend', arguments[0])",
        "<img id=bad src=https://evil.example/x.png onerror='window.hacked = 1'><p id=red style='color: red'>x</p>",
    )
    assert page.execute_script("return window.hacked") is None
    assert page.execute_script("return document.querySelector('#red').style.color") == ""
    assert any("Content Security Policy" in entry["message"] for entry in page.get_log("browser"))


def test_filters(page: Any):
    def shown() -> tuple[int, str]:
        return tuple(
            page.execute_script(
                "return [[...document.querySelectorAll('#cases tbody tr')].filter((row) => !row.hidden).length,"
                "document.querySelector('#shown').textContent]"
            )
        )

    def choose(own: str, value: str) -> None:
        page.execute_script(
            "const one = document.getElementById(arguments[0]); one.value = arguments[1];"
            "one.dispatchEvent(new Event('input', {bubbles: true}))",
            own,
            value,
        )

    until(page, "document.querySelectorAll('#cases tbody tr[hidden]').length")  # on a busy machine it takes a moment
    assert shown() == (100, "500 cases")  # the others when asked for
    choose("by-text", "hardening")
    assert shown() == (1, "1 of 500 cases")
    choose("by-text", "")
    choose("by-corpus", "more")
    assert shown() == (100, "492 of 500 cases")
    page.execute_script("document.querySelector('#more').click()")
    assert shown()[0] == 492
    assert page.execute_script("return document.querySelector('#more').hidden")
    choose("by-corpus", "")
    choose("by-finding", "WR203")
    assert shown()[0] == 1
    choose("by-finding", "")
    choose("by-severity", "0.3")
    assert 1 <= shown()[0] <= 4
    page.execute_script("document.querySelector('#filters').reset()")
    until(page, "document.querySelector('#shown').textContent === '500 cases'")
    page.execute_script("document.querySelector('[data-only=block]').click()")
    assert shown()[0] == page.execute_script("return document.querySelectorAll('tr[data-verdict=block]').length")
    assert (
        page.execute_script("return document.querySelector('[data-only=block]').getAttribute('aria-pressed')")
        == "true"
    )


def test_sorting(page: Any):
    def column(name: str) -> list[str]:
        return page.execute_script(
            "return [...document.querySelectorAll('#cases tbody tr')].map((row) => row.dataset[arguments[0]])", name
        )

    button = "document.querySelector('[data-by=severity]').click()"
    for rising in (True, False):
        page.execute_script(button)
        found = [float(value) for value in column("severity")]
        assert found == sorted(found, reverse=not rising)
    assert page.execute_script("return document.querySelectorAll('th[aria-sort=descending]').length") == 1


def test_twins_light_up_and_keys_lead_through_the_picture(page: Any):
    from selenium.webdriver.common.keys import Keys  # noqa: PLC0415 - see above

    lit = "return [...document.querySelectorAll('.lit')].map((box) => box.closest('.side').dataset.side).sort()"
    open_case(page, "squeezed-observability")
    page.execute_script("document.querySelector('[data-look=\"0\"]').click()")
    page.execute_script("document.querySelector('.canvas').focus()")
    press(page, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert page.execute_script("return document.activeElement.getAttribute('aria-label')").startswith("golden: Build")
    assert page.execute_script(lit) == ["candidate", "golden"]
    press(page, Keys.ARROW_RIGHT)
    assert page.execute_script("return document.activeElement.getAttribute('aria-label')").startswith(
        "candidate: Create"
    )
    press(page, Keys.ARROW_LEFT, Keys.ARROW_UP)
    assert page.execute_script("return document.activeElement.getAttribute('aria-label')") == "golden: START"
    page.execute_script(  # a step that two golden ones were merged into
        "for (const box of document.querySelectorAll('.side[data-side=candidate] .box')) {"
        "  box.focus(); if (document.querySelectorAll('.side[data-side=golden] .lit').length === 2) break; }"
    )
    assert page.execute_script(lit) == ["candidate", "golden", "golden"]
    wide = "return document.querySelector('.view svg').getAttribute('width')"
    before = int(page.execute_script(wide))
    press(page, "+")
    assert int(page.execute_script(wide)) > before
    press(page, "-", "-")
    assert int(page.execute_script(wide)) < before
    press(page, Keys.ESCAPE)
    until(page, "!document.querySelector('#overview').hidden")
    assert until(page, "document.activeElement.textContent") == "squeezed-observability"


def test_pointing_lights_up_twins(page: Any):
    from selenium.webdriver.common.action_chains import ActionChains  # noqa: PLC0415 - see above

    open_case(page, "missing-hardening")
    box = page.execute_script("return document.querySelector('.side[data-side=golden] .box.reworded rect')")
    ActionChains(page).move_to_element(box).perform()
    assert page.execute_script("return document.querySelectorAll('.lit').length") == 2


def test_composites_fold(page: Any):
    open_case(page, "composites")
    boxes = "return document.querySelectorAll('.view:not([hidden]) .box').length"
    before = page.execute_script(boxes)
    page.execute_script("document.querySelector('[data-look=\"1\"]').click()")
    assert page.execute_script(boxes) == before - 2
    assert page.execute_script("return document.querySelectorAll('.view:not([hidden]) .composite').length") == 2
    page.execute_script("document.querySelector('.view:not([hidden]) .side[data-side=candidate] .composite').focus()")
    press(page, "\ue007")  # Enter
    assert page.execute_script(boxes) == before
    focused = "return document.activeElement.closest('.side').dataset.side + document.activeElement.textContent"
    assert page.execute_script(focused).startswith("candidateRun the unit tests")
    page.execute_script("document.querySelector('[data-look=\"1\"]').click()")
    page.execute_script(
        "document.querySelector('.view:not([hidden]) .composite rect')"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    assert page.execute_script(boxes) == before
    assert page.execute_script("return document.querySelector('[data-look=\"1\"]').ariaPressed") == "false"


BOXES = (
    "return [...document.querySelectorAll(arguments[0])].map((one) => one.getBoundingClientRect())"
    ".map((box) => [box.left, box.top, box.right, box.bottom])"
)


def overlap(one: list[float], other: list[float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@pytest.mark.parametrize("width", [400, 1400])
def test_titles_do_not_overlap(browser: Any, long_report: str, sized: Callable[[int], None], width: int):
    sized(width)
    opened(browser, long_report)
    for name in ("runbook", "wide", "onerror"):
        open_case(browser, name)
        heads = browser.execute_script(BOXES, ".view:not([hidden]) .head tspan")
        boxes = browser.execute_script(BOXES, ".view:not([hidden]) .box rect, .view:not([hidden]) .box > path")
        golden, candidate = browser.execute_script(BOXES, ".view:not([hidden]) .head")
        assert not overlap(golden, candidate), name
        assert not any(overlap(head, box) for head in heads for box in boxes), name
        browser.execute_script("location.hash = '#overview'")
        until(browser, "!document.querySelector('#overview').hidden")


def test_a_linear_runbook_fills_the_width_and_its_steps_stand_side_by_side(
    browser: Any, long_report: str, sized: Callable[[int], None]
):
    sized(1400)
    opened(browser, long_report)
    open_case(browser, "runbook")
    ((left, _, right, _),) = browser.execute_script(BOXES, ".canvas")
    golden, candidate = (
        browser.execute_script(BOXES, f".side[data-side={side}] .task rect") for side in ("golden", "candidate")
    )
    assert min(box[0] for box in golden) - left < 60
    assert right - max(box[2] for box in candidate) < 60
    assert len({box[0] for box in golden}) == len({box[0] for box in candidate}) == 1
    middles = [{round((box[1] + box[3]) / 2) for box in side} for side in (golden, candidate)]
    assert len(middles[1] - middles[0]) == 0
    assert len(middles[0] - middles[1]) == 1  # the missing step
    texts = browser.execute_script(
        "return [...document.querySelectorAll('.side .task')].map((box) => [box, ...box.querySelectorAll('tspan')]"
        ".map((one) => one.getBoundingClientRect()).map((box) => [box.left, box.right]))"
    )
    for (low, high), *rows in texts:
        assert all(low <= start and end <= high for start, end in rows)


def test_the_reasons_are_above_the_picture(browser: Any, long_report: str, sized: Callable[[int], None]):
    sized(1400)
    opened(browser, long_report)
    open_case(browser, "runbook")
    tops = browser.execute_script(
        "return Object.fromEntries([...document.querySelectorAll('#case h3, .canvas')]"
        ".map((one) => [one.className || one.textContent, one.getBoundingClientRect().top]))"
    )
    assert 0 < tops["Why"] < tops["What to do"] < tops["canvas"] < tops["Severity"]
    assert tops["Why"] < 300  # on the first screen
    shown = browser.execute_script("return document.querySelector('#case').innerText")
    assert "Previous run: PASS, newly blocked" in shown


def test_the_changes_come_first_and_the_whole_is_behind_them(
    browser: Any, long_report: str, sized: Callable[[int], None]
):
    sized(1400)
    opened(browser, long_report)
    open_case(browser, "long")
    focused = "return document.activeElement.getAttribute('aria-label')"
    at = "return document.querySelector('.at').textContent"
    boxes = "return document.querySelectorAll('.view:not([hidden]) .box').length"
    few = browser.execute_script(boxes)
    assert few < 30
    browser.execute_script("document.querySelector('[data-do=next]').click()")
    assert "golden: Check part 20 of the building; missing" in browser.execute_script(focused)
    press(browser, "n")
    assert "golden: Check part 40" in browser.execute_script(focused)
    assert browser.execute_script(at) == "2 of 2"
    place = "const {top, bottom} = document.activeElement.getBoundingClientRect();"
    browser.execute_script("document.querySelector('[data-look=\\'0\\']').click()")
    assert browser.execute_script(boxes) > 110
    browser.execute_script("document.querySelector('[data-do=previous]').click()")
    assert browser.execute_script(at) == "2 of 2"
    assert browser.execute_script(f"{place} return top >= 0 && bottom <= innerHeight")
    browser.execute_script("document.querySelector('[data-look=changes]').click()")
    browser.execute_script(
        "document.querySelector('.view:not([hidden]) .group rect')"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    assert browser.execute_script(boxes) > 110
    assert browser.execute_script(focused) == "golden: Check part 0 of the building"


def test_decisions_become_commands(page: Any):
    def commands() -> list[str]:
        return page.execute_script("return document.querySelector('#decided code').textContent").split("\n")

    def press_button(word: str, where: str = "#cases tr") -> None:
        page.execute_script(
            "document.querySelector(`${arguments[0]} [data-decide=${arguments[1]}]`).click()", where, word
        )

    shown = "return !document.querySelector('#decided').hidden"
    assert not page.execute_script(shown)
    press_button("accept")
    (first,) = commands()
    assert first.startswith("wfgate approve ")
    assert first.endswith(" --reason '<why>'")
    page.execute_script(
        "const own = document.querySelector('#reason'); own.value = arguments[0];"
        "own.dispatchEvent(new Event('input'))",
        "it's a new $(scan)",
    )
    assert shlex.split(commands()[0])[-2:] == ["--reason", "it's a new $(scan)"]
    open_case(page, "missing-hardening")
    press_button("refuse", "#case")
    assert len(commands()) == 2
    assert shlex.split(commands()[1])[0] == "echo"
    assert page.execute_script("return document.querySelector('#decisions').textContent") == "1 accepted, 1 refused."
    press_button("refuse", "#case")
    assert len(commands()) == 1
    press_button("accept")
    assert not page.execute_script(shown)


def test_a_report_of_one_case_opens_it(browser: Any, tmp_path: Path):
    gate = Gate(Assessor(load_embedder(), load_meaning_model()), default_profile(), Policy(), keep_pairs=True)
    path = tmp_path / "report.html"
    path.write_text(REPORTERS["html"].render(gate.run([runbook()], tool="0")))
    browser.get(path.as_uri())
    until(browser, "document.activeElement.tagName === 'H2'")
    assert "Why" in browser.execute_script("return document.body.innerText")
    browser.execute_script("document.querySelector('.back a').click()")
    until(browser, "!document.querySelector('#overview').hidden")


def test_nothing_scrolls_sideways_on_a_phone(browser: Any, long_report: str, sized: Callable[[int], None]):
    sized(400)
    sideways = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    browser.get(long_report.replace("report.html", "history.html"))
    assert browser.execute_script(sideways) <= 0
    browser.get(long_report)
    ready(browser)
    assert browser.execute_script(sideways) <= 0
    ((left, _, right, _), *_) = browser.execute_script(BOXES, "#cases tbody tr")
    assert 340 < right - left <= 400
    cells = browser.execute_script(BOXES, "#cases tbody tr:first-child > *")
    assert all(above[3] <= below[1] for above, below in pairwise(cells))  # one below the other: a card
    label = "return getComputedStyle(document.querySelector('#cases td[data-label=Why]'), '::before').content"
    assert "Why" in browser.execute_script(label)
    for name in ("runbook", "wide", "onerror", "composites"):
        open_case(browser, name)
        browser.execute_script("for (const each of document.querySelectorAll('details')) each.open = true")
        assert browser.execute_script(sideways) <= 0, name
        browser.execute_script("location.hash = '#overview'")
        until(browser, "!document.querySelector('#overview').hidden")


def test_light_dark_and_paper(page: Any):
    open_case(page, "missing-hardening")
    colour = (
        "return [getComputedStyle(document.body).backgroundColor,"
        "getComputedStyle(document.querySelector('.picture')).backgroundColor]"
    )
    seen = []
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        seen.append(page.execute_script(colour))
    assert seen[0] == ["rgb(255, 255, 255)"] * 2
    assert seen[1] == ["rgb(13, 17, 23)"] * 2
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    assert page.execute_script("return getComputedStyle(document.querySelector('.tools')).display") == "none"
    assert len(page.print_page()) > 10_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_barrier(page: Any, scheme: str):
    import axe_core_python  # noqa: PLC0415 - only where there is a browser

    features = [{"name": "prefers-color-scheme", "value": scheme}]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    page.set_script_timeout(300)  # a check of the whole page takes seconds, on a busy machine more than the usual 30
    page.execute_script((Path(axe_core_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8"))
    for name in ("", "squeezed-observability", "scan-if-there-is-time", "composites"):
        if name:
            page.execute_script("location.hash = '#overview'")
            until(page, "!document.querySelector('#overview').hidden")
            open_case(page, name)
        else:
            page.execute_script("document.getElementById('by-text').value = 'a'")
        found = page.execute_async_script(
            "const done = arguments[arguments.length - 1]; axe.run(document).then("
            "(result) => done(result.violations.map((one) => [one.impact, one.id, one.nodes[0].html])))"
        )
        assert [one for one in found if one[0] in {"serious", "critical"}] == []
