"""Curated word lists for the detection of contradictions, and of phrases that only look like a contradiction.

One line is one group: `|` separates the sides of the group, commas separate synonyms. Words are compared by stem; a
word after `=` is compared exactly. An indented line continues the group above.
"""

OPPOSITES = """
enable, activate, switch on, turn on, turned on, switched on | disable, deactivate, switch off, turn off, turned
  off, switched off
encrypt, encipher, encryption | decrypt, decipher, decryption
encode, encoding | decode, decoding
compress, compression, zip | decompress, decompression, uncompress, unzip
upload, push | download, pull
import | export
accept, approve, approval | reject, refuse, decline, deny, rejection
allow, permit, grant, authorize | forbid, deny, prohibit, block, ban, disallow, revoke
lock | unlock
freeze | unfreeze, thaw
mount | unmount
install, installation | uninstall, uninstallation
subscribe, subscription | unsubscribe
publish | unpublish, withdraw
attach | detach
connect, connection | disconnect, disconnection
include, including | exclude, excluding, leaving out, leave out, omit, omitting, except, excludes
insert, add | remove, delete, erase
create, creation | delete, destroy, deletion, tear down
keep, retain, preserve | discard, drop, delete, throw out, throw away, remove, erase
save, store | delete, discard, erase
retrieve, fetch, obtain, look up, gather, collect, read | delete, erase, destroy
increase, raise, enlarge | decrease, lower, reduce, reduction
scale up | scale down
upgrade | downgrade
expand | collapse, shrink
start, begin, launch | stop, halt, terminate, shut down
start, beginning, starting | end, finish
open, opened, reopen | close, closed, shut, closing
pause, suspend | resume, unpause, unsuspend
commit | roll back, rollback
success, succeed, successful | failure, fail, failed, unsuccessful
pass | fail
valid | invalid
available | unavailable
present | absent
visible, show, display, reveal | hidden, hide, invisible, conceal
public | private
internal | external
inbound, incoming, ingress | outbound, outgoing, egress
input | output
sender | receiver, recipient
send | receive, withhold
buy, buy now, purchase | sell, add to cart, add to wishlist, add to wish list
credit | debit
deposit | withdraw
=rent | =own
=lend | borrow
give | take away
take, take from, pick up | put, put back, put down, leave the
put on | take off
ask, ask questions | answer, answer questions
heat, warm | cool, chill
hot, warm | cold, chilled, cool
wet | dry
clean | dirty
tighten | loosen
fill | empty, drain
cover, covered | uncover, uncovered
seal, sealed | unseal, unsealed
fasten | unfasten
load | unload
join | leave
merge | split
sort ascending, ascending | descending, sort descending
largest, biggest, greatest, highest, maximum, most, max, longest, heaviest, tallest, top, latest, newest, oldest |
  smallest, lowest, minimum, least, fewest, min, shortest, lightest, bottom
newest, latest, most recent, newer, youngest | oldest, earliest, older
largest, highest, maximum, max, smallest, minimum, lowest | average, mean, median
sum, total | average, mean, difference
count, number of | average
intersection | union
larger, bigger, greater, higher | smaller, lower, lesser, fewer
longer | shorter
faster, speed up | slower, slow down
before, prior to, ahead of | after, afterwards, following, once
early, earlier | late, later
first | last
previous | next, following
=ahead | =behind
inside, within, in the | outside, outside of
above, over | below, under, underneath, beneath
left | right
=top | =bottom
=front | =back
left side | right side
horizontal, horizontally | vertical, vertically
=north | =south
=east | =west
indoors, indoor | outdoors, outdoor
online | offline
manual, manually, by hand | automatic, automatically, automated
synchronous, synchronously | asynchronous, asynchronously
parallel, in parallel, simultaneously, concurrently | sequentially, sequential, one after the other, one at a time
stop, abort, halt, cancel | carry on, continue, proceed, go on, go ahead, press on
reject, refuse, turn away, decline | let in, let through, keep, take in, wave through, admit
collect, charge | waive
read-only, read only | read-write, read write, writable
positive | negative
true | false
active | inactive
mandatory, required, compulsory, must | optional, optionally, voluntary
necessary | unnecessary
encrypted | unencrypted, plaintext, plain text
signed | unsigned
verified | unverified
tested | untested
known | unknown
authorized | unauthorized
quiet, silent | noisy, loud
light | deep, heavy
simple, easy | complex, difficult
same, identical | different
always | never, sometimes, occasionally
everyone, everybody | no one, nobody
cheapest | most expensive
cheap, affordable | expensive, luxury
domestic | international
local | remote, national, global
low | high
minimum, at least | maximum, at most
strong | weak
safe | unsafe
thick | thin
=young | =old
temporary, temporarily | permanent, permanently
full | partial, incremental, partially
soft | hard
loose | tight
healthy | unhealthy
legal | illegal
isolate, separate | together, combine, put together
unplug | plug in
hang | take down
lengthen | shorten
gain | lose
=win | =lose
forward | backward, backwards
encourage | discourage
agree | disagree
trust | distrust
remember | forget
consider | disregard, ignore
respect | ignore
watch for, pay attention | pay no attention
prevent, avoid | cause, seek
require | waive
invite | uninvite
promote | demote
hire | dismiss, fire
arrive | depart
login, log in, sign in | logout, log out, sign out
register | unregister, deregister
reveal | redact
present in | absent from, missing from
maximize, maximise | minimize, minimise
hyperthyroidism | hypothyroidism
supervised | unsupervised
training set, training data | test set, test data
serialise, serialize | deserialise, deserialize
blue-green | canary
"""
"""Pairs of opposites; a negation turns one side into the other."""

