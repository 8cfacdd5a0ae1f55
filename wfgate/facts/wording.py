"""Where a name and a text do not go together: candidates for a reader, found by words alone."""

from collections.abc import Sequence

from wfgate.facts.subject import Subject
from wfgate.facts.terms import content, stem, words_of

_OPPOSED: tuple[frozenset[str], ...] = tuple(
    frozenset(map(stem, kinds))
    for kinds in (
        ("classification", "regression", "clustering", "forecasting"),
        ("training", "testing", "validation"),
        ("production", "staging", "development"),
        ("create", "delete"),
        ("add", "remove"),
        ("enable", "disable"),
        ("start", "stop"),
        ("upload", "download"),
        ("import", "export"),
        ("encrypt", "decrypt"),
        ("approve", "reject"),
        ("read", "write"),
        ("binary", "multiclass"),
        ("supervised", "unsupervised"),
    )
)
"""Words of which a thing is one or another."""
_LEAST = 2
"""Words of a name from which it is a finding that a description has none of them."""

_STAGES: tuple[frozenset[str], ...] = tuple(
    frozenset(map(stem, kinds))
    for kinds in (
        ("retrieve", "retrieval", "fetch", "download", "collect", "ingest", "load", "checkout", "clone"),
        ("clean", "cleaning", "preprocess", "preprocessing", "extract", "extraction", "normalize", "impute"),
        ("split", "partition"),
        ("train", "fit", "build", "compile"),
        ("evaluate", "evaluation", "validate", "validation", "test", "verify", "scan", "review"),
        ("approve", "approval", "sign"),
        ("deploy", "release", "publish", "ship", "rollout"),
        ("monitor", "watch", "archive", "decommission"),
    )
)
"""What comes before what in most workflows, as stems of verbs; what shares a stage has no order."""


def disagreement(name: str, text: str, *, shared: bool = True, called: str = "the name") -> list[str]:
    """Return what a text says against a name.

    A text disagrees if it has, of words that exclude each other, another one than the name and not the name's; or if
    it shares no word with a name of several words.

    Args:
        name: The name, or another text that says what it is about.
        text: What is held against it.
        shared: Whether they have to share a word.
        called: What the name is called in the answer.

    Example:
        >>> disagreement("BinaryClassificationModelTraining", "Training of a regression ML model")
        ["the name says 'classification', the text 'regression'"]
        >>> disagreement("BinaryClassificationModelTraining", "Train a model that tells two classes apart")
        []
    """
    ours, theirs = _said(name), _said(text)
    found = []
    for kinds in _OPPOSED:
        mine, other = kinds & ours.keys(), kinds & theirs.keys()
        if mine and other and not mine & other:
            found.append(f"{called} says '{ours[min(mine)]}', the text '{theirs[min(other)]}'")
    wanted = content(name)
    apart = len(wanted) >= _LEAST and theirs and not any(_near(a, b) for a in wanted for b in theirs)
    if shared and apart and not found:
        found.append(f"{called} and the text have no word in common")
    return found


def stage(text: str) -> int | None:
    """Return the place in a usual workflow of what a text says is done; None if it says nothing of it, or two things.

    Example:
        >>> stage("MLModelTraining"), stage("MLModelEvaluation"), stage("Send a mail")
        (3, 4, None)
    """
    stems = content(text)
    found = [place for place, verbs in enumerate(_STAGES) if verbs & stems]
    return found[0] if len(found) == 1 else None


def wrong_order(subject: Subject) -> list[tuple[int, int]]:
    """Return links between tasks of which the second usually comes first, about the same thing, in flow order."""
    stages = [stage(task.name) for task in subject.tasks]
    things = [content(task.name) - frozenset[str]().union(*_STAGES) for task in subject.tasks]
    found = []
    for first, second in subject.graph.edges:
        early, late = stages[first], stages[second]
        if early is None or late is None or early <= late or subject.graph.precedes(second, first):
            continue
        if things[first] & things[second] or not things[first] or not things[second]:
            found.append((first, second))
    return sorted(found, key=lambda pair: (subject.place[pair[0]], subject.place[pair[1]]))


def first_sentence(parts: Sequence[str]) -> str:
    """Return some parts as one sentence, without a second full stop."""
    return "; ".join(part.strip().rstrip(".") for part in parts if part.strip())


def _said(text: str) -> dict[str, str]:
    """Return the words of a text by their stems."""
    return {stem(word): word for word in words_of(text)}


def _near(one: str, other: str) -> bool:
    """Return whether two stems are one word, or one is the beginning of the other."""
    return one.startswith(other) or other.startswith(one)
