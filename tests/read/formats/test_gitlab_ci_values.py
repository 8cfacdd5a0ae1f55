"""GitLab CI: every value of a file belongs to an element, and what a changed value means."""

import copy
from pathlib import Path

import pytest
import yaml

from tests.read.formats.format_values import put
from wfgate.compare import compare
from wfgate.language import StaticEmbedder
from wfgate.read import consequences_of, read_data, read_file, read_text
from wfgate.rules import review

DATA = Path(__file__).parent / "data" / "gitlab-ci"
FILES = sorted(DATA.glob("*.yml"))
TABLE = consequences_of("gitlab-ci")
CHECKS = {"WR107", "WR502", "WR504"}
PIPELINE = """
stages: [build, test, deploy]
include: [{local: ci/common.yml}]
workflow: {rules: [{if: $CI_COMMIT_BRANCH}]}
variables: {LEVEL: "1"}
default: {image: "alpine:3.20", retry: 1, tags: [linux, shared], before_script: [setup]}
.kube: {resource_group: production, variables: {REPLICAS: "3"}, id_tokens: {T: {aud: vault}}}
compile:
  stage: build
  script: [make, make install]
  artifacts: {paths: [dist/]}
unit:
  stage: test
  script: [make test]
  allow_failure: false
  coverage: '/(\\d+)%/'
  cache: {key: a, paths: [x/]}
scan:
  stage: test
  script: [scan dist]
  services: ["docker:27"]
  secrets: {KEY: {vault: a/b}}
  parallel: {matrix: [{OS: [linux, mac]}]}
roll out:
  extends: .kube
  stage: deploy
  needs: [compile, unit, scan]
  dependencies: [compile]
  timeout: 1h
  interruptible: false
  environment: {name: staging, url: "https://a.example.com", on_stop: tear down}
  rules: [{if: $CI_COMMIT_BRANCH == "main", when: manual, allow_failure: false}, {changes: [src/**], when: on_success}]
  script: [roll out]
tear down:
  stage: deploy
  when: manual
  script: [tear down]
"""


def changed(**changes):
    """The pipeline; a change is given by its path, with double underscores between keys and `_` for a blank."""
    data = copy.deepcopy(yaml.safe_load(PIPELINE))
    for path, value in changes.items():
        put(data, [int(key) if key.isdigit() else KEYS.get(key, key) for key in path.split("__")], value)
    return data


KEYS = {"rollout": "roll out", "teardown": "tear down", "kube": ".kube"}


def findings(golden, candidate, checks=CHECKS):
    read = [read_data(data, "x", "gitlab-ci").workflow for data in (golden, candidate)]
    return [finding for finding in review(compare(*read, StaticEmbedder())) if finding.id in checks]


def leaves(value, path=()):
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not inner:
        yield path, value
    for key, part in inner:
        yield from leaves(part, (*path, key))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_path_has_one_class(file):
    workflow = read_file(file).workflow
    paths = [path for path, _ in leaves(workflow.raw)]
    paths += [(*task.path, *path) for task in workflow.tasks for path, _ in leaves(task.raw)]
    for path in filter(None, paths):
        assert len({TABLE.classes[pattern] for pattern in TABLE.matching(path)}) == 1, path


class Plain(yaml.SafeLoader):
    """PyYAML with `!reference` as a list."""


Plain.add_constructor("!reference", lambda loader, node: loader.construct_sequence(node))
NO_VALUE = {
    "references.yml": {".setup", ".clean", ".on-main", ".more", "script", "rules", "variables", "after_script"},
    "templates.yml": {"echo nobody runs this", ".base", ".browser", ".e2e", "image"},
    "rollout.yml": {".kube"},
    "infrastructure.yml": {".terraform", "on_success"},
}
"""Names of templates, values of templates that no job uses, lists of inherited keys, and a written default."""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_value_is_lost(file):
    """Each value of the file, counted another way, is a value of a job or of the workflow."""
    workflow = read_file(file).workflow
    elements = [workflow.raw, *(task.raw for task in workflow.tasks)]
    held = {str(value).removeprefix("job:").strip() for element in elements for _, value in leaves(element)}
    held |= {
        key.strip() for element in elements for path, _ in leaves(element) for key in path if isinstance(key, str)
    }
    names = {task.id: task.name for task in workflow.tasks}
    held |= {names[value] for value in held & names.keys()}
    parts = list(yaml.load_all(file.read_text("utf-8"), Loader=Plain))
    values = {str(value).strip() for part in parts for _, value in leaves(part) if value is not None}
    assert values - held - {"False"} <= NO_VALUE.get(file.name, set())


