"""Helpers for tests of the values of a format: files, paths, differences, consistent renaming."""

import json
from collections import Counter
from pathlib import Path

import yaml

from wfgate.compare import compare
from wfgate.errors import FormatError
from wfgate.language import StaticEmbedder
from wfgate.read import read_data
from wfgate.rules import review

DATA = Path(__file__).parent / "data"
CORPORA = Path(__file__).parents[4] / "shared" / "corpora" / "formats"
VALUES = {"WR107", "WR502"}


def corpus(format_id, *folders):
    """Yield (name, data, workflow) of the files of a format: those of the tests, and the corpus where it exists."""
    for folder in (*(DATA / name for name in folders), CORPORA / format_id):
        for path in sorted(folder.rglob("*")):
            if path.suffix in {".json", ".yaml"}:
                text = path.read_text("utf-8")
                data = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
                try:
                    yield path.name, data, read_data(data, path.name, format_id).workflow
                except FormatError:
                    continue


def put(data, keys, value):
    """Set the value at a path, with the mappings on the way to it; None removes the value."""
    *keys, last = keys
    for key in keys:
        data = data[key] if isinstance(data, list) else data.setdefault(key, {})
    if value is None:
        del data[last]
    else:
        data[last] = value


def leaves(value, path=()):
    """Yield (path without positions in lists, value) of every scalar and every empty list or mapping."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list) and value:
        for inner in value:
            yield from leaves(inner, path)
    else:
        yield path, value


def scalars(value, path=()):
    """Yield (path without positions in lists, value) of every scalar."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from scalars(inner, (*path, key))
    elif isinstance(value, list):
        for inner in value:
            yield from scalars(inner, path)
    else:
        yield path, value


def of_the_elements(workflow):
    """Return the scalars of all elements, counted; elements with the same path share their data."""
    elements = {
        element.path: element
        for part in (workflow, *workflow.subworkflows)
        for element in part.elements
        if element.path is not None
    }
    found = Counter()
    for path, element in elements.items():
        keys = tuple(key for key in path if isinstance(key, str))
        found.update(_counted(scalars(element.raw, keys)))
    return found


def of_the_document(data):
    """Return the scalars of a document, counted."""
    return _counted(scalars(data))


def _counted(found):
    return Counter((path, json.dumps(value)) for path, value in found)


def findings(golden, candidate, format_id):
    """Return the findings of a comparison."""
    read = [read_data(data, "x", format_id).workflow for data in (golden, candidate)]
    return review(compare(*read, StaticEmbedder()))


def severities(golden, candidate, format_id):
    """Return the severities of the findings about values, most serious first."""
    found = [finding.severity for finding in findings(golden, candidate, format_id) if finding.id in VALUES]
    return sorted(found, key=["error", "warning", "info"].index)


def reversed_keys(value):
    """Return the same data with the keys of every mapping in the opposite order."""
    if isinstance(value, dict):
        return {key: reversed_keys(value[key]) for key in reversed(value)}
    return [reversed_keys(each) for each in value] if isinstance(value, list) else value
