"""Behaviour of workflows: the conditions under which steps run, data flow, and soundness."""
