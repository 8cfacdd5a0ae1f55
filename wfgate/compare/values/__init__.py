"""Every value is compared: what the gate does with a value of a file that no parser may overlook.

**What a value is.** A scalar, or an empty list or mapping, at a path of the data of a file. A reader states where each
workflow, step and gateway is in these data (`read/formats/raw.py`); every other value belongs to the innermost element
around it, values outside all elements to the workflow. So no value is lost, whether or not a reader understands it.
Running text has no data: its elements are compared in the terms of the model, its texts by `prose.py`. Files of two
formats are compared in the terms of the model, too.

**How values are paired.** `differences.py` pairs elements: matched steps; the composites around them with their
sub-workflows; the two files; gateways with other data. A step without a counterpart is compared with the part of the
other file that has its id and is no step there (a disabled node), or with nothing. `elements.py` makes the data of
two elements comparable: ids of matched steps are exchanged, in references too; comments and the users of shared parts
have a place of their own (`canonical.py`). `changes.py` walks both: mappings key by key, lists in their order, lists
that the format calls unordered as sets, whose items are paired by what they are. Two spellings of the same are no
change. Each `ValueChange` has a path and both values; a subtree that only one side has is one change.

**Which class a change has.** The table of the format (`read/formats/consequences.py`) gives each path a class, of a
subtree the gravest; `classes.py` corrects it by both values. Milder: the same code in another layout, equal
quantities, a script that only prints. Graver: a condition that became a text, names that exclude each other, another
number or switch in an argument. A reference to the matched step is no difference.

**What follows.** A `Difference` is a change with its class. A rule (`rules/relative/values.py`) makes one finding of
each: an effect is an error and a proof; an argument, an identity, a value of unknown purpose and a sentence that
contradicts the golden or is gone are a warning; the rest is a note.

**What is left out, and why.** Values of the class structure: links, conditions and ids, which other rules compare by
what they mean; only if the flows are not provably alike (`flows_alike`), they are one finding. Texts that are part of
the statements of steps: the alignment and the meaning model compare them. Harmless values of a step that is missing or
new: another rule reports the step.
"""
