# Written by `make docs` from `__init__.py`.

from wfgate.catalogue.exam.administer import Protocol as Protocol
from wfgate.catalogue.exam.administer import administer as administer
from wfgate.catalogue.exam.certificate import Certificate as Certificate
from wfgate.catalogue.exam.grade import Grader as Grader
from wfgate.catalogue.exam.grade import Settings as Settings
from wfgate.catalogue.exam.grade import graded as graded
from wfgate.catalogue.exam.instances import Paper as Paper
from wfgate.catalogue.exam.instances import draw as draw
from wfgate.catalogue.facts import FACTS as FACTS
from wfgate.catalogue.facts import all_answers as all_answers
from wfgate.catalogue.facts import answer as answer
from wfgate.catalogue.facts.base import Question as Question
from wfgate.catalogue.facts.situations import read_names as read_names
from wfgate.catalogue.facts.situations import read_situation as read_situation
from wfgate.catalogue.facts.subject import FactSubject as FactSubject
from wfgate.catalogue.reports.exam import exam_markdown as exam_markdown
from wfgate.catalogue.reports.exam import exam_record as exam_record
from wfgate.catalogue.reports.exam import exam_text as exam_text
from wfgate.catalogue.reports.facts import facts_record as facts_record
from wfgate.catalogue.reports.facts import facts_text as facts_text
