# Written by `make docs` from `__init__.py`.

from wfgate.base.characters import LOOK_ALIKES as LOOK_ALIKES
from wfgate.base.characters import READ as READ
from wfgate.base.characters import disguised as disguised
from wfgate.base.characters import struck as struck
from wfgate.base.characters import unseen as unseen
from wfgate.base.extensions import Extensions as Extensions
from wfgate.base.extensions import blamed as blamed
from wfgate.base.extensions import check_class as check_class
from wfgate.base.extensions import checked as checked
from wfgate.base.extensions import documentation_of as documentation_of
from wfgate.base.extensions import said as said
from wfgate.base.memory import Memory as Memory
from wfgate.base.registry import Registry as Registry
from wfgate.base.registry import summary_of as summary_of
from wfgate.base.shipped import provenance as provenance
from wfgate.base.shipped import recorded as recorded
from wfgate.base.stages import STOPWATCH as STOPWATCH
from wfgate.base.stages import stage as stage
from wfgate.base.store import Store as Store
from wfgate.base.store import key_of as key_of
from wfgate.base.store import user_store as user_store
from wfgate.base.store import write_atomically as write_atomically
from wfgate.base.store import written_atomically as written_atomically
from wfgate.base.workers import processors as processors
from wfgate.base.workers import spare_threads as spare_threads
from wfgate.base.workers import worker_pool as worker_pool
