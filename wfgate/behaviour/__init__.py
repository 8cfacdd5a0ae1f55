"""What a workflow does: when each step runs, where data flows, whether it always completes."""

from wfgate.behaviour.data import DataFlow
from wfgate.behaviour.flow import Flow
from wfgate.behaviour.run import Behaviour
from wfgate.behaviour.split import Selections

__all__ = ["Behaviour", "DataFlow", "Flow", "Selections"]
