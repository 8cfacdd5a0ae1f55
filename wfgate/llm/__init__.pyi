# Written by `make docs` from `__init__.py`.

from wfgate.llm.account import Prices as Prices
from wfgate.llm.client import LlmAnswer as LlmAnswer
from wfgate.llm.client import Client as Client
from wfgate.llm.client import Limits as Limits
from wfgate.llm.client import Message as Message
from wfgate.llm.client import LlmQuestion as LlmQuestion
from wfgate.llm.client import at_once as at_once
from wfgate.llm.prompts.exam import grading as grading
from wfgate.llm.prompts.judge import Opinion as Opinion
from wfgate.llm.prompts.judge import TEMPLATES as TEMPLATES
from wfgate.llm.prompts.quotes import QuotedClaim as QuotedClaim
from wfgate.llm.prompts.quotes import Claims as Claims
from wfgate.llm.prompts.quotes import quotes_hash as quotes_hash
from wfgate.llm.prompts.quotes import quotes_question as quotes_question
from wfgate.llm.prompts.writer import ChangedStep as ChangedStep
from wfgate.llm.prompts.writer import Kind as Kind
from wfgate.llm.prompts.writer import PlannedStep as PlannedStep
from wfgate.llm.prompts.writer import Step as Step
from wfgate.llm.prompts.writer import Written as Written
from wfgate.llm.prompts.writer import again as again
from wfgate.llm.prompts.writer import prompt_hash as prompt_hash
from wfgate.llm.prompts.writer import schema_of as schema_of
from wfgate.llm.prompts.writer import variant_question as variant_question
from wfgate.llm.service import Service as Service
from wfgate.llm.untrusted import spelled as spelled
from wfgate.llm.untrusted import suspected_injections as suspected_injections
