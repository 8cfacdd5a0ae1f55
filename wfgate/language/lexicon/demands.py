"""What obliges, weakens, leaves out, decides, informs, stops or protects."""

from wfgate.language.lexicon import PhraseList, word_set

# --- Leaving out and denying ---
_OMIT = "skip, omit, leave out"
LEFT_OUT_STEMS = "skip omit ignor bypass disregard"
"""Beginnings of all forms of verbs with which a sentence leaves out steps."""
NEEDLESS = "superfluous unnecessary redundant"
TAKEN_BACK = (
    f"{NEEDLESS} dropped removed deleted cut gone retired abandoned discontinued withdrawn cancelled canceled skipped "
    "omitted history enough sufficient postponed deferred suspended waived unimportant optional obsolete"
)
"""Words behind "step 3 is" that take it back."""
LEFT_OUT_FORMS = "skip skipped omit omitted ignore ignored drop dropped"
"""The forms behind "you can" and "may be"."""
SKIPPING = PhraseList(f"""
{_OMIT}, avoid, refrain, stop, ignore, give up, stay out, abstain, refuse, forget
""")
"""Words at the beginning of a step that must not be done."""
OMITTING = PhraseList("""
skip, ignore, disregard, waive, bypass, stay away from, keep away from, dispense with
""")
"""Verbs that deny the action or the object that follows, at any place of a text."""
_EXCLUDING = "exclude, except, other than, unless"
_INVERTED = f"{_EXCLUDING}, discard, drop, fail, lift, prevent, reject, =non, =free"
DENYING = PhraseList(f"""
{SKIPPING}, {_INVERTED},
forbid, prohibit, deny, ban, leaving out, instead of, rather than, lest, miss, cease, halt, free of, absent, lack,
missing, without, stay away, impossible, unable, nowhere, out of the question, keep off, keep out, block, =bar, barred,
barring, go no further
""")
"""Words that negate without a "not"."""
TURNING = PhraseList(f"""
{_INVERTED},
until, till, before, after, as long as, instead, rather, avoid, refuse, stop, yet, only, no longer, leave, hand, break
""")
"""Words that invert a sentence, so that opposites in it may mean the same."""
LEAVING = PhraseList("""
leave, keep, stay, remain
""")
"""Words before a state that is not changed."""
ENDURING = PhraseList(f"""
{LEAVING},
only, until, but, less, unchanged, untouched, intact, alone, out of, beyond, hold, away, limit, if, every, each,
whether or not, yes or no, anything, any, wrong, bad, minimum, maximum, always, exactly, just, single, all, both
""")
"""Words that often replace a "not" in rewordings."""
RESTRICTING = PhraseList("""
only, until, till, unless, before, once, if, or, either, provided, except, other than, whether, yet, sufficient, lack,
missing, free, zero, nil, unable, barred, less, but, rather, instead, out, off, avoid, prevent, stop, away, stay, sole,
exclusively, must, require, compulsory, mandatory
""")
"""Words with which a rewording says without a negator what another text says with one."""
INVERTING = PhraseList("""
freeze, cap, limit, lock, disable, remove, withhold, decline, =null, another, other, outside, taboo, forbidden, save
for, self, exclude, against, ahead, first
""")
"""Further words with which a rewording says so, but only about some objects."""
EXCEPTING = PhraseList("""
all but, any but, everything but, everyone but, all except, every one but, anything but
""")
"""Words that turn a set into its complement, or nearly."""
EXCEPTED = PhraseList(f"""
{_OMIT}, {_EXCLUDING},
but, apart from, besides, excluding, without, rest, remaining, others, =other, not, no
""")
"""Words with which a text may say so in another way."""

