"""When steps run: the meaning of conditions, and what a workflow does."""

from wfgate.base.door import door

__getattr__, __dir__ = door(
    __name__,
    {
        "behaviour.data": "DataFlow written_inside",
        "behaviour.flow": "Flow",
        "behaviour.play": "Defect",
        "behaviour.races": "can_meet can_miss",
        "behaviour.run": "Behaviour EXCEPTIONAL joins_all read_join",
        "behaviour.soundness": "Soundness",
        "behaviour.split": "Selections unread",
        "conditions.answer": "Answer Situation",
        "conditions.formula": (
            "ALWAYS All Atom Formula Not Scalar Some Term atoms every literal negated renamed some terms words"
        ),
        "conditions.languages": "parse",
        "conditions.languages.github": "expression_in parse_tree templates",
        "conditions.languages.grammar": "Grammar SYMBOLS",
        "conditions.languages.node": "Expression GuardSyntaxError",
        "conditions.languages.parser": "tree",
        "conditions.languages.plain": "is_prose",
        "conditions.space": "BudgetSpentError DEFAULT_BUDGET FALSE Node Space TRUE",
    },
)
