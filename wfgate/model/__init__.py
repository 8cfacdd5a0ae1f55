"""The workflow model: the workflow as an immutable value, its task graph, and its fingerprint."""

from wfgate.base.door import door

__getattr__, __dir__ = door(
    __name__,
    {
        "canonical": "CanonicalForm canonical_form content_key content_order fingerprint",
        "expansion": "expand",
        "graph": (
            "closure cycle_through cyclic depth_first dominators linear_extension members path_to reach "
            "strongly_connected topological"
        ),
        "mentions": "Mention Said listed named plain read rewording",
        "names": "Names",
        "task_graph": "TaskGraph task_numbers",
        "workflow": (
            "DataItem DataLink END Element Frozen Gateway Guard LONGEST_TEXT Language Link Loop Operator Outcome "
            "Place START Semantics SourceSpan Task TaskKind Workflow place_in"
        ),
    },
)
