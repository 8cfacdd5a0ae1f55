"""The exam: questions that test how well a language model reads workflows, grades, and certificates.

wfgate computes the right answers itself. A question pattern is a kind of fact about a workflow (`wfgate list facts`).
"""

from wfgate.exam.administer import Protocol, Response, administer
from wfgate.exam.certificate import Certificate
from wfgate.exam.grade import Grader, Result, Settings, graded
from wfgate.exam.instances import ORIGINAL, Exam, Instance, Paper, catalogue_version, draw

__all__ = [
    "ORIGINAL",
    "Certificate",
    "Exam",
    "Grader",
    "Instance",
    "Paper",
    "Protocol",
    "Response",
    "Result",
    "Settings",
    "administer",
    "catalogue_version",
    "draw",
    "graded",
]