CATEGORIES = """
=production, =prod | =staging, =stage | =development, =dev | =sandbox | =qa | preproduction, =preprod
binary, =two-class | multiclass, multi-class, multi class | multilabel, multi-label, multi label
classification, classify, classifier | regression, regressor | clustering | forecasting | segmentation
a minute, per minute, each minute | an hour, per hour | a day, per day | a week, per week | a month, per month | a
  year, per year
hourly, each hour, every hour | daily, each day, every day | weekly, each week, every week | monthly, each month,
  every month | quarterly, every quarter | yearly, annually, annual, every year, each year
monday | tuesday | wednesday | thursday | friday | saturday | sunday
=january | =february | =march | =april | =june | =july | =august | =september | =october | =november | =december
=red | =blue | =green | =yellow | =orange | =purple, =violet | =pink | =brown | =black | =white | =grey, =gray |
  =navy
=small | =medium | =large
=gold | =silver | =bronze
weekday, weekdays | weekend, weekends
morning | evening, =night | afternoon
spring | summer | autumn | winter
europe | asia | africa | america | australia | antarctica
english | french | german | spanish | italian | chinese | japanese | russian | portuguese | arabic | korean
=aws | azure | gcp
=mysql | postgres, postgresql | sqlite | oracle | mongodb
=http | https
=json | xml | =csv | yaml | parquet
=linux | windows | macos
=ios | android
=kilobyte, =kb | =megabyte, =mb | =gigabyte, =gb | =terabyte, =tb
=admin, administrator | guest
=phone number | email address
=mother | =father
=man, =men | =woman, =women
yesterday | today | tomorrow
current | forecast | historical
accuracy | recall
=director | =producer
author | publisher
title | isbn
customer | supplier, vendor
"""
"""Mutually exclusive kinds; a group may have many sides."""

TOPICS = """
binary, =two-class | multiclass, multi-class, multi class | multilabel, multi-label, multi label | regression
classification, classify, classifier | regression, regressor | clustering | forecasting | segmentation
supervised | unsupervised
"""
"""Topics of a whole workflow: if it is about one, no step is about another one only."""