# --- Labels: "N/A", "skipped" ---
OFF = """
n/a, na, not applicable, inapplicable, irrelevant, todo, to do, tbd, tba, tbc, fixme, xxx, placeholder, dummy, stub,
mock, fake, no-op, noop, nop, was, were, formerly, previously, not, never, nope, do not, don't, backlog, dry run,
simulate, simulation, simulated, pretend, disabled, disable, inactive, deactivated, off, switched off, turned off,
skip, skipped, removed, remove, deleted, dropped, drop, deprecated, obsolete, outdated, old, wip, work in progress,
draft, optional, later, deferred, postponed, someday, future, out of scope, ignored, ignore, excluded, omitted, omit,
test only, hypothetical, commented out, retired, legacy, unused, unneeded, unnecessary,
void, null, none, no longer, not needed, not required, not necessary, not done, undone, not run, not used, not
implemented, unimplemented, not now, not yet, not planned, not in scope, not in use, do not do, do not run, does not
apply, wontfix, will not do, will not fix, descoped, superseded, historical, crossed out, struck out, bypass,
bypassed, exempt, exempted, instead of, rather than, nice to have, abandoned, not executed, not performed, not active
"""
"""What a label consists of that says that the labelled step is not done, or need not be."""
STATES = """
rejected, denied, cancelled, canceled, aborted, revoked, withdrawn, waived, on hold, parked, paused, suspended,
blocked, hidden, done, already done, completed, finished, closed, resolved, archived, expired, invalid, replaced,
delayed, false, nothing, no
"""
"""What says so only in brackets: before a colon, it is the state in which the step is done."""
BESIDE_OFF = word_set("""
a an the this that it is are was be been being has have step steps item items task tasks section part phase by for
from of as to here now today currently temporarily permanently still all any further please version release anymore
more again also needed required necessary intentionally deliberately following below above remaining rest others other
""")
"""Other words of such a label."""

# --- Weakening ---
_OPTIONAL = "perhaps, optional, optionally, preferably, need not, not required, glance, skim"
_WEAK = f"""
{_OPTIONAL},
if time, would be nice, nice to have, not mandatory, advisable, at some point, now and then, a few of, a handful of
"""
"""What weakens a requirement, in a text with nearly the same words and in any."""
HEDGES = PhraseList(f"""
{_WEAK},
if possible, where possible, when possible, as far as possible, if time permits, if time allows, time permitting, if
there is time, when there is time, if there is time left, if convenient, when convenient, at your convenience, if
needed, if required, if necessary, where practical, if practical, where feasible, if feasible, if one is available, if
at all, if you like, if you wish, if you feel like it, if desired, if wanted, the budget allows, if capacity allows, if
capacity permits, workload permits, as a rule, ideally, maybe, =possibly, if only, even if only, can be skipped, may be
skipped, can be left out, may be omitted, need not be, is desirable, but not necessarily, not necessarily, not needed,
are not needed, is advisable, think about, consider, when they find the time, when you find the time, when you get
around, some time, sometime, someday, from time to time, once in a while, every now and then, occasionally, =some of,
=any one of, one or two, most of the time, at least some, brief, briefly, quick look, quick chat, casually, guess,
estimate roughly, a sample of, spot check, as best you can, only noted, merely, half of, only if, only when, only once,
only a, if asked, =on request, loosely, cut down, a bit less, a little less, if they happen, if you happen, if it
suits, if at hand
""")
"""Words that weaken a requirement."""
PLAIN_HEDGES = PhraseList(f"""
{_WEAK},
=mention, =mentioned, =mentioning, a mention, would be good, would be useful, convenient, be nice, is nice, =preferred,
for information, feel like it, happens to, is welcome, welcome but, there is time, time allows, time permits,
discretion, as you like, as they like, not hurt, make a note, jot down, take note, a remark, a hint, is useful, if
useful, if helpful, if somebody, appreciated, up to them, up to him, up to her, =encouraged, see fit, sees fit, where
it suits, would do, is a plus, good enough
""")
"""Words that weaken a requirement beyond doubt, also in a text that was much reworded."""
_POSSIBLE = "may, might, could, can, possible, possibly, suggest, recommend, consider, sometimes, whether, as needed"
HEDGING = PhraseList(f"""
{_OPTIONAL}, {_POSSIBLE},
prefer, convenient, ideally, advise, mention, discretion, remark, note, opinion, notify, remind, tell, like, nice,
welcome, hint, free, if needed
""")
"""Words of a golden that a rewording may turn into such a phrase."""
HEDGED = PhraseList(f"""
{_POSSIBLE},
potential, potentially, perhaps, about, approximately, roughly, slightly, should, optional, some, few, several,
occasionally, if, where necessary, where needed, as necessary, =provided, as long as, when, once, before, until,
unless, only, estimate, brief, short, quick, casual, least, any, small, part, sample, just, limit, rather, certain,
directly
""")
"""Words of a golden that a rewording may legitimately turn into such a phrase."""
LIFTING = PhraseList("""
regardless, no matter, even if, whether or not, irrespective
""")
"""Words that remove a condition."""
WIDENING = PhraseList("""
whatever, whichever, of any, in any, for any, with any
""")
"""Words that remove a condition if little else was reworded."""
NEEDED = "needed required necessary"
"""Words that say, after "if" or "not", that something need not be done."""
VAGUE = f"{NEEDED} possible applicable desired appropriate available relevant"
"""Words after "if" that leave the condition to the reader."""
LIKING = "want like wish prefer"
"""The same after "if you"."""

