"""The exam: questions that test how well a language model reads workflows, grades, and certificates.

wfgate computes the right answers itself. A question pattern is a kind of fact about a workflow (`wfgate list facts`).
"""
