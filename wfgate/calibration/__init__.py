"""Calibration: fits a profile with stated error rates on variants of goldens.

A golden is an approved workflow. An operator (perturbation) changes a golden into a variant: harmless (a rewording,
for example) or damaged (a missing step, for example).
"""

from wfgate.base.door import door

__getattr__, __dir__ = door(
    __name__,
    {
        "corpus": "Corpus read_corpus read_texts",
        "export": "Rejection benchmark inspection with_random_steps",
        "perturb": "PERTURBATIONS perturb_reworded",
        "perturb.base": "Golden Perturbation Variant",
        "perturb.texts": "StepTexts",
        "perturb.written": "KINDS",
        "refresh": "compare_profiles",
        "reports.benchmark": "inspection_markdown label_lines suite_lines",
        "reports.calibration": "address calibration_markdown calibration_page",
        "reports.calibration_text": "calibration_summary",
        "reports.figures": "available figures",
        "reports.refresh": "refresh_json refresh_text",
        "reports.writing": "writing_text",
        "run": "Calibration DEFAULT_ALPHAS Plan calibrate calibrate_corpus",
        "writer": "Writer read_written tally",
    },
)