NEGATORS = "not no never without none neither nor nobody nothing cannot"
"""Words that negate what follows."""

COMPARING = """less fewer more later longer higher lower earlier further farther sooner only other others"""
"""Words before which a negator does not negate: "no later than", "must not be lower than", "no other"."""

IDIOMS = "matter doubt cost charge time"
"""Words before which "no" does not negate: "at no cost"."""

TURNING = """
unless, until, till, before, after, as long as, except, other than, lift, instead, rather, fail, avoid, refuse,
reject, stop, prevent, exclude, discard, drop, =non, =free, yet, only, no longer, leave, hand, break
"""
"""Words that invert a sentence, so that opposites in it may mean the same."""

DENYING = """
avoid, refrain, refuse, reject, forbid, prohibit, prevent, exclude, except, other than, stop, fail, deny, ban, drop,
discard, skip, omit, leave out, leaving out, instead of, rather than, unless, lest, miss, cease, abstain, halt, =non,
free of, =free, absent, lack, missing, without, give up, stay out, stay away, ignore, impossible, unable, nowhere,
forget, out of the question, keep off, keep out, lift, block, =bar, barred, barring, go no further
"""
"""Words that negate without a "not"."""

ENDURING = """
only, until, but, less, unchanged, untouched, intact, alone, out of, leave, keep, beyond, remain, stay, hold, away,
limit, if, every, each, whether or not, yes or no, anything, any, wrong, bad, minimum, maximum, always, exactly,
just, single, all, both
"""
"""Words that often replace a "not" in rewordings."""

HEDGES = """
if possible, where possible, when possible, as far as possible, if time permits, if time allows, if time, time
permitting, if there is time, when there is time, if there is time left, if convenient, when convenient, at your
convenience, if needed, if required, if necessary, where practical, if practical, where feasible, if feasible, if one
is available, if at all, if you like, if you wish, if you feel like it, if desired, if wanted, the budget allows, if
capacity allows, if capacity permits, workload permits, as a rule, preferably, ideally, optionally, optional,
perhaps, maybe, =possibly, if only, even if only, can be skipped, may be skipped, can be left out, may be omitted,
need not, need not be, is desirable, would be nice, nice to have, not mandatory, but not necessarily, not
necessarily, not needed, are not needed, not required, is advisable, advisable, think about, consider, when they find
the time, when you find the time, when you get around, at some point, some time, sometime, someday, now and then,
from time to time, once in a while, every now and then, occasionally, =some of, =any one of, a few of, a handful of,
one or two, most of the time, at least some, brief, briefly, quick look, quick chat, casually, skim, glance, guess,
estimate roughly, a sample of, spot check, as best you can, only noted, merely, half of, only if, only when, only
once, only a, if asked, =on request, loosely, cut down, a bit less, a little less, if they happen, if you happen, if
it suits, if at hand
"""
"""Words that weaken a requirement."""

PLAIN_HEDGES = """
=mention, =mentioned, =mentioning, a mention, would be nice, would be good, would be useful, convenient, need not, be
nice, is nice, preferably, =preferred, optional, optionally, for information, feel like it, happens to, is welcome,
welcome but, if time, there is time, time allows, time permits, at some point, perhaps, now and then, discretion,
glance, as you like, as they like, not hurt, skim, make a note, jot down, take note, a remark, a hint, is useful, if
useful, if helpful, advisable, a few of, a handful of, if somebody, nice to have, appreciated, not required,
not mandatory, up to them, up to him, up to her, =encouraged, see fit, sees fit, where it suits, would do, is a plus,
good enough
"""
"""Words that weaken a requirement beyond doubt, also in a text that was much reworded."""

HEDGING = """
may, might, could, can, possible, possibly, perhaps, suggest, recommend, optional, optionally, consider, prefer,
preferably, convenient, ideally, advise, mention, discretion, remark, note, opinion, need not, not required,
sometimes, whether, notify, remind, tell, like, nice, welcome, glance, skim, hint, free, if needed, as needed
"""
"""Words of a golden that a rewording may turn into such a phrase."""

