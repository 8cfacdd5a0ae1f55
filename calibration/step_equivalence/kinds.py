"""The kinds of differences that `data.py` describes, apart from it: training needs them without wfgate."""

KINDS = ("equivalent", "action", "condition", "weakening", "negation", "quantity", "target", "vague", "other")
