"""The page: one file, nothing loaded, nothing that a stranger's text could start."""

import base64
import hashlib
import re
import shlex
import zlib
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wfgate.compare import Alignment
from wfgate.compare.alignment import Match
from wfgate.decide import ComparedPair, Origin, Point, RunRecord
from wfgate.decide.run_record import counted
from wfgate.errors import ConfigError
from wfgate.model import START, Gateway, Guard, Link, Task, Workflow
from wfgate.rules import Waived
from wfgate.run.waiver_file import load_waivers
from wfgate.show import advice, wording
from wfgate.show.html import HtmlReporter
from wfgate.show.html.case import case_view
from wfgate.show.html.overview import rarity_scale, severity_scale
from wfgate.show.html.trajectory import trajectory
from wfgate.show.view import RunCase

from ..hypothesis_examples import examples

LOADING = {"src", "href", "srcset", "data", "action", "formaction", "poster", "xlink:href", "style", "ping", "content"}
VOID = {"meta", "link", "input", "br", "img"}


class Page(HTMLParser):
    """A page as elements; packed parts are unpacked and read, too."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.texts, self.open = [], [], [], []
        self.scripts, self.styles, self.packed = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []
        for packed in list(self.packed):
            self.feed(zlib.decompress(base64.b64decode(packed)).decode())
            assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append((tag, dict(attrs)))

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        tag, attrs = self.open[-1] if self.open else ("", {})
        if tag == "script":
            (self.packed if attrs.get("type") == "text/plain" else self.scripts).append(data)
        elif tag == "style":
            self.styles.append(data)
        else:
            self.texts.append(data)


def pair_of(name):
    golden = Workflow(
        name=name,
        tasks=(
            Task(id="a", name=name, description=name, action=name, timeout=name),
            Task(id="b", name=f"{name} b", kind="composite", workflow="part"),
        ),
        gateways=(Gateway(id="g", op="XOR"),),
        links=(
            Link(source=START, target="a", guard=Guard(expr=name)),
            Link(source="a", target="g"),
            Link(source="g", target="b", guard=Guard(expr=f"{name} == 1")),
        ),
        subworkflows=(Workflow(name="part", tasks=(Task(id="x", name=name),)),),
    )
    candidate = Workflow(name=name, tasks=(Task(id=name, name=f"{name} now"),))
    return ComparedPair(
        golden=golden,
        candidate=candidate,
        alignment=Alignment(matches=(Match(golden=0, candidate=0, similarity=0.5),)),
    )


def previous(cases, **changes):
    """A previous run with these verdicts."""
    verdict = "block" if "block" in cases.values() else "pass"
    given = {"version": "0.1.0", "profile": "default profile", "corpus": "c0ffee", "url": "https://ci.example/7"}
    return RunRecord(**(given | changes), verdict=verdict, counts=counted(cases), cases=cases)


@pytest.fixture
def make_page(make_hostile):
    """A page in which every text that a stranger can choose is the given one."""

    def make(text):
        plain = text.encode("utf-8", "replace").decode()
        result = make_hostile(plain)
        cases = tuple(case.model_copy(update={"pair": pair_of(plain or "x")}) for case in result.cases)
        known = {plain: "pass", f"{plain} gone": "block"}
        before = previous(known, ref=plain, commit=plain, version=plain, profile=plain, corpus=plain)
        origin = Origin(when=before.when, ref=plain, commit=plain, url="https://ci.example/7")
        return HtmlReporter().render(result.model_copy(update={"cases": cases, "previous": before, "origin": origin}))

    return make


def test_page(result):
    page = Page(HtmlReporter().render(result))
    assert page.tags.count("script") == len(result.cases) + 1
    assert page.tags.count("tr") >= len(result.cases)
    text = " ".join(page.texts)
    assert wording.summary(result) in text
    for case in result.cases:
        assert all(wording.sentence(reason) in text for reason in case.reasons) or case.error
        for score in case.metrics:
            assert score.metric in text
        for finding in case.findings:
            assert finding.fingerprint in text


def test_what_the_page_allows(result):
    text = HtmlReporter().render(result)
    page = Page(text)
    (policy,) = [
        value for tag, name, value in page.attributes if (tag, name) == ("meta", "content") and "src" in value
    ]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for name, parts in (("script-src", page.scripts), ("style-src", page.styles)):
        (own,) = parts
        assert rules[name] == f"'sha256-{base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()}'"
    assert text.index("Content-Security-Policy") < text.index("<style>")


def test_nothing_is_loaded_and_nothing_is_styled_or_run_in_place(result):
    page = Page(HtmlReporter().render(result))
    for tag, name, value in page.attributes:
        assert not name.startswith("on")
        if name in LOADING:
            assert tag == "meta" or value == "data:,"  or re.fullmatch(r"#case-\d+|#overview", value)  # fmt: skip
    assert not re.search(r"url\(|@import|https?:", page.styles[0])
    assert not re.search(r"fetch\(|XMLHttp|import\(|https?:|eval\(|localStorage|cookie", page.scripts[0])


INJECTIONS = (
    "</script><script>alert(1)</script>",
    "</style><style>*{display:none}</style>",
    "\"'><svg onload=alert(1)><animate onbegin=alert(1)>",
    "<img src=x onerror=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "javascript:alert(1)",
    "x' style='background:url(https://evil.example)",
    "]]><!--<title></title>--><base href=https://evil.example>",
    "\u202egnp.exe\u2066\u2067\u200f",
    "<a href=data:text/html,x>{{7*7}}${7*7}</a>",
    "`$(touch x)`; rm -rf . #",
    "\x00\x08\x0c\x1b\x7f\x85\u2028\ufeff",
)


@pytest.mark.parametrize("text", INJECTIONS)
def test_injections_stay_text(make_page, text):
    page, calm = Page(make_page(text)), Page(make_page("calm"))
    assert_alike(page, calm)
    for each in [*page.texts, *(value or "" for _, _, value in page.attributes)]:
        assert all(character == "\n" or character.isprintable() for character in each)
    for tag, name, value in page.attributes:
        if name in LOADING and tag != "meta":
            assert re.fullmatch(r"#case-\d+|#overview|data:,|https://ci\.example/7", value)


def test_every_hostile_text(make_page, hostile):
    assert_alike(Page(make_page(hostile)), Page(make_page("calm")))


@given(text=st.text(max_size=80))
@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_name_changes_the_structure(make_page, text):
    calm = Page(make_page("calm"))
    assert_alike(Page(make_page(f"x{text}")), calm)


def assert_alike(page, calm):
    """Assert that a page holds what a calm one holds; lines and commands may come and go, nothing else."""
    assert set(page.tags) <= set(calm.tags)
    for tag in (
        "script",
        "style",
        "meta",
        "link",
        "a",
        "svg",
        "g",
        "path",
        "rect",
        "title",
        "select",
        "form",
        "input",
    ):
        assert page.tags.count(tag) == calm.tags.count(tag), tag
    names = {(tag, name) for tag, name, _ in page.attributes}
    cut = {("span", "title")}  # the whole of a text that is cut
    assert names - cut <= {(tag, name) for tag, name, _ in calm.attributes}
    assert page.scripts == calm.scripts
    assert page.styles == calm.styles


def test_commands_are_for_a_shell(make_block, make_result):
    case = make_block(golden="gol den/a.yaml", candidate="-x; rm -rf $HOME.yaml")
    result = make_result(case)
    lines = {name: command.line for name, command in advice.commands(case, result)}
    assert shlex.split(lines["See both side by side"]) == [
        "wfgate", "diff", "gol den/a.yaml", "./-x; rm -rf $HOME.yaml",
    ]  # fmt: skip
    approve = shlex.split(lines["Accept the change"])
    assert approve == [
        "wfgate", "approve", "./-x; rm -rf $HOME.yaml",
        "--replace", "gol den/a.yaml", "--reason", "<why>",
    ]  # fmt: skip
    assert lines["What WR101 means and how to fix it"] == "wfgate explain WR101"
    hidden = make_block(golden="a.yaml", candidate="b\u202e\n.yaml")
    assert not any("diff" in line.line for _, line in advice.commands(hidden, result))


def test_a_block_comes_with_waivers_to_fill_in(make_block, make_result, tmp_path):
    found = tuple(
        finding.model_copy(update={"fingerprint": f"{number:016x}"})
        for number, finding in enumerate(make_block().findings)
    )
    case = make_block(id='a "b"\\c/deploy', findings=found)
    entries = advice.waiver_entries(case)
    file = tmp_path / "wfgate-waivers.toml"
    file.write_text(entries)
    with pytest.raises(ConfigError, match="waiver 1 reason"):
        load_waivers(file)
    file.write_text(entries.replace('reason = ""', 'reason = "x"').replace('owner = ""', 'owner = "ops"'))
    named = {reason.fingerprint for reason in case.reasons}
    waivers = load_waivers(file)
    assert {waiver.fingerprint for waiver in waivers} == named
    assert {waiver.case for waiver in waivers} == {case.id}
    assert 'class="entry"' in case_view(RunCase(case, make_result(case)), 0)
    for other in (make_block(id="a\u202e"), make_block(verdict="pass"), make_block(reasons=("so",))):
        assert advice.waiver_entries(other) is None
    accepted = Waived(reason="x", owner="ops", expires=date(2027, 1, 31))
    waived = tuple(finding.model_copy(update={"waived": accepted}) for finding in case.findings)
    unreadable = tuple(finding.model_copy(update={"id": "WF001"}) for finding in case.findings)
    assert advice.waiver_entries(make_block(findings=waived)) is None
    assert advice.waiver_entries(make_block(findings=unreadable)) is None


def test_scales_say_what_they_show(make_block, make_result):
    case = make_block()
    result = make_result(case, block_severity=0.25)
    severity = severity_scale(RunCase(case, result))
    assert 'aria-label="about 30 %, 18-41 %"' in severity
    assert 'class="limit" d="M25.0 ' in severity
    assert rarity_scale(RunCase(case, result)).count("limit") == 2
    calm = rarity_scale(RunCase(make_block(p_value=1.0), result))
    assert 'cx="0.0"' in calm.replace("-0.0", "0.0")


def test_where_a_pair_stands_on_the_trajectory(make_block, make_result):
    case = make_block()
    (metric,) = [score for score in case.metrics if score.metric == "graph-f1"]
    points = tuple(
        Point(
            metric="graph-f1",
            operator=operator,
            reworded=reworded,
            severity=severity,
            mean=mean,
            sd=0.0,
            expected=None,
            bias=None,
            rmse=None,
            variants=9,
            undefined=0,
        )
        for operator, reworded, severity, mean in (
            ("missing", False, 0.5, 0.25),
            ("missing", False, 0.1, 0.75),
            ("missing", True, 0.1, 0.5),
            ("extra", False, 0.1, 0.9),
        )
    )
    assert case.degradation[0].type == "missing steps"
    result = make_result(case)
    known = result.model_copy(update={"profile": result.profile.model_copy(update={"trajectories": points})})
    assert trajectory(case, result) == ""
    chart = trajectory(case, known)
    assert chart.count("<figure>") == 1
    assert 'class="plain" points="15.0 22.5 75.0 67.5"' in chart
    assert 'class="reworded" points="15.0 45.0"' in chart
    assert "plain: 0.75 at 10 %, 0.25 at 50 %; reworded: 0.50 at 10 %" in chart
    assert f'cx="{case.severity.estimate * 150:.1f}" cy="{(1 - metric.value) * 90:.1f}"' in chart
    assert "On the trajectory of missing steps" in case_view(RunCase(case, known), 0)
    assert "trajectories" not in known.model_dump_json()


def test_a_case_whose_workflows_are_at_hand_has_a_picture(make_block, make_result):
    bare, whole = make_block(), make_block(pair=pair_of("Build"))
    assert '<svg class="picture"' not in case_view(RunCase(bare, make_result(bare)), 0)
    assert "In words" in case_view(RunCase(bare, make_result(bare)), 0)
    view = case_view(RunCase(whole, make_result(whole)), 0)
    assert view.count('<svg class="picture"') == 2  # as it is, and with composites folded
    assert "Fold composites" in view
    assert "In words" in view


def test_reasons_and_advice_stand_above_the_picture(make_block, make_result):
    case = make_block(pair=pair_of("Build"))
    view = case_view(RunCase(case, make_result(case)), 0)
    places = [view.index(f"<h3>{name}</h3>") for name in ("Why", "What to do", "Golden and candidate", "Severity")]
    assert places == sorted(places)
    texts = " ".join(Page(view).texts)
    for _, command in advice.commands(case, make_result(case)):
        assert texts.count(f" {command.line} ") == 1, command


def test_the_legend_explains_what_is_drawn_as_it_is_drawn(make_block, make_result):
    case = make_block(pair=pair_of("Build"))
    view = case_view(RunCase(case, make_result(case)), 0)
    legend = re.search(r'<ul class="legend keys".*?</ul>', view).group()
    kinds = "(missing|extra|changed|doubtful|reworded|inverted)"
    marked = set(re.findall(rf'class="(?:box|line) (?:\w+ )?{kinds}\b', view))
    assert "missing" in marked
    assert marked == set(re.findall(rf'class="(?:box|line) {kinds}"', legend))
    page = HtmlReporter().render(make_result(case))
    (style,) = Page(page).styles
    assert style.count("--red:") == 3  # light, dark and paper: once each, for pages and pictures
    used = set(re.findall(r"var\((--[\w-]+)\)", style))
    assert used <= set(re.findall(r"(--[\w-]+):", style))


def test_the_filter_by_rule_shows_no_case_with_harmless_differences_only(make_block, make_pass, make_result):
    finding = make_block().findings[0]
    harmless = make_pass().model_copy(update={"findings": (finding.model_copy(update={"severity": "info"}),)})
    page = HtmlReporter().render(make_result(harmless))
    assert 'data-found=""' in page
    assert f'<option value="{finding.id}">' not in page
    assert ">1 case</output>" in page


def test_what_changed_since_the_previous_run(make_block, make_pass, make_result):
    cases = [make_block(id="a/deploy"), make_pass("fine"), make_pass("new"), make_pass("mended")]
    before = {"a/deploy": "pass", "fine": "pass", "mended": "block", "old": "pass"}
    result = make_result(*cases)
    known = result.model_copy(update={"previous": previous(before, version="0.0.9")})
    page = Page(HtmlReporter().render(known))
    text = "".join(page.texts)
    assert "1 case newly blocked, 1 case newly passing, 1 case new, 1 case gone" in text
    assert "wfgate was 0.0.9, now 0.1.0" in text
    assert "a/deploy: PASS -> BLOCK" in text
    assert "old: PASS -> none" in text
    assert ("a", "href", "https://ci.example/7") in page.attributes
    assert "against golden/deploy.yaml. Previous run: PASS, newly blocked" in text
    assert [value for _, name, value in page.attributes if name == "data-before"] == ["0", "1", "0", "0"]
    plain = Page(HtmlReporter().render(result))
    assert "revious run" not in "".join(plain.texts)
    assert not any(name == "data-before" for _, name, _ in plain.attributes)


def test_the_page_says_when_and_where_the_gate_ran(make_block, make_result):
    result = make_result(make_block())
    when = datetime(2026, 7, 1, 10, 30, tzinfo=UTC)
    origin = Origin(when=when, commit="c0ffee" * 6, ref="main", url="https://ci.example/9")
    known = result.model_copy(update={"origin": origin})
    page = Page(HtmlReporter().render(known))
    said = "2026-07-01 10:30 UTC · branch or tag main · commit c0ffeec0 · the run · wfgate 0.1.0"
    assert said in "".join(page.texts)
    assert ("a", "href", "https://ci.example/9") in page.attributes
    assert HtmlReporter().render(known) == HtmlReporter().render(known)
    assert known.to_dict() == result.to_dict()
    assert "commit" not in HtmlReporter().render(result).partition("</header>")[0].partition("<header>")[2]


def test_the_worst_case_is_first(make_block, make_pass, make_result):
    def bad(name, share, p_value=0.002):
        severity = make_block().severity.model_copy(update={"estimate": share, "high": 0.9})
        return make_block(id=name, severity=severity, p_value=p_value)

    page = HtmlReporter().render(make_result(make_pass(), bad("b", 0.2), bad("c", 0.5), bad("a", 0.2, 0.001)))
    assert re.findall(r'<a href="#case-\d+">(\w+)</a>', page) == ["c", "a", "b", "fine"]


def test_a_decision_is_a_command_for_a_shell(make_block, make_pass, make_result):
    case = make_block(id="it's; rm -rf $HOME", golden="gol den/a.yaml", candidate="-x; rm.yaml")
    result = make_result(case, make_pass())
    page = Page(HtmlReporter().render(result))
    (accept,) = [value for _, name, value in page.attributes if name == "data-accept"]
    assert shlex.split(accept) == ["wfgate", "approve", "./-x; rm.yaml", "--replace", "gol den/a.yaml"]
    assert ("tr", "data-reason", "") in page.attributes  # the script adds it
    (refuse,) = [value for _, name, value in page.attributes if name == "data-refuse"]
    said = "refused: it's; rm -rf $HOME (-x; rm.yaml): correct it or generate it again"
    assert shlex.split(refuse) == ["echo", said]
    assert 'data-decide="refuse" data-case="0"' in case_view(RunCase(case, result), 0)
    inline = make_result(make_block(golden="deploy (golden)", candidate="deploy (candidate)"))
    assert "data-decide=" not in HtmlReporter().render(inline).partition("<script>")[0]


def test_changes_are_first_in_words_and_internal_names_are_folded(make_block, make_result):
    case = make_block(pair=pair_of("Build"))
    view = case_view(RunCase(case, make_result(case)), 0)
    words = view[view.index("<h3>In words</h3>") :]
    assert words.index("missing") < words.index("<details><summary>1 step unchanged or reworded</summary>")
    bare = case_view(RunCase(make_block(), make_result(make_block())), 0)
    assert bare.index('<td data-label="change">missing') < bare.index("unchanged or reworded")
    for shown in (view, bare):
        outside = re.sub(r"<details.*?</details>", "", shown, flags=re.DOTALL)
        assert case.reasons[0].fingerprint not in outside
        assert "embedder" not in outside


def test_the_workflows_are_no_part_of_the_json_form(make_block, make_result):
    result = make_result(make_block(pair=pair_of("Build")))
    assert result.to_dict() == make_result(make_block()).to_dict()


def test_many_cases_stay_small(make_pass, make_block, make_result):
    cases = [make_block(id=f"ops/{n}", pair=pair_of(f"Build part {n}")) for n in range(40)]
    cases += [make_pass(f"x{n}") for n in range(460)]
    text = HtmlReporter().render(make_result(*cases))
    assert len(text.encode()) < 5_000_000
    assert '<option value="ops">' in text


def test_the_gate_keeps_workflows_only_for_who_draws_them(tmp_path: Path):
    from wfgate.decide import Assessor, Pair, Policy, default_profile  # noqa: PLC0415 - likewise
    from wfgate.language import load_embedder, load_meaning_model  # noqa: PLC0415 - loaded when used
    from wfgate.run import Gate  # noqa: PLC0415 - likewise

    steps = ["Build the image", "Scan the image", "Push the image", "Deploy the image"]
    pair = Pair("p", ({"wfgate": "1", "steps": steps},), {"wfgate": "1", "steps": steps[1:]})
    assessor = Assessor(load_embedder(), load_meaning_model())
    bare, kept = (Gate(assessor, default_profile(), Policy(), keep_pairs=keep).decide(pair) for keep in (False, True))
    assert bare.pair is None
    assert kept.pair is not None
    assert [task.name for task in kept.pair.golden.tasks] == steps
    assert kept.model_copy(update={"pair": None}) == bare
