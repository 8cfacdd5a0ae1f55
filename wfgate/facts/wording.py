"""Where a name and a text do not go together: candidates for a reader, found by words alone."""

from collections.abc import Sequence

from wfgate.facts.subject import Subject
from wfgate.facts.terms import content, stem, words_of
from wfgate.texts import Contradiction, disagreements, other_topics

_LEAST = 2
"""Words of a name from which it is a finding that a description has none of them."""
_LONGEST = 6
"""Words of a name from which it is a sentence, whose verb is hard to tell from its objects."""

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


def disagreement(name: str, text: str, *, shared: bool = True) -> list[str]:
    """Return what a text says against a name.

    A text disagrees if it contradicts the name (`wfgate.texts`), or shares no word with a name of several words.

    Args:
        name: The name.
        text: What is held against it.
        shared: Whether they have to share a word.

    Example:
        >>> disagreement("BinaryClassificationModelTraining", "Training of a regression ML model")
        ["the name says 'binary classification', the text 'regression'"]
        >>> disagreement("BinaryClassificationModelTraining", "Train a model that tells two classes apart")
        []
    """
    found = _said("the name", disagreements(name, text))
    wanted, theirs = content(name), {stem(word) for word in words_of(text)}
    apart = len(wanted) >= _LEAST and theirs and not any(_near(a, b) for a in wanted for b in theirs)
    if shared and apart and not found:
        found.append("the name and the text have no word in common")
    return found


def other_topic(whole: str, part: str) -> list[str]:
    """Return where a part is about another kind of thing than the whole.

    Example:
        >>> other_topic("A binary classification pipeline", "Training of a regression model")
        ["the workflow says 'binary classification', the text 'regression'"]
    """
    return _said("the workflow", other_topics(whole, part))


def _said(whose: str, found: Sequence[Contradiction]) -> list[str]:
    """Say what contradicts, all words against the same one together."""
    against: dict[str, list[str]] = {}
    for one in found:
        against.setdefault(one.candidate_words, []).append(one.golden_words)
    return [
        f"{whose} says '{' '.join(ours).lower()}', the text '{theirs.lower()}'" for theirs, ours in against.items()
    ]


def stage(text: str) -> int | None:
    """Return the place in a usual workflow of what a text says is done; None if it says nothing of it, or two things.

    The verb is looked for where names have it: first ("Train the model") or last ("MLModelTraining"). Of a long text
    nobody knows.

    Example:
        >>> stage("MLModelTraining"), stage("Evaluate the model"), stage("Send a test mail")
        (3, 4, None)
    """
    words = [stem(word) for word in words_of(text)]
    if len(words) > _LONGEST:
        return None
    found = {place for place, verbs in enumerate(_STAGES) if verbs & {*words[:1], *words[-1:]}}
    return found.pop() if len(found) == 1 else None


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


def _near(one: str, other: str) -> bool:
    """Return whether two stems are one word, or one is the beginning of the other."""
    return one.startswith(other) or other.startswith(one)
