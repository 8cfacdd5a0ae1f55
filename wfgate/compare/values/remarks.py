"""Sentences around the steps: those that switch steps off, contradict each other, or demand something and are gone."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from wfgate.base import READ
from wfgate.language import (
    DEMANDING_TITLES,
    FIRST_TO_TENTH,
    LEFT_OUT_STEMS,
    LIKING,
    NEEDED,
    NEEDLESS,
    NEGATIVE,
    OBLIGING,
    ORDERS,
    STEP_WORDS,
    TAKEN_BACK,
    TWO_TO_TEN,
    WordIndex,
    agreement,
    alternatives,
    contradictions,
    folded,
    off_parts,
    parsed,
    prohibits,
)

_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n")
_ITEMS, _LEFT_OUT_STEMS, _NEEDED = (rf"(?:{alternatives(words)})" for words in (STEP_WORDS, LEFT_OUT_STEMS, NEEDED))
_STEPS = re.compile(
    rf"\b{_ITEMS}s?[ \t]++"
    r"((?>(?:#?\d{1,4}+|and|or|to|through|[ \t,&\u2013\u2014-]){1,40}))",
    re.IGNORECASE,
)
_ORDINAL = (
    rf"\b(?:{alternatives(FIRST_TO_TENTH)}|last|final|\d{{1,3}}(?:st|nd|rd|th))"
    rf"(?: (?:{alternatives(TWO_TO_TEN)}|\d{{1,3}}|few|couple of))?[ \t]+{_ITEMS}s?\b"
)
_REFERENCE = rf"(?:{_STEPS.pattern}|{_ORDINAL})"
_TAKEN_BACK = (
    rf"{_REFERENCE}[^.,;:]{{0,40}}?(?:"
    r"\b(?:was|were|is|are|been|being|be|gets?|got) (?:now |already |since |also |all )?(?:"
    rf"{alternatives(TAKEN_BACK)}|not important|no longer|"
    r"left (?:to|for) (?:others|later|(?:some|any)\w+ else)|"
    r"(?:handled|covered|done|taken care of) (?:elsewhere|by others?|by (?:some|any)\w+ else))|"
    r"\b(?:can|may|could|will|should) (?:wait|be (?:left|skipped|omitted|dropped|ignored))|\bsuffices?|"
    r"\b(?:do(?:es)? not|doesn't|don't) (?:apply|matter|count))\b|"
    rf"\b(?:can|may|could) stop (?:after|at) {_REFERENCE}|"
    rf"\b(?:only|just) (?:the )?{_REFERENCE}[^.,;:]{{0,20}}?\b(?:matters?|counts?)\b|"
    rf"\b{_LEFT_OUT_STEMS}\w*\W+(?:\w+\W+){{0,3}}?{_REFERENCE}"
)
"""What takes steps back, with the steps next to it: dropped, enough without others, left to somebody else."""
_ID = re.compile(r"\b[A-Z]{1,4}-?\d{1,5}\b")
_OFF = re.compile(
    rf"(?<!not )(?<!n't )(?<!never )\b{_LEFT_OUT_STEMS}\w*|"
    r"\b(?:optional(?:ly)?|instead of|rather than|only (?:if|when)|(?:leave|left) out|need not|"
    rf"(?:not|n't) (?:be )?(?:run|done?|{_NEEDED}|execute|perform)\w*|"
    r"only (?:do|run|execute|perform|carry out|follow|steps?|tasks?)|not applicable|n/a|out of scope|no longer|"
    r"obsolete|deprecated|disabled|cancell?ed|"
    r"if (?:possible|needed|required|time permits|there is time))\b",
    re.IGNORECASE,
)
_LEFT_OUT = re.compile(
    rf"\b(?P<off>(?:{_LEFT_OUT_STEMS}|forgo)\w*|leave (?:\w+ ){{0,5}}?out(?! of)|do(?:ing)? without|"
    r"(?:go|going|proceed|continue)(?: ahead| on)? without|optional(?:ly)?|"
    rf"{alternatives(NEEDLESS)}|dispensable|a formality|"
    r"(?:can|may|could) (?:be (?:dropped|left out|left undone|postponed|deferred|waived)|wait))\b|"
    r"(?:\b(?:needs? not|needn't)|"
    rf"(?:\bnot|n't|\bno longer) (?:be )?(?:{_NEEDED}|mandatory|need|have to))\b(?! wait)|"
    rf"\bno need (?:for|to)\b|\bno (?:\w+ ){{1,4}}(?:is|are) {_NEEDED}\b",
    re.IGNORECASE,
)
"""What permits to leave something out; `off` does so unless it is negated."""
_NEGATED = re.compile(
    rf"\b(?:{alternatives(NEGATIVE)}|\w+n't|nobody|no one|none|without|no \w+)\b[^.,;]*$", re.IGNORECASE
)
_CLAUSE = re.compile(r"[,;()]")
_IN_CHAT = re.compile(r"\?$|\bI\b|\b[Ll]et me\b")
"""What a language model asks or reports around its answer."""
_GENERAL = frozenset({*STEP_WORDS.split(), "it"})
"""Stems of words for any step."""
_OTHERS = re.compile(
    r"\b(?:(?:the|all|any) (?:others?|rest|remaining)|everything else|all (?:of )?(?:the )?(?:steps|tasks|items)|"
    r"(?:steps|tasks|items) (?:above|below)|(?:following|remaining|other) (?:steps|tasks|items))\b",
    re.IGNORECASE,
)
_ROW = re.compile(r"\|.*\|$")
_CELL = re.compile(r"(?<=\|)\s*#?(\d{1,4})\s*(?=\|)")
_NUMBERED_ROW = re.compile(r"\|?[ \t]*(?:step[ \t]*)?#?\d{1,4}[.):]?[ \t]*\|[ \t]*[^\W\d]", re.IGNORECASE)
"""A row of a table that may be a step: a number and words."""
SETTING = "Front matter: "
_SETTING = re.compile(rf"^{SETTING}([\w-]+)[ \t]*:(.*)$", re.MULTILINE)
_HARMLESS_SETTING = re.compile(
    r"title|name|date|authors?|created|updated|modified|description|tags|id|version|lang|language|layout|slug|summary",
    re.IGNORECASE,
)
_DATED_SETTING = re.compile(r"date|review|updat|modif|edit|creat|publish|revis|chang", re.IGNORECASE)
_DATE = re.compile(r"(?:[\"']?\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:[T ][\d:.+Z-]{1,25})?[\"']?)?")
"""When a document was written or reviewed says nothing about what it demands."""
_HEADING = re.compile(r"^Heading of the steps: (.*)$", re.MULTILINE)
_BOX = re.compile(r"^(\[[^\w\[\]]\][^\w\s\[\]]{0,3}) .*$", re.MULTILINE)
_CANCELLED = "[-]"
_KIRO = re.compile(r"_Requirements?: [^\n]*_\s*$", re.MULTILINE)
"""What Kiro writes below its tasks; there `[-]` is a task in progress."""
_TO_THE_READER = re.compile(r"\?$|\bI\b|\b(?:[Ll]et me|[Ff]eel free)\b")
"""What language models write around their answers."""
_TITLE = re.compile(r"(Section|Heading of the steps|Front matter): (.*)")
_PREREQUISITES = re.compile(r"pre-?requisit|pre-?condition|requirements?\b|before you (?:start|begin)", re.IGNORECASE)
_DEMANDING = re.compile(
    rf"\b(?:{DEMANDING_TITLES})\b",
    re.IGNORECASE,
)
"""Headings of sections beside the steps whose sentences are demands: what is done if a step fails, and afterwards."""
_FIRST_WORD = re.compile(r"\W*(?:then |please |first |finally |also |next |afterwards,? )?([a-z]+)\b", re.IGNORECASE)
_NOUN_NEXT = re.compile(
    r"\W*\w+ (?:is|are|was|were|will|has|have|plans?|steps?|procedures?|runbooks?)\b", re.IGNORECASE
)
"""What follows a noun: "Test steps", "Release plan"."""
_DEMAND = re.compile(
    rf"\b(?:{alternatives(OBLIGING)}|ha(?:s|ve) to|need to|you need|"
    rf"(?:if|when)(?! (?:{_NEEDED}|possible|desired|you (?:{alternatives(LIKING)}|need|would)))|"
    r"unless|until|in case|as long as)\b|^\W*(?:please )?(?:ensure|make sure|do not|don't|avoid)\b",
    re.IGNORECASE,
)
"""Words of an obligation or a condition."""
_COMMAND = re.compile(r"`[^`]*(?: -|[ /|<>=$])[^`]*`")
"""Code with several words, an option or a path: a command, not a name."""
_STRAIGHT = str.maketrans("\u2019", "'")
_CORRESPONDING = 0.5
"""Smallest agreement of the words of two sentences that are compared."""
_SAID = 1 / 3
"""Least share of the words of a removed sentence in one new sentence of the candidate that says it in other words."""
_NEAREST = 3
"""Most sentences of a reference that count as other words for one sentence."""
_SAME_MATTER = 0.75
"""Smallest agreement of the words of two sentences, of which one says "always" and the other "never"."""
_ALWAYS, _NEVER = (re.compile(rf"\b{word}\b", re.IGNORECASE) for word in ("always", "never"))
_MOST = 50
"""Most sentences of a text that are compared with those of the other."""


def switched_off(golden: str, candidate: str, others: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    r"""Yield the sentences that name a step and switch it off, if the other text has none about this step.

    Each is a pair of the golden's sentence and the candidate's, of which one is empty. Cost: linear in the texts.

    Args:
        golden: The text of the golden.
        candidate: The text of the candidate.
        others: The texts of further references: a candidate may switch off what one of them switches off, and need not
            switch off what one of them does not.

    Example:
        >>> list(switched_off("Release in 8 steps.", "Release in 8 steps.\nSkip steps 3 and 4 if it is urgent."))
        [('', 'Skip steps 3 and 4 if it is urgent.')]
        >>> list(switched_off("Step 3 is optional.", "Sure! You may skip step 3. Shall I leave out step 4?"))
        []
    """
    was, now, *further = (_by_step(text) for text in (golden, candidate, *others))
    lost = (was[step] for step in was if step not in now and all(step in other for other in further))
    for sentence in dict.fromkeys(lost):
        yield sentence, ""
    known = was.keys() | set().union(*further)
    for sentence in dict.fromkeys(now[step] for step in now if step not in known):
        yield "", sentence


def left_out(golden: str, candidate: str, steps: Sequence[str], others: Sequence[str] = ()) -> Iterator[str]:
    r"""Yield the new sentences that permit to leave out a step, named by its words.

    A sentence names a step if the step has a third of the words of its clause, or if the clause has half of the words
    of the step.

    Args:
        golden: The whole text of the golden.
        candidate: The text around the steps of the candidate.
        steps: The texts of the steps of the golden.
        others: The whole texts of further references: a candidate may say what one of them says about the step.

    Cost: linear in the texts; in the number of steps for each such sentence, up to 50.

    Example:
        >>> steps = ["Take a backup of the order database", "Run the migrations"]
        >>> list(
        ...     left_out("", "You may leave out the backup. Never skip the migrations. Skip the introduction.", steps)
        ... )
        ['You may leave out the backup.']
        >>> list(left_out("The backup is optional.", "You may leave out the backup.", steps))
        []
    """
    named = [parsed(step).content for step in steps]

    def step_of(sentence: str) -> int | None:
        return next((step for clause in _permissions(sentence) if (step := _named(clause, named)) is not None), None)

    known = [folded(text) for text in (golden, *others)]
    said = {step_of(one) for text in (golden, *others) for one in _sentences(text) if _LEFT_OUT.search(one)}
    new = [one for one in map(str.strip, _SENTENCE.split(candidate)) if _LEFT_OUT.search(one.translate(_STRAIGHT))]
    for sentence in dict.fromkeys(one[:READ] for one in new[:_MOST] if not _IN_CHAT.search(one)):
        step = None if any(folded(sentence) in text for text in known) else step_of(sentence)
        if step is not None and step not in said:
            yield sentence


def _permissions(sentence: str) -> Iterator[frozenset[str]]:
    """Yield the content words of each clause that permits to leave something out, without the words that permit it."""
    for clause in _CLAUSE.split(sentence.translate(_STRAIGHT)):
        permit = _LEFT_OUT.search(clause)
        if permit and not (permit["off"] and _NEGATED.search(clause[: permit.start()])):
            inner = permit[0].partition(" ")[2] if permit["off"] or permit[0].lower().startswith("no ") else ""
            rest = f"{clause[: permit.start()]} {inner} {clause[permit.end() :]}"
            yield parsed(_unnumbered(rest)).content - _GENERAL


def _named(words: frozenset[str], steps: Sequence[frozenset[str]]) -> int | None:
    """Return the position of the step with the most of some words, if these name it; None if they name no step."""
    common = [len(words & step) for step in steps]
    best = max(range(len(steps)), key=common.__getitem__, default=0)
    named = common and common[best] and (common[best] >= _SAID * len(words) or 2 * common[best] >= len(steps[best]))
    return best if named else None


def changed_settings(golden: str, candidate: str) -> Iterator[tuple[str, str, str]]:
    """Yield the keys of the front matter with other values, with both values; titles and dates are free."""
    was, now = (dict(_SETTING.findall(text)) for text in (golden, candidate))
    for key in {**was, **now}:
        values = was.get(key, "").strip(), now.get(key, "").strip()
        free = _HARMLESS_SETTING.fullmatch(key) or (_DATED_SETTING.search(key) and all(map(_DATE.fullmatch, values)))
        if values[0] != values[1] and (not free or off_parts(values[1])):
            yield key, *values


def has_progress(text: str) -> bool:
    """Return whether a plan is written by a tool in which `[-]` is the box of a task in progress: Kiro."""
    return _KIRO.search(text) is not None


def changed_boxes(golden: str, candidate: str, *, progress: bool = False) -> Iterator[tuple[str, bool]]:
    r"""Yield the items of a candidate step with a new sign in the box, and whether it says that they are cancelled.

    Args:
        golden: The text of the golden step, with its marks.
        candidate: The text of the candidate step, with its marks.
        progress: Whether `[-]` is the box of an item in progress.

    Example:
        >>> list(changed_boxes("Build", "[-] Build"))
        [('[-] Build', True)]
        >>> list(changed_boxes("[ ]* Test", "[ ]* Run the tests\n[ ]* Lint"))
        [('[ ]* Lint', False)]
    """
    known = Counter(match[1] for match in _BOX.finditer(golden))
    for match in _BOX.finditer(candidate):
        known[match[1]] -= 1
        cancelled = match[1].startswith(_CANCELLED)
        if known[match[1]] < 0 and not (progress and cancelled):
            yield match[0], cancelled


def turned_off(golden: str, candidate: str) -> Iterator[tuple[str, str]]:
    """Yield both headings of the same steps, if only that of the candidate says that the steps are not done."""
    was = {part.casefold() for part in off_parts(golden)}
    if any(part.casefold() not in was for part in off_parts(candidate)):
        yield golden, candidate


def headings(text: str) -> str:
    """Return the headings above the steps in a text around the steps."""
    return "\n".join(_HEADING.findall(text))


def contradicting(
    golden: str, candidate: str, elsewhere: str, others: Sequence[str] = ()
) -> Iterator[tuple[str, str]]:
    """Yield the changed sentences that contradict the corresponding sentence of the other text.

    Corresponding is the changed sentence with the most common words. Numbers of steps do not count.

    Args:
        golden: The text of the golden.
        candidate: The text of the candidate.
        elsewhere: The texts that other checks compare; their sentences are left out.
        others: The texts of further references: a candidate may say what one of them does not contradict.

    Cost: quadratic in the changed sentences, up to 50.

    Example:
        >>> was, now = "Go on. Wait 30 minutes between the steps.", "Between the steps, wait 3 minutes. Good luck!"
        >>> list(contradicting(was, now, ""))
        [('Wait 30 minutes between the steps.', 'Between the steps, wait 3 minutes.')]
    """
    known = folded(elsewhere)
    both = (
        [one for one in _sentences(text) if folded(one) not in known and not _SETTING.match(one)]
        for text in (golden, candidate)
    )
    ours, theirs = ({folded(one): one for one in sentences} for sentences in both)
    new = [theirs[key] for key in theirs if key not in ours][:_MOST]
    for was in [ours[key] for key in ours if key not in theirs][:_MOST]:
        content = parsed(_unnumbered(was)).content
        alike = [(agreement(content, parsed(_unnumbered(now)).content), now) for now in new]
        best, now = max(alike, default=(0.0, ""), key=lambda pair: pair[0])
        if best < _CORRESPONDING or not contradictions(_unnumbered(was), _unnumbered(now)):
            continue
        if all(was in _sentences(other) or _contradicts(other, candidate, now) for other in others):
            yield was, now


def _contradicts(golden: str, candidate: str, sentence: str) -> bool:
    return any(now == sentence for _, now in contradicting(golden, candidate, ""))


def removed_demands(golden: str, files: tuple[str, str], others: Sequence[str] = ()) -> Iterator[str]:
    r"""Yield the sentences around the steps of the golden that demand something and that the candidate does not say.

    Demands are prohibitions, obligations, conditions, quantities with a unit, commands, orders ("restore the backup"),
    and what stands below a heading such as "Rollback" or "Verification". A workflow that is written anew has other
    introductions and summaries, so other sentences may be left out. The candidate says a sentence if
    it has it anywhere, or has a new sentence with a third of its words.

    Args:
        golden: The text around the steps of the golden.
        files: The whole texts of the golden and of the candidate.
        others: The whole texts of further references: what one of them does not say is not demanded, and a candidate
            may say the rest in the words of any of them.

    Cost: linear in the texts.

    Example:
        >>> golden = "This plan is short.\nNever delete files by hand."
        >>> list(removed_demands(golden, (golden, "This plan is nice.")))
        ['Never delete files by hand.']
        >>> list(removed_demands(golden, (golden, "Files must not be deleted manually.")))
        []
    """
    was, now = (folded(text) for text in files)
    gone = _gone_demands(golden, now)
    if not gone:
        return
    new = WordIndex(map(parsed, _new_sentences(files[1], was)))

    def says(sentence: str) -> bool:
        return folded(sentence) in now or new.share(parsed(_unnumbered(sentence)).content) >= _SAID

    further = [_Wordings(text, was) for text in others]
    for one in gone:
        demanded = (other.of(one) for other in further)
        if not says(one) and all(each and not any(map(says, each)) for each in demanded):
            yield one


def reworded_demands(
    golden: str, files: tuple[str, str], others: Sequence[str] = ()
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    r"""Yield the demands around the steps that the candidate says in other words, with these words.

    Each is a pair: the wordings of the demand (that of the golden first, then those of the further references), and
    the new sentences of the candidate with a third of the words of the golden's sentence, the nearest first, up to 3.

    Args:
        golden: The text around the steps of the golden.
        files: The whole texts of the golden and of the candidate.
        others: The whole texts of further references: what one of them does not say is not demanded.

    Cost: linear in the texts.

    Example:
        >>> golden = "This plan is short.\nNever delete files by hand."
        >>> list(reworded_demands(golden, (golden, "This plan is nice. Always delete files by hand.")))
        [(('Never delete files by hand.',), ('Always delete files by hand.',))]
    """
    was, now = (folded(text) for text in files)
    gone = _gone_demands(golden, now)[:_MOST]
    if not gone:
        return
    sentences = _new_sentences(files[1], was)
    new = WordIndex(parsed(_unnumbered(one)) for one in sentences)
    further = [_Wordings(text, was) for text in others]
    for one in gone:
        near = new.nearest(parsed(_unnumbered(one)).content, _SAID)[:_NEAREST]
        wordings = [other.of(one) for other in further]
        said = any(folded(each) in now for wording in wordings for each in wording)
        if near and all(wordings) and not said:
            each = dict.fromkeys([one, *(text for wording in wordings for text in wording)])
            yield tuple(each), tuple(sentences[at] for at in near)


def is_inverted(golden: str, candidate: str) -> bool:
    """Return whether one sentence says "always" and the other "never", with most words in common.

    Example:
        >>> is_inverted("Always tell the owner before a restart.", "Never tell the owner before a restart.")
        True
        >>> is_inverted("Never deploy untested builds.", "Always test builds before you deploy them.")
        False
    """
    was, now = ([bool(word.search(text)) for word in (_ALWAYS, _NEVER)] for text in (golden, candidate))
    if was[0] == was[1] or was != now[::-1]:
        return False
    contents = (parsed(_unnumbered(text)).content for text in (golden, candidate))
    return agreement(*contents) >= _SAME_MATTER


def _gone_demands(golden: str, candidate: str) -> list[str]:
    """Return the sentences of the golden that demand something and that a text (folded) does not have."""
    return list(dict.fromkeys(one for one in _demands(golden) if folded(one) not in candidate))


def _new_sentences(candidate: str, golden: str) -> list[str]:
    """Return the sentences of the candidate that a text (folded) does not have."""
    return [one for one in _sentences(candidate) if folded(one) not in golden]


class _Wordings:
    """The sentences of a further reference.

    Args:
        text: The whole text of the reference.
        golden: The whole text of the golden, folded.
    """

    def __init__(self, text: str, golden: str) -> None:
        self._text = folded(text)
        self._own = [one for one in _sentences(text) if folded(one) not in golden]
        self._words = WordIndex(map(parsed, self._own))

    def of(self, sentence: str) -> list[str]:
        """Return how the reference says a sentence of the golden: in the same words, or in its nearest sentences."""
        if folded(sentence) in self._text:
            return [sentence]
        return [self._own[at] for at in self._words.nearest(parsed(_unnumbered(sentence)).content, _SAID)[:_NEAREST]]


def is_prerequisite(text: str, sentence: str) -> bool:
    r"""Return whether a sentence of a text around the steps stands below a heading such as "Prerequisites".

    Example:
        >>> around = "Section: Prerequisites\nPermission to run sudo\nSection: Notes\nThe board is nice."
        >>> is_prerequisite(around, "Permission to run sudo"), is_prerequisite(around, "The board is nice.")
        (True, False)
    """
    below = False
    for one in _sentences(text):
        if title := _TITLE.match(one):
            below = title[1] == "Section" and _PREREQUISITES.search(title[2]) is not None
        elif below and one == sentence:
            return True
    return False


def has_remark(text: str, sentence: str) -> bool:
    """Return whether a text around the steps has a sentence, and not as a heading."""
    key = folded(sentence)
    return any(folded(one) == key for one in _sentences(text) if not _TITLE.match(one))


def other_sentences(golden: str, candidate: str, elsewhere: str) -> tuple[str, str]:
    """Return the sentences around the steps that only the golden has, and those that only the candidate has.

    Args:
        golden: The text around the steps of the golden.
        candidate: The text around the steps of the candidate.
        elsewhere: The texts that other checks compare; their sentences are left out.
    """
    both = [{folded(one): one for one in _sentences(text)} for text in (golden, candidate)]
    known = folded(elsewhere)
    gone, new = (
        " ".join(one for key, one in ours.items() if key not in theirs and key not in known)
        for ours, theirs in (both, both[::-1])
    )
    return gone, new


def _demands(text: str) -> Iterator[str]:
    """Yield the sentences of a text around the steps that demand something."""
    below = False
    for sentence in _sentences(text):
        if title := _TITLE.match(sentence):
            below = title[1] == "Section" and _DEMANDING.search(title[2]) is not None
        elif (below and len(parsed(sentence).content) > 1) or _is_demand(sentence):
            yield sentence


def _is_demand(sentence: str) -> bool:
    plain = sentence.translate(_STRAIGHT)
    if _TITLE.match(sentence):
        return False
    first = _FIRST_WORD.match(plain)
    if first and first[1].lower() in ORDERS and not _NOUN_NEXT.match(plain):
        return True
    if _NUMBERED_ROW.match(sentence) or _DEMAND.search(plain) or _COMMAND.search(plain):
        return True
    read = parsed(sentence)
    return prohibits(read) or any(quantity.dimension for quantity in read.quantities)


def _sentences(text: str) -> list[str]:
    sentences = (sentence.strip()[:READ] for sentence in _SENTENCE.split(text))
    return [sentence for sentence in sentences if sentence and not _TO_THE_READER.search(sentence)]


def _unnumbered(sentence: str) -> str:
    return _ID.sub("it", _STEPS.sub("it ", sentence))


@cache  # most files have no text around their steps, and it takes longer to compile than all others here
def _taken_back() -> re.Pattern[str]:
    return re.compile(_TAKEN_BACK, re.IGNORECASE)


def _by_step(text: str) -> dict[str, str]:
    """Return the first sentence that switches off each step, by the number or id of the step."""
    switched: dict[str, str] = {}
    for sentence in _sentences(text):
        row = _ROW.match(sentence) is not None
        if _OFF.search(sentence.translate(_STRAIGHT)) or (row and off_parts(sentence)):
            numbers = [number for match in _STEPS.finditer(sentence) for number in re.findall(r"\d+", match[1])]
            numbers += _CELL.findall(sentence) if row else []
            others = ["others"] if _OTHERS.search(sentence) else []
            for step in (*numbers, *_ID.findall(sentence), *others):
                switched.setdefault(step, sentence)
        if _taken_back().search(sentence.translate(_STRAIGHT)):
            numbers = [number for match in _STEPS.finditer(sentence) for number in re.findall(r"\d+", match[1])]
            for step in (*numbers, *(name.casefold() for name in re.findall(_ORDINAL, sentence, re.IGNORECASE))):
                switched.setdefault(step, sentence)
    return switched
