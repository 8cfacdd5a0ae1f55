"""What texts say against each other, by words alone: opposites, categories, numbers, bounds, negations."""

from wfgate.texts.contradiction import Contradiction, contradictions, disagreements, other_topics

__all__ = ["Contradiction", "contradictions", "disagreements", "other_topics"]
