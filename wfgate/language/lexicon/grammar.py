"""Words without a meaning of their own: articles, negations, quantifiers, what joins, and what begins a condition."""

from typing import Literal

from wfgate.language.lexicon import PhraseList, word_set
from wfgate.language.lexicon.numbers import TWO_TO_TEN

# --- Articles, pronouns and auxiliary verbs ---
ARTICLES = word_set("a an the")
_THESE = word_set("this that these those")
_PRONOUNS = word_set("it its they their them he she his her him you your we our us i my")
_RELATIVE = word_set("which who whom whose")
_FINITE_BE = word_set("is are be was were")
BE = _FINITE_BE | {"been", "being"}
BEFORE_INFORMED = _FINITE_BE | {"gets"}
"""Words before "informed", "shown"; "being shown" is a detail."""
_HAVE = word_set("has have had")
_DO = word_set("do does did")
VERBS = (BE - {"being"}) | _HAVE | _DO | {"can", "will"}
"""Verbs before which the subject of a condition ends."""
_SHARED = ARTICLES | _THESE | _PRONOUNS | _RELATIVE | BE | _HAVE | _DO
FUNCTION_WORDS = _SHARED | word_set(
    """me here there and or but so then than as at by for from in into of off on onto out over to up upon with within
    via per about through am doing having will would shall should can could may might must get gets got let lets what
    when where while if whether how why also too just such some any each every all both own same other one once again
    very more most much many please make sure"""
)
"""Words that are no content of a text."""
WITHOUT_ROLE = _SHARED | word_set(
    "will would shall should must please also all any each both own either there here just"
)
"""Words that may come and go when roles are compared. Other function words give roles ("from", "by"), or permit
("may", "can")."""

# --- Negations ---
NOT = word_set("not no never without")
"""Words that deny what directly follows."""
NEGATIVE = "not never cannot"
"""Words before which a whole clause says no."""
NOBODY = word_set("none nobody nothing")
"""Words that deny for all."""
NEGATORS = NOT | NOBODY | word_set("neither nor cannot")
"""Words that negate what follows."""
DENYING_ONE = word_set("not never")
DENYING_ALL = word_set("neither no without")
"""Words that deny all parts of a condition behind them, unless a further part has a negation of its own."""
TOGETHER = word_set("either both")
"""Words after "not" with which it denies all parts together, as with a bracket."""
NEGATIVE_PREFIXES = ("un", "non", "dis", "in", "im", "ir")
COMPARING = word_set("less fewer more later longer higher lower earlier further farther sooner only other others")
"""Words before which a negator does not negate: "no later than", "must not be lower than", "no other"."""
IDIOMS = word_set("matter doubt cost charge time")
"""Words before which "no" does not negate: "at no cost"."""
DENYING_LABELS = frozenset({("not",), ("never",), ("no",), ("do", "not")})
"""Words before which a label says the opposite: "not optional"."""

# --- Quantifiers ---
_ALL = word_set("all every each both")
ALL_OR_ANY = _ALL | {"any"}
"""Words that "nothing" contradicts."""
ENTIRE = word_set("entire whole full fully completely")
"""Words for 100 %; "all" is too frequent to tell."""
WHOLLY = ENTIRE | word_set("all every entirely complete")
"""The same, in a text beside one that says "100 %"."""
Quantifier = Literal["all", "any", "most", "some", "one", "number"]
QUANTIFIERS: dict[Quantifier, frozenset[str]] = {
    "all": _ALL | {"whole", "entire"},
    "any": word_set("any"),
    "most": word_set("most half majority"),
    "some": word_set(
        "some several few certain selected important critical main key largest biggest major first random "
        "representative sampled sample subset"
    ),
    "one": word_set("a an one single"),
    "number": word_set(f"{TWO_TO_TEN} 2 3 4 5 6 7 8 9 10"),
}
BEFORE_NOUN = word_set("the these those their its our your his her of")
"""Words between a quantifier and its noun."""
SEVERAL = word_set("pair couple dozen second other another both twice dual each per")
"""Words with which a rewording says a number."""
PARTIAL = PhraseList("""
some, most, mostly, several, few, many, majority, random, sample, samples, sampled, selected, selection, important,
main, key, typical, largest, biggest, a couple, one of, half, part of, partly, partially, usually, often, generally,
sometimes, occasionally, spot check, spot checks, spot-check, representative, where needed, as needed, if needed,
chosen, certain, critical ones
""")
"""Words for a part of a set."""
_PAIR = "two, both, second, pair, four-eyes, four eyes"
PAIRED = PhraseList(_PAIR)
"""Words that ask for a second person or thing."""
SECOND = PhraseList(f"""
{_PAIR}, 2, 2nd, twice, double, dual, couple, another, other, different, each, and, twin, either, neither, independent
""")
"""Words with which a text may say so."""
ANOTHER = word_set("another different")
"""Words with which a text says "not the same"."""

# --- What joins ---
GOING_ON = word_set("and then also plus afterwards finally next")
"""Words with which a text goes on to another action and leaves the one before as it is."""
JOINING_ACTIONS = GOING_ON | word_set("or but without unless except instead even while")
"""Words with which a text goes on to another action, or to an exception. Other additions ("on the first node", "with
the usual script") are mostly details. Of 601 accepted workflows written anew (half for fitting), none has an addition
with one of these words in a step that keeps the words of the golden; of 287 rejected ones, 4."""
BESIDE_LEFT_OUT = ARTICLES | {"and", "or"}
"""Words that change when a neighbour is left out: "an encrypted backup", "a backup"."""
JOINED = ARTICLES | _PRONOUNS | {"and", "then"}
"""Words that a sentence may have more or less than the sentences that it joins."""
JOINING = word_set("and or but plus und oder et ou y o")
"""Words between the items of a list."""
BEFORE_VERB = word_set("and then to or shall must will is are be")
"""Words before a verb: "and sign it", "shall be signed"."""

# --- Conditions, time and roles ---
_IF = word_set("if when whenever unless")
CONDITIONS = _IF | word_set("once case until")
"""Words that begin a condition with a quantifier: "if any test fails"."""
SUBORDINATING = (
    *word_set("if when where which that who whom whose whether because until unless while how what whatever why"),
    r"(?<!do )so",
)
"""Words that begin a clause that says no demand: "so that users can read it"."""
CONDITION_ENDS = word_set("then , ; : . |")
NOT_YET = word_set("until unless till")
TEMPORAL = word_set("before prior ahead after afterwards following once")
WIDER = word_set("or")
PARTS = _IF | WIDER | word_set("and also but except only without during within outside before after until while")
"""Words that join a further part to a condition."""
LEADING = _IF | word_set(
    "before after once until while as during upon on in at for from to into with without by via using within per "
    "because since"
)
"""What a clause begins with that may stand before or behind the clause that it belongs to."""
MARKING = LEADING | word_set(
    "of onto off out over under up down through against about than instead rather between above below behind except "
    "beyond toward towards"
)
"""What gives the following words their role."""
ROLES = MARKING | word_set("first then next afterwards otherwise else only not never no nor so")
"""Words that give a role; texts with other ones are not compared: "A approves B", "B is approved by A"."""
_OTHERWISE = "otherwise, failing that"
CONDITIONING = PhraseList(f"""
if, unless, when, whenever, once, in case, in the event, as long as, provided, only, else, where, should,
until, while, with, without, {_OTHERWISE}
""")
"""Words that may say under which condition a step is done."""
BRANCHING = PhraseList(f"=else, {_OTHERWISE}")
"""Words that introduce the other case."""
