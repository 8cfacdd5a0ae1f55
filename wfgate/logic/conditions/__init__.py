"""Conditions as formulas, and answers about them: yes, no, or unknown, with a situation as evidence."""