# --- Time and pace ---
WAITING = PhraseList("""
not wait, without waiting, need not wait, not waiting, no waiting, at once, right away, straight away, immediately
""")
"""Words that exclude waiting."""
AWAITING = PhraseList("""
once, until, till, only after, only when, only if, not before, wait, hold
""")
"""Words that order waiting."""
STEPWISE = PhraseList("""
in steps, in batches, step by step, gradually, in stages, in waves, in groups, one by one, one at a time, batch by
batch, wave by wave
""")
"""Words for doing something in parts."""
PARALLEL = ("in parallel", "simultaneously", "concurrently", "at the same time")
"""Words with which a step runs beside others."""
_AT_ONCE = ("at once", "in one go", "in a single step", "all together")
AT_ONCE = PhraseList(f"{', '.join(_AT_ONCE)}, in one step, in one batch, in a single batch, simultaneously")
"""Words for doing everything at the same time."""
UNORDERED = (*PARALLEL, *_AT_ONCE)
"""Words that take the order from steps."""
ORDERED = ("one after the other", "one after another", "in this order", "in turn", "in sequence", "sequentially")
"""Words that give steps an order."""
AFTER_FIRST = ("then", "next", "afterwards", "second", "secondly", "after that")
"""Words that give an order after "first"."""

# --- Deciding, informing, stopping ---
SIGNING_OFF = """
approve, approval, confirm, confirmation, authorise, authorize, authorization, consent, permission, signoff
"""
"""Words for a decision of somebody who may refuse, whatever else a text says."""
AGREEING = """
agree, agreement, accept, acceptance, okay, ok, allow, permit, permitted, decide, decision, sign, endorse, clear,
cleared
"""
"""Words that may say the same."""
APPROVING = PhraseList(f"""
{SIGNING_OFF}, {AGREEING},
sign off, sign-off, signed off, authorisation, go-ahead, go ahead, green light, ratify, endorsement, clearance,
countersign, signature, signed, bless, blessing, release, sanction, nod, say-so, assent, yes, vote, veto
""")
"""Words for the decision of somebody who may refuse, and phrases."""
NOTIFYING = """
inform, notify, notification, tell, announce
"""
"""Words for telling somebody."""
NOTING = """
log, report, message, record, note, mention, email, alert, show
"""
"""Words for writing down or telling; they are nouns, too."""
TELLING = PhraseList(f"""
{NOTIFYING}, {NOTING},
told, announcement, warn, warning, let know, e-mail, flag, remind, reminder, advise, copy, share, document, post,
aware, recommend, suggest, consult, mark
""")
"""Words for telling somebody, or writing down, and phrases."""
STOPPING = "stop halt abort"
"""Words for an end before everything is done."""
ENDING = PhraseList(f"""
{", ".join(STOPPING.split())},
cancel, end, terminate, shut, switch off, turn off, kill, close, quit, disable, deactivate, suspend, pause, give up,
discontinue
""")
"""Words at the beginning of a step that ends something, which "stop" may replace."""
OBLIGING = "must shall always only never mandatory required"
"""Words of a sentence that obliges."""
_DUTIES = """
must, shall, always, required, mandatory, has to, have to, needs to, need to, compulsory, obligatory, forbidden,
prohibited, not allowed, not permitted, under no circumstances, never
"""
_ONLY = "only, solely, exclusively, nothing but, nothing else, no other"
_STRONG_FORCE = f"""
{_DUTIES}, {_ONLY},
do not, does not, must not, may not, can not, ensure, make sure, necessary, except, unless, in every case, in all
cases, every time, each time, whenever, without exception, nobody, no one, nothing, none
"""
"""Words of a demand that leaves no choice, with which a rewording keeps its force."""
_AT_WILL = "where you like, as you like, if you like, as you wish, sometimes"
_CHOICE = rf"""
{_AT_WILL},
(?:may|might|could|can)(?! not\b), optional, optionally, consider, occasionally, rarely, voluntary, need not, not
needed, not necessary, not required, not mandatory, no need to, do not have to, does not have to, do not need to, nice
to have, at your discretion, feel free to, if you want, suggested, encouraged
"""
_TRYING = """
try to, try not to, where possible, if possible, when possible, whenever possible, where you can, if you can, when you
can, as far as possible, where practical, where feasible, ideally, preferably
"""
_MOSTLY = f"""
{_TRYING},
usually, generally, normally, mostly, mainly, typically, largely, primarily, often, most of the time, in most cases, in
general, as a rule, not always
"""
_SHOULD = "should, ought to, recommended"
_ADVICE = f"{_SHOULD}, avoid, recommend, prefer, preferred, advisable, discouraged"
FORCES = (
    (_DUTIES, f"{_CHOICE}, {_MOSTLY}, {_ADVICE}", _STRONG_FORCE),
    (_SHOULD, _CHOICE, f"{_STRONG_FORCE}, {_SHOULD}, prefer, preferred"),
    ("do not", f"{_CHOICE}, {_TRYING}", f"{_STRONG_FORCE}, avoid, should not"),
    (_ONLY, f"{_MOSTLY}, {_AT_WILL}", _STRONG_FORCE),
    ("exactly, strictly, precisely", "roughly, approximately, loosely, more or less, broadly", _STRONG_FORCE),
)
"""Scales of force: the words of a demand, weaker ones, and those with which a rewording keeps the force."""
PROHIBITING = word_set("not no never none nobody must forbidden prohibited") | set(STOPPING.split())
"""Content words of a prohibition that do not say what is prohibited."""
_VERIFYING = "verify verification validate validation"
_CHECKING = (
    "check review inspect inspection test examine audit compare assess assessment evaluate monitor watch look see "
    "establish sure ensure prove proof control pass ask request has have need"
)
DECIDING = f"{SIGNING_OFF} require requirement {STOPPING} {_VERIFYING}"
"""What gives a step authority over those that follow."""
STILL_DECIDING = (
    f"{DECIDING} {AGREEING} {_CHECKING} wait until unless acknowledge acknowledgement ahead cancel block refuse "
    "prevent reject rejection must cease end terminate quit exit pause hold suspend freeze shut kill disable "
    "deactivate down only not never no without before interrupt break cut whether"
)
"""What may say the same in other words: then nothing is certain."""
CHECKING = f"{_CHECKING} {_VERIFYING}"
"""What may decide, and stops nothing."""
STILL_STOPPING = "fail close return roll"
"""What may say that something stops, and does not decide."""
SIGNING = word_set("sign signs consent review reviews")
"""Forms that give authority, too; other forms of these words ("a signed image") do not."""
MAYBE_NOTIFYING = f"{NOTING} update display print"
"""Verbs that are nouns, too: they inform at the start of a sentence or clause, or after a form of "be"."""
HANDING = "send forward share"
"""Verbs that inform at the start of a sentence or clause only: "Send the plan to the manager"."""
ORDERS = word_set("""
abort add alert apply approve archive ask assign attach back block build call cancel capture check clean clear
close collect commit compare configure confirm contact copy create delete deny deploy destroy detach disable
disconnect drain drop enable encrypt erase escalate execute export fail force freeze grant halt import inform
install isolate keep kill lock log merge migrate monitor mount move notify obtain open page pause post power
promote publish pull purge push put quarantine reboot record redeploy release reload remove rename repeat replace
report request rerun reset restart restore resume retry revert revoke roll rotate run save scale scan schedule
send set shred shut sign start stop store submit suspend switch tag tell terminate test transfer trigger turn
undo uninstall unlock unmount update upgrade upload validate verify wait warn wipe
""")
"""Verbs that begin an order; not those of introductions ("use", "follow", "see", "note")."""
FINDING_OUT = (
    "check verify see determine confirm decide ask test know find learn tell assess evaluate inspect look validate "
    "note record document clarify say state judge detect discover report show indicate monitor watch ensure question "
    "whether"
)
"""Words after which "if" means "whether"."""
FAILING_STEMS = "fail error reject exceed"
FAILING = "missing broken red wrong down unhealthy worse"
"""Words of a condition about a failure."""
STEP_WORDS = "step task item phase stage"
DEMANDING_TITLES = (
    r"roll(?:ing)?[ -]?backs?|back(?:ing)?[ -]?out|revert\w*|undo|fall[ -]?back|recover\w*|restor\w*|verif\w*|"
    r"validat\w*|checks?|checklist|smoke tests?|post[ -]?(?:checks?|conditions?|deploy\w*)|rules?|polic(?:y|ies)|"
    r"safety|safeguards?|security|guard ?rails?|warnings?|cautions?|dangers?|important|constraints?|restrictions?|"
    r"limits?|requirements?|pre-?requisites?|pre-?conditions?|before you (?:start|begin)|"
    r"(?:do|must|should)(?:n't| not)|never|always|mandatory|compliance|approvals?|escalat\w*|abort\w*|"
    r"stop (?:criteria|conditions?)|"
    r"(?:if|when|in case)\b.*|fail\w*|emergenc(?:y|ies)|contingenc(?:y|ies)|clean[ -]?up|acceptance|exit criteria|"
    r"definition of done|quality gates?"
)
"""Patterns of headings of sections whose sentences are demands: what is done if a step fails, and afterwards."""

