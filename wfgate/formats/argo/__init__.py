"""Argo Workflows: Kubernetes resources that hold workflows, workflow templates and scheduled workflows."""

from wfgate.formats.argo.reader import ArgoFormat

__all__ = ["ArgoFormat"]