HEDGED = """
may, can, could, might, potential, potentially, possible, possibly, perhaps, about, approximately, roughly, slightly,
suggest, recommend, should, whether, optional, some, few, several, occasionally, sometimes, consider, if, as needed,
where necessary, where needed, as necessary, =provided, as long as, when, once, before, until, unless, only,
estimate, brief, short, quick, casual, least, any, small, part, sample, just, limit, rather, certain, directly
"""
"""Words of a golden that a rewording may legitimately turn into such a phrase."""

AT_LEAST = """
at least, no less than, no fewer than, not less than, not fewer than, minimum of, no lower than, not below, or more,
or above, or higher, no earlier than, >=, ≥, =minimum, more than, greater than, larger than, higher than,
over, above, exceeds, exceed, exceeding, older than, longer than, bigger than, beyond, later than, >
"""
AT_MOST = """
at most, no more than, not more than, maximum of, up to, or less, or fewer, or below, or lower, no later than, not
later than, no longer than, not exceeding, no higher than, no further than, no farther than, within, =maximum, <=, ≤,
less than, fewer than, smaller than, lower than, under, below, younger than, shorter than, earlier than, <, does not
exceed, not exceed, not over, not above, inside of, at the latest
"""
"""Bounds; they refer only to the number directly after or before them."""

LIFTING = """
regardless, no matter, even if, whether or not, irrespective
"""
"""Words that remove a condition."""

WAITING = """
not wait, without waiting, need not wait, not waiting, no waiting, at once, right away, straight away, immediately
"""
"""Words that exclude waiting."""

AWAITING = """
once, until, till, only after, only when, only if, not before, wait, hold
"""
"""Words that order waiting."""

WIDENING = """
whatever, whichever, of any, in any, for any, with any
"""
"""Words that remove a condition if little else was reworded."""

CONDITIONING = """
if, unless, when, whenever, once, in case, in the event, as long as, provided, only, otherwise, else, where, should,
failing that, until, while, with, without
"""
"""Words that may say under which condition a step is done."""

BRANCHING = """
otherwise, =else, failing that
"""
"""Words that introduce the other case."""

SKIPPING = """
avoid, refrain, skip, omit, stop, ignore, give up, stay out, abstain, refuse, leave out, forget
"""
"""Words at the beginning of a step that must not be done."""

OMITTING = """
skip, ignore, disregard, waive, bypass, stay away from, keep away from, dispense with
"""
"""Verbs that deny the action or the object that follows, at any place of a text."""

RESTRICTING = """
only, until, till, unless, before, once, if, or, either, provided, except, other than, whether, yet, sufficient, lack,
missing, free, zero, nil, unable, barred, less, but, rather, instead, out, off, avoid, prevent, stop, away, stay, sole,
exclusively, must, require, compulsory, mandatory
"""
"""Words with which a rewording says without a negator what another text says with one."""

INVERTING = """
freeze, cap, limit, lock, disable, remove, withhold, decline, =null, another, other, outside, taboo, forbidden, save
for, self, exclude, against, ahead, first
"""
"""Further words with which a rewording says so, but only about some objects."""

LEAVING = """
leave, keep, stay, remain
"""
"""Words before a state that is not changed."""

STATES_LEFT = """
open, unlocked, editable | lock, close, freeze, seal
enabled, active, on, running, in place | disable, deactivate, switch off, turn off, stop, shut down, revoke, remove,
  delete, suspend, pause
off, disabled, inactive, stopped, suspended, paused | enable, activate, switch on, turn on, start, restart, resume
closed, locked, shut | open, unlock, reopen
"""
"""States that are left, and verbs that would end them."""

STEPWISE = """
in steps, in batches, step by step, gradually, in stages, in waves, in groups, one by one, one at a time, batch by
batch, wave by wave
"""
"""Words for doing something in parts."""

