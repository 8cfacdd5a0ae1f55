"""Candidates for inconsistent names, texts and orders, found only by comparison of words."""

from collections.abc import Sequence

from wfgate.catalogue.facts.subject import FactSubject
from wfgate.catalogue.facts.terms import content, stem, words_of
from wfgate.language import Contradiction, disagreements, other_topics

_LEAST = 2
"""Smallest number of words of a name for which a description without any of them is a candidate."""
_LONGEST = 6
"""Largest number of words of a name; in a longer one the verb is hard to distinguish from its objects."""

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
"""Stages of a typical workflow in order, as stems of verbs; verbs of one stage are unordered."""


def disagreement(name: str, text: str, *, shared: bool = True) -> list[str]:
    """Return the contradictions between a name and a text, in words.

    A text disagrees with a name if it contradicts the name. It also disagrees if the name has several
    words and the text contains no word of the name.

    Args:
        name: The name.
        text: The text to compare.
        shared: Whether name and text must have a word in common.

    Example:
        >>> disagreement("BinaryClassificationModelTraining", "Training of a regression ML model")
        ["the name says 'binary classification', the text 'regression'"]
        >>> disagreement("BinaryClassificationModelTraining", "Train a model that tells two classes apart")
        []
    """
    contradictions = _said("the name", disagreements(name, text))
    wanted, theirs = content(name), {stem(word) for word in words_of(text)}
    apart = len(wanted) >= _LEAST and theirs and not any(_near(a, b) for a in wanted for b in theirs)
    if shared and apart and not contradictions:
        contradictions.append("the name and the text have no word in common")
    return contradictions


def other_topic(whole: str, part: str) -> list[str]:
    """Return, in words, the topics of `part` that contradict the topics of `whole`.

    Example:
        >>> other_topic("A binary classification pipeline", "Training of a regression model")
        ["the workflow says 'binary classification', the text 'regression'"]
    """
    return _said("the workflow", other_topics(whole, part))


def _said(whose: str, contradictions: Sequence[Contradiction]) -> list[str]:
    """Return contradictions in words, grouped by the word that contradicts."""
    against: dict[str, list[str]] = {}
    for one in contradictions:
        against.setdefault(one.candidate_words, []).append(one.golden_words)
    return [
        f"{whose} says '{' '.join(ours).lower()}', the text '{theirs.lower()}'" for theirs, ours in against.items()
    ]


def stage(text: str) -> int | None:
    """Return the stage of a typical workflow for a name; None if the name has no stage or several stages.

    The first word ("Train the model") or the last word ("MLModelTraining") must be the verb of the stage. Long texts
    have no stage.

    Example:
        >>> stage("MLModelTraining"), stage("Evaluate the model"), stage("Send a test mail")
        (3, 4, None)
    """
    words = [stem(word) for word in words_of(text)]
    if len(words) > _LONGEST:
        return None
    stages = {place for place, verbs in enumerate(_STAGES) if verbs & {*words[:1], *words[-1:]}}
    return stages.pop() if len(stages) == 1 else None


def wrong_order(subject: FactSubject) -> list[tuple[int, int]]:
    """Return links between tasks about the same object whose stages are in the opposite order, in flow order."""
    stages = [stage(task.name) for task in subject.tasks]
    things = [content(task.name) - frozenset[str]().union(*_STAGES) for task in subject.tasks]
    links = []
    for first, second in subject.graph.edges:
        early, late = stages[first], stages[second]
        if early is None or late is None or early <= late or subject.graph.precedes(second, first):
            continue
        if things[first] & things[second] or not things[first] or not things[second]:
            links.append((first, second))
    return sorted(links, key=lambda pair: (subject.place[pair[0]], subject.place[pair[1]]))


def first_sentence(parts: Sequence[str]) -> str:
    """Return texts joined by semicolons, without full stops at their ends."""
    return "; ".join(part.strip().rstrip(".") for part in parts if part.strip())


def _near(one: str, other: str) -> bool:
    """Return whether one of two stems is a prefix of the other."""
    return one.startswith(other) or other.startswith(one)