@pytest.mark.parametrize(
    ("path", "value", "name"),
    [
        ("include__0__local", "ci/other.yml", "include"),
        ("workflow__rules__0__when", "never", "workflow"),
        ("variables__LEVEL", "2", "variables"),
        ("default__image", "alpine:latest", "image"),
        ("default__retry", 2, "retry"),
        ("default__tags", ["linux", "privileged"], "tags"),
        ("default__before_script", ["true"], "before_script"),
        ("kube__variables__REPLICAS", "1", "variables.REPLICAS"),
        ("kube__resource_group", "other", "resource_group"),
        ("kube__id_tokens__T__aud", "anybody", "id_tokens"),
        ("compile__script", ["make install", "make"], "script"),
        ("compile__artifacts__paths", ["dist/", "/etc/"], "artifacts"),
        ("unit__script", ["make test || true"], "script"),
        ("unit__allow_failure", True, "allow_failure"),
        ("unit__cache__key", "b", "cache"),
        ("unit__after_script", ["rm -rf /"], "after_script"),
        ("unit__inherit", {"default": False}, "image"),
        ("scan__services", ["docker:28"], "services"),
        ("scan__secrets__KEY__vault", "a/c", "secrets"),
        ("scan__parallel__matrix__0__OS", ["linux"], "parallel"),
        ("rollout__dependencies", [], "dependencies"),
        ("rollout__environment__name", "production", "environment.name"),
        ("rollout__environment__on_stop", "unit", "environment.on_stop"),
        ("rollout__interruptible", True, "interruptible"),
        ("rollout__timeout", "9h", "timeout"),
        ("rollout__rules__0__when", "on_success", "rules"),
        ("rollout__rules__0__if", '$CI_COMMIT_BRANCH == "develop"', "rules"),
        ("rollout__rules__0__allow_failure", True, "rules"),
        ("rollout__rules__1__changes", ["docs/**"], "rules"),
        ("rollout__extends", None, "resource_group"),
        ("teardown__when", "always", "when"),
        ("unit__stage", "elsewhere", "stage elsewhere"),
        ("rollout__trigger", {"project": "a/b"}, "trigger"),
    ],
)
def test_what_has_an_effect_is_an_error(path, value, name):
    found = findings(changed(), changed(**{path: value}))
    assert [finding for finding in found if finding.severity == "error" and name in finding.message]


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("unit__coverage", "/x/", ["warning"]),
        ("unit__speed", "fast", ["warning"]),
        ("workflow__name", "Main", ["info"]),
        # the same to GitLab
        ("variables__LEVEL", 1, []),
        ("default__tags", ["shared", "linux"], []),
        ("unit__script", "make test", []),
        ("rollout__needs", [{"job": "scan"}, {"job": "compile"}, "unit"], []),
        ("unit__image", "alpine:3.20", []),
        ("rollout__variables", {"REPLICAS": "3"}, []),
        ("stages", ["build", "test", "more", "deploy"], []),
        ("stages", ["more", "build", "test", "deploy"], []),
    ],
)
def test_near_misses(path, value, expected):
    assert [finding.severity for finding in findings(changed(), changed(**{path: value}))] == expected


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("rollout__needs", ["compile", "unit"]),
        ("unit__needs", []),
        ("stages", ["build", "deploy", "test"]),
        ("compile__stage", "test"),
    ],
)
def test_changed_links_are_found_by_other_checks(path, value):
    names = {f"WR{number}" for number in range(200, 700)}
    found = findings(changed(), changed(**{path: value}), names)
    assert [finding for finding in found if finding.severity in {"error", "warning"}]


def test_renamed_jobs_stages_and_templates_with_their_references_are_no_change():
    text = PIPELINE
    for was, now in (("compile", "translate"), ("tear down", "stop it"), ("[build,", "[make,"), (": build", ": make")):
        text = text.replace(was, now)
    text = text.replace(".kube", ".cluster").replace("script: [stop it]", "script: [tear down]")
    found = findings(changed(), yaml.safe_load(text))
    assert [finding.message for finding in found if finding.id in {"WR107", "WR502"}] == []


SPARE = """
stages: [prepare, build, test]
.deploy: {rules: [{if: $CI_COMMIT_TAG}], script: [deploy]}
compile: {stage: build, script: [make]}
"""


@pytest.mark.parametrize("included", [False, True])
@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("[deploy]", "[deploy --force]"),
        ("[{if: $CI_COMMIT_TAG}]", "[{when: always}]"),
        (".deploy: {rules: [{if: $CI_COMMIT_TAG}], script: [deploy]}\n", ""),
        ("[prepare, build, test]", "[build, prepare, test]"),
    ],
)
def test_what_only_jobs_of_other_files_use(was, now, included):
    golden = SPARE + "include: [{local: ci/deploy.yml}]\n" * included
    assert golden.count(was) == 1
    found = findings(yaml.safe_load(golden), yaml.safe_load(golden.replace(was, now)))
    stages = "prepare" in was
    assert {finding.severity for finding in found} == ({"error"} if included else set() if stages else {"warning"})


def test_key_order_and_templates_written_out_are_no_change():
    data = changed()
    turned = {key: dict(reversed(value.items())) if isinstance(value, dict) else value for key, value in data.items()}
    assert findings(data, dict(reversed(turned.items()))) == []
    template = data.pop(".kube")
    del data["roll out"]["extends"]
    data["roll out"] |= template
    assert findings(changed(), data) == []


def test_secret_like_text_and_references_in_tags_are_compared():
    golden = ".a: {script: [one]}\nj: {script: [!reference [.a, script], two]}\nk: {script: x}\nl: {script: y}\n"
    candidate = golden.replace("[one]", "[none]")
    read = [read_text(text, "x.yml").workflow for text in (golden, candidate)]
    found = [finding for finding in review(compare(*read, StaticEmbedder())) if finding.id == "WR107"]
    assert [finding.message for finding in found] == ["'j' has another script[0]: `none` instead of `one`"]