AT_ONCE = """
at once, in one go, in a single step, in one step, in one batch, in a single batch, all together, simultaneously
"""
"""Words for doing everything at the same time."""

EXCEPTING = """
all but, any but, everything but, everyone but, all except, every one but, anything but
"""
"""Words that turn a set into its complement, or nearly."""

EXCEPTED = """
but, except, other than, apart from, besides, exclude, excluding, without, rest, remaining, others, =other, not, no,
unless, leave out, omit, skip
"""
"""Words with which a text may say so in another way."""

ENDING = """
stop, cancel, end, terminate, shut, switch off, turn off, halt, abort, kill, close, quit, disable, deactivate,
suspend, pause, give up, discontinue
"""
"""Words at the beginning of a step that ends something, which "stop" may replace."""

ACTIONS = """
retrieve, fetch, obtain, gather, collect, look up, search, list, check, verify, inspect, scan, review, view,
  identify, detect, determine, query, calculate, count, describe | update, modify, edit, change, reset, overwrite,
  create, add, insert, post, write, register, publish, send, grant, generate, simulate, enroll, install, buy, order,
  book, implement, enable, submit, save, upload | delete, erase, destroy, throw out, throw away, discard,
  wipe, cancel, withdraw, revoke, uninstall, disable, remove, tear down, abandon, skip, give up, take away, block,
  punish
"""
"""Verbs at the beginning of a step, in three kinds: read, create or change, delete."""

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
BESIDE_OFF = """
a an the this that it is are was be been being has have step steps item items task tasks section part phase by for
from of as to here now today currently temporarily permanently still all any further please version release anymore
more again also needed required necessary intentionally deliberately following below above remaining rest others other
"""
"""Other words of such a label."""

PARTIAL = """
some, most, mostly, several, few, many, majority, random, sample, samples, sampled, selected, selection, important,
main, key, typical, largest, biggest, a couple, one of, half, part of, partly, partially, usually, often, generally,
sometimes, occasionally, spot check, spot checks, spot-check, representative, where needed, as needed, if needed,
chosen, certain, critical ones
"""
"""Words for a part of a set."""

SIGNING_OFF = """
approve, approval, confirm, confirmation, authorise, authorize, authorization, consent, permission, signoff
"""
"""Words for a decision of somebody who may refuse, whatever else a text says."""

AGREEING = """
agree, agreement, accept, acceptance, okay, ok, allow, permit, permitted, decide, decision, sign, endorse, clear,
cleared
"""
"""Words that may say the same."""

APPROVING = f"""
{SIGNING_OFF}, {AGREEING},
sign off, sign-off, signed off, authorisation, go-ahead, go ahead, green light, ratify, endorsement, clearance,
countersign, signature, signed, bless, blessing, release, sanction, nod, say-so, assent, yes, vote, veto
"""
"""Words for the decision of somebody who may refuse, and phrases."""

NOTIFYING = """
inform, notify, notification, tell, announce
"""
"""Words for telling somebody."""

NOTING = """
log, report, message, record, note, mention, email, alert, show
"""
"""Words for writing down or telling; they are nouns, too."""

TELLING = f"""
{NOTIFYING}, {NOTING},
told, announcement, warn, warning, let know, e-mail, flag, remind, reminder, advise, copy, share, document, post,
aware, recommend, suggest, consult, mark
"""
"""Words for telling somebody, or writing down, and phrases."""

PAIRED = """
two, both, second, pair, four-eyes, four eyes
"""
"""Words that ask for a second person or thing."""

SECOND = """
two, both, second, pair, four-eyes, four eyes, 2, 2nd, twice, double, dual, couple, another, other, different, each,
and, twin, either, neither, independent
"""
"""Words with which a text may say so."""

ROUGHLY = """
about, around, roughly, approximately, some, circa, or so, nearly, almost, close to, in the region of, more or less,
near
"""
"""Words that make a number rough."""
