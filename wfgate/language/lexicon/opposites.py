"""Words that exclude each other. One line is one group: `|` separates its sides, commas separate synonyms."""

from wfgate.language.lexicon import PhraseList, word_set

OPPOSITES = PhraseList(
    """
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
""",
    grouped=True,
)
"""Pairs of opposites; a negation turns one side into the other."""
_LEARNING = (
    """classification, classify, classifier | regression, regressor | clustering | forecasting | segmentation"""
)
"""Kinds of machine learning, which steps and whole workflows are about."""
CATEGORIES = PhraseList(
    f"""
=production, =prod | =staging, =stage | =development, =dev | =sandbox | =qa | preproduction, =preprod
binary, =two-class | multiclass, multi-class, multi class | multilabel, multi-label, multi label
{_LEARNING}
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
""",
    grouped=True,
)
"""Mutually exclusive kinds; a group may have many sides."""
TOPICS = PhraseList(
    f"""
binary, =two-class | multiclass, multi-class, multi class | multilabel, multi-label, multi label | regression
{_LEARNING}
supervised | unsupervised
""",
    grouped=True,
)
"""Topics of a whole workflow: if it is about one, no step is about another one only."""
ACTIONS = PhraseList(
    """
retrieve, fetch, obtain, gather, collect, look up, search, list, check, verify, inspect, scan, review, view,
  identify, detect, determine, query, calculate, count, describe | update, modify, edit, change, reset, overwrite,
  create, add, insert, post, write, register, publish, send, grant, generate, simulate, enroll, install, buy, order,
  book, implement, enable, submit, save, upload | delete, erase, destroy, throw out, throw away, discard,
  wipe, cancel, withdraw, revoke, uninstall, disable, remove, tear down, abandon, skip, give up, take away, block,
  punish
""",
    grouped=True,
)
"""Verbs at the beginning of a step, in three kinds: read, create or change, delete."""
STATES_LEFT = PhraseList(
    """
open, unlocked, editable | lock, close, freeze, seal
enabled, active, on, running, in place | disable, deactivate, switch off, turn off, stop, shut down, revoke, remove,
  delete, suspend, pause
off, disabled, inactive, stopped, suspended, paused | enable, activate, switch on, turn on, start, restart, resume
closed, locked, shut | open, unlock, reopen
""",
    grouped=True,
)
"""States that are left, and verbs that would end them."""
SIDES = (
    ("new fresh latest upcoming", "old former previous existing retired outdated"),
    ("source origin", "target destination"),
    ("primary leader", "replica standby secondary follower"),
    ("internal", "external public"),
    ("blue", "green"),
    ("left", "right"),
)
"""Attributes that tell two things of one kind apart; as opposites anywhere in a text they would exclude too much."""
CONVENTIONS = (
    ("singular", "plural"),
    ("upper-?case|upper case|capital letters", "lower-?case|lower case|small letters"),
    ("enforcing", "permissive"),
    ("tabs", "spaces"),
    ("single quotes", "double quotes"),
    ("relative (?:imports|paths)", "absolute (?:imports|paths)"),
    ("named exports?", "default exports?"),
)
"""Patterns of conventions that exclude each other, at any place of a text."""
CONVERSE = word_set("send receiv giv tak buy sell lend borrow")
"""Stems of verbs that say the same about the other party: "send her the plan", "she receives the plan"."""
SYMMETRIC = word_set(
    "compar match reconcil equal correspond align mix combin blend differ swap exchang interchang correlat pair agre "
    "consistent same identical equival versus vs balanc sum total differenc comparison"
)
"""Lemmas of words of which both sides have the same role: "compare A with B"."""
BETWEEN_SYMMETRIC = word_set("with against to from as than")
"""Words between such sides."""
UNITING = word_set("merg join integrat link connect sync synchroniz synchronis meet together share cross")
"""Lemmas of such words that are next to a "with"."""
