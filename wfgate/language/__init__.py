"""What English says: whether one text contradicts, weakens or lacks what another one demands, in exact words.

These questions are asked in this order about a step of a golden and the text that stands for it in a candidate. Each
answer is certain or none, and has the words of both texts:

1. `contradiction`: opposites, exclusive kinds, numbers (`amounts`), bounds, negations (`polarity`, `labels`), words
   that weaken, other names. `phrases` finds the listed phrases that it compares.
2. `authority`: does nobody decide any more, or is the demand only an example?
3. `roles`, `reach`, `actors`, `attributes`, `force`, `names`: are roles exchanged, is a whole now a part, does
   somebody else decide, is a protecting attribute gone, a "must" a "should", a preference reversed, a path replaced?
4. `parts`: is a part gone or new, although the other words are the same? Is a prohibition gone?
5. `signs`: weak signs of a loss; they prove nothing, and only shift the score of a network.

`scope` compares conditions, `language` tells which language a text has, `difference` shows where texts differ.
`words` makes tokens, and all words that the rules know stand in `lexicon`.

They never guess: other words for the same are no finding, so each rule needs words in common and a known exchange.
How likely two wordings mean the same is left to `embedders` and `meaning`.
"""

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
        "force": "lifted_prohibition reversed_preference weakened_force",
        "labels": "off_parts turns_off",
        "language": "foreign_language",
        "lexicon": "alternatives",
        "lexicon.demands": (
            "DEMANDING_TITLES FINDING_OUT HEDGED HEDGES LEFT_OUT_STEMS LIKING NEEDED NEEDLESS OBLIGING ORDERS "
            "PARALLEL STEP_WORDS TAKEN_BACK VAGUE"
        ),
        "lexicon.grammar": "CONDITIONING NEGATIVE WHOLLY",
        "lexicon.numbers": "FIRST_TO_TENTH TWO_TO_TEN",
        "meaning": "DEFAULT_MEANING_MODEL load_meaning_model",
        "meaning.base": "MeaningModel MeaningScore SAME TextPair plain_words same_words unnumbered",
        "names": "replaced_name",
        "parts": (
            "Prohibitions WordIndex added_actions differing_sentences is_join keeps_words prohibits removed_parts "
            "says_clause"
        ),
        "phrases": "agreement folded parsed",
        "reach": "narrowed_reach",
        "roles": "exchanged_roles",
        "scope": "has_other_limits has_other_logic replaced_word scope_change",
        "words": "CODE is_content one_text plain_text tokens",
    },
)
