# Written by `make docs` from `__init__.py`.

from wfgate.history.history import EPOCH as EPOCH
from wfgate.history.history import append as append
from wfgate.history.history import origin_of as origin_of
from wfgate.history.history import read_runs as read_runs
from wfgate.history.power import detectable as detectable
from wfgate.history.power import samples_needed as samples_needed
from wfgate.history.release import against as against
from wfgate.history.reports.history import history_page as history_page
from wfgate.history.reports.history import history_record as history_record
from wfgate.history.reports.history import history_text as history_text
from wfgate.history.reports.plan import found_record as found_record
from wfgate.history.reports.plan import found_text as found_text
from wfgate.history.reports.plan import plan_record as plan_record
from wfgate.history.reports.plan import plan_text as plan_text
from wfgate.history.results import Replay as Replay
from wfgate.history.results import read_result as read_result
from wfgate.history.results import replay as replay
