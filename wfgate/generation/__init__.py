"""Workflows from a language model."""

from wfgate.base.door import door

__getattr__, __dir__ = door(
    __name__,
    {
        "answers": "GatedSample Generation RULES file_name generate generate_until_pass prompt_for prompt_hash",
        "report": "generation_lines generation_record generation_text",
    },
)
