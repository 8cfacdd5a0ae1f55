"""The pattern catalogue as computed answers, and the exam that asks a model the same."""

from wfgate.base.door import door

__getattr__, __dir__ = door(
    __name__,
    {
        "exam.administer": "Protocol administer",
        "exam.certificate": "Certificate",
        "exam.grade": "Grader Settings graded",
        "exam.instances": "Paper draw",
        "facts": "FACTS all_answers answer",
        "facts.base": "Question",
        "facts.situations": "read_names read_situation",
        "facts.subject": "FactSubject",
        "reports.exam": "exam_markdown exam_record exam_text",
        "reports.facts": "facts_record facts_text",
    },
)
