"""The prompts for language models."""
