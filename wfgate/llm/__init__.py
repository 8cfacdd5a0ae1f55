"""Access to language models: a client that validates answers, retries, caches, and counts costs."""

from wfgate.llm.account import Account, Prices
from wfgate.llm.client import Answer, Client, Limits, Memory, Message, Question, at_once
from wfgate.llm.recording import Recording
from wfgate.llm.service import Service
from wfgate.llm.structured import in_words, parsed

__all__ = [
    "Account",
    "Answer",
    "Client",
    "Limits",
    "Memory",
    "Message",
    "Prices",
    "Question",
    "Recording",
    "Service",
    "at_once",
    "in_words",
    "parsed",
]
