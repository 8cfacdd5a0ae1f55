# Written by `make docs` from `__init__.py`.

from wfgate.generation.answers import GatedSample as GatedSample
from wfgate.generation.answers import Generation as Generation
from wfgate.generation.answers import RULES as RULES
from wfgate.generation.answers import file_name as file_name
from wfgate.generation.answers import generate as generate
from wfgate.generation.answers import generate_until_pass as generate_until_pass
from wfgate.generation.answers import prompt_for as prompt_for
from wfgate.generation.answers import prompt_hash as prompt_hash
from wfgate.generation.report import generation_lines as generation_lines
from wfgate.generation.report import generation_record as generation_record
from wfgate.generation.report import generation_text as generation_text
