"""One real profile, fitted on a few goldens with a shortened plan (see `fit_profile.py`), and workflows to judge."""

from pathlib import Path

import pytest

from wfgate.decide import Assessor, Pair, Policy, load_profile
from wfgate.language import StaticEmbedder, load_meaning_model
from wfgate.model import END, START, Link, Task, Workflow
from wfgate.run import Gate

PROFILE = Path(__file__).with_name("profile.json")
STEPS = (
    "Freeze the release branch",
    "Compile the service with Maven",
    "Run the integration tests",
    "Scan the image for vulnerabilities",
    "Sign the archive with the company key",
    "Upload the archive to Nexus",
    "Deploy to the staging cluster",
    "Notify the operations channel",
)
REWORDED = (
    "Put a freeze on the release branch",
    "Use Maven to compile the service",
    "Execute the integration tests",
    "Check the image for vulnerabilities with the scanner",
    "Use the company key to sign the archive",
    "Push the archive into Nexus",
    "Roll out to the staging cluster",
    "Inform the operations channel",
)


@pytest.fixture(scope="session")
def assessor():
    return Assessor(StaticEmbedder(), load_meaning_model())


@pytest.fixture(scope="session")
def profile():
    return load_profile(PROFILE)


@pytest.fixture
def judged(assessor, profile):
    """Judge one candidate against one golden, or against the best of a list."""

    def judge(golden, candidate, **policy):
        goldens = tuple(golden) if isinstance(golden, list) else (golden,)
        return Gate(assessor, profile, Policy(**policy)).decide(Pair("case", goldens, candidate))

    return judge


def flow(texts=STEPS, edges=None, *, prefix="t", order=None, critical=()):
    """Make a workflow with links from START and to END; a chain unless edges say otherwise."""
    n = len(texts)
    edges = list(zip(range(n), range(1, n), strict=False)) if edges is None else edges
    links = [(START, f"{prefix}{i}") for i in range(n) if i not in {b for _, b in edges}]
    links += [(f"{prefix}{a}", f"{prefix}{b}") for a, b in edges]
    links += [(f"{prefix}{i}", END) for i in range(n) if i not in {a for a, _ in edges}]
    return Workflow(
        tasks=tuple(Task(id=f"{prefix}{i}", name=texts[i], critical=i in critical) for i in order or range(n)),
        links=tuple(Link(source=a, target=b) for a, b in links),
    )


@pytest.fixture(scope="session")
def make():
    return flow


@pytest.fixture(scope="session")
def steps():
    return STEPS


@pytest.fixture(scope="session")
def reworded():
    return REWORDED
