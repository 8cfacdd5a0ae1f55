"""Access to language models: a client that validates answers, retries, caches, and counts costs."""

from wfgate.base.door import door

__getattr__, __dir__ = door(
    __name__,
    {
        "account": "Prices",
        "client": "LlmAnswer Client Limits Message LlmQuestion at_once",
        "prompts.exam": "grading",
        "prompts.judge": "Opinion TEMPLATES",
        "prompts.quotes": "QuotedClaim Claims quotes_hash quotes_question",
        "prompts.writer": "ChangedStep Kind PlannedStep Step Written again prompt_hash schema_of variant_question",
        "service": "Service",
        "untrusted": "spelled suspected_injections",
    },
)
