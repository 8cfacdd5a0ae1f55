"""Detection of explicit contradictions between texts: opposites, categories, numbers, bounds, negations, names."""

from wfgate.base.door import door

__getattr__, __dir__ = door(
    __name__,
    {
        "actors": "changed_actor",
        "amounts": "Quantity Stated quantities",
        "attributes": "kept_attributes lost_attribute opposed_attribute stated_attributes",
        "authority": "is_otherwise_close lost_authority lost_demand",
        "contradiction": "Contradiction contradictions disagreements other_topics",
        "difference": "CUT LINE_BREAK Marked READ beginning exchange marked one_line short_names whole_tokens windows",
        "embedders": "DEFAULT_EMBEDDER load_embedder",
        "embedders.base": "Embedder Vectors",
        "embedders.static": "StaticEmbedder",
        "labels": "off_parts turns_off",
        "language": "foreign_language",
        "meaning": "DEFAULT_MEANING_MODEL load_meaning_model",
        "meaning.base": "MeaningModel MeaningScore SAME TextPair plain_words same_words unnumbered",
        "parts": (
            "Prohibitions WordIndex added_actions differing_sentences keeps_words prohibits removed_parts says_clause"
        ),
        "phrases": "CONDITIONING agreement folded parsed",
        "reach": "narrowed_reach",
        "roles": "exchanged_roles",
        "scope": "has_other_limits has_other_logic replaced_word scope_change",
        "words": "CODE is_content one_text plain_text tokens",
    },
)