# --- Who decides ---
DECIDING_STEMS = (
    "approv sign review confirm authoris authoriz accept releas verif check agree clear order decid inspect"
)
"""Beginnings of all forms of verbs of somebody who decides."""
ROLE_ENDINGS = "er or ist ant yst"
ROLE_WORDS = (
    "owner owners team teams lead leads head heads desk board committee office council staff chair counsel legal "
    "finance security on-call dpo ciso cto cfo support group department signatory signatories parent parents "
    "physician physicians nurse nurses"
)
"""Words for a role without such an ending."""
NO_ROLES = word_set(
    """order error server number after under over before whether per their other filter letter counter register offer
    paper water layer power cluster router container header folder answer buffer matter center parameter vector sensor
    monitor factor color transfer ledger printer computer sticker meter timer"""
)
"""Words that only look like a role."""

# --- Attributes and actions that protect ---
_CIPHERED = r"\w*crypt cipher kms tls secur luks gpg pgp seal"
PROTECTING = {
    "read[- ]?only": "read writ modif chang edit lock freez view look query select",
    "encrypted": _CIPHERED,
    "isolated|air-?gapped|sandboxed|quarantined": (
        "isolat separat sandbox air-?gap quarantin access reach scratch own apart alone cut contain dedicated "
        "disconnect fenc"
    ),
    "offline|off-?site": "off disconnect elsewhere remote site away vault unplug network",
    "independent(?:ly)?": (
        "independen unrelated distinct separat other involved second own part outside extern different alone "
        "impartial neither none who without each"
    ),
    "dry[- ]run": "dry simulat rehears without test check preview trial practi plan no-?op mock not",
    r"(?:full|entire|exhaustive)(?= [a-z])": "full complet entire whole all every total exhaustive end from each any",
}
"""Attributes, and the beginnings of all words with which a rewording keeps them."""
PROTECTING_ACTIONS = {
    "back(?:s|ed|ing)?[ -]up": (
        "back snapshot cop dump sav archiv export stor replic mirror clon imag preserv keep kept hold held duplicat "
        "bkp"
    ),
    "(?:mask|anonymi[sz]e|redact|pseudonymi[sz]e)s?": (
        "mask anonym pseudonym redact hid scrub strip remov blank hash obscur black conceal identif without clean "
        "withh"
    ),
    "encrypt(?:s|ing)?": _CIPHERED,
    "revok(?:e|es|ed|ing)": (
        "revo withdraw remov disabl invalid delet cancel kill expir rescind end drop terminat take took block lock "
        "rotat cut strip pull retir clos away off"
    ),
    "(?:quarantine|isolate)s?": (
        "quarantin isolat separat apart aside lock hold disconnect cut block fenc contain detach segregat off away "
        "remov access reach"
    ),
    "restor(?:e|es|ed|ing)": (
        "restor recover load bring back return re-?instat import rebuil put read roll rever fall reset again"
    ),
    "verif(?:y|ies|ied)": (
        "verif check confirm sure ensur prov valid test match compar agre correct equal see look establish audit "
        "inspect ok must same identical review examin watch monitor whether right pass good cross assert determin "
        "find reconcil control certain clear identif show set leav no none nothing if unless otherwise only until"
    ),
}
"""Actions that protect, and the beginnings of all words with which a rewording keeps them."""
WITHOUT_NOUN = word_set("""
by that in and with before for to on at as from against of once or if when until
name names text copy copies stop refund list stack time activation log
""")
"""What follows an attribute that says how something is done or that nobody misses: "tested with", "full name"."""
