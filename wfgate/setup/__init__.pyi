# Written by `make docs` from `__init__.py`.

from wfgate.setup.doctor import diagnose as diagnose
from wfgate.setup.files import NO_COMMIT as NO_COMMIT
from wfgate.setup.files import example_files as example_files
from wfgate.setup.files import installed_ref as installed_ref
from wfgate.setup.files import scaffold as scaffold
from wfgate.setup.report import diagnosis_record as diagnosis_record
from wfgate.setup.report import diagnosis_text as diagnosis_text
from wfgate.setup.report import github_text as github_text
from wfgate.setup.report import next_text as next_text
from wfgate.setup.report import unfinished_text as unfinished_text
from wfgate.setup.report import written_text as written_text
