"""The set-up of a project: creates the first files, and finds problems."""

from wfgate.base.door import door

__getattr__, __dir__ = door(
    __name__,
    {
        "doctor": "diagnose",
        "files": "NO_COMMIT example_files installed_ref scaffold",
        "report": "diagnosis_record diagnosis_text github_text next_text unfinished_text written_text",
    },
)
