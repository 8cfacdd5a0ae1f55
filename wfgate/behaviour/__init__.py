"""Behaviour of workflows: the conditions under which steps run, data flow, and soundness."""

from wfgate.behaviour.data import DataFlow
from wfgate.behaviour.flow import Flow
from wfgate.behaviour.run import Behaviour
from wfgate.behaviour.split import Selections

__all__ = ["Behaviour", "DataFlow", "Flow", "Selections"]
