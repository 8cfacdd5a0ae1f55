"""Argo Workflows: workflows, templates of workflows and scheduled workflows, as Kubernetes resources."""

from wfgate.formats.argo.reader import ArgoFormat

__all__ = ["ArgoFormat"]
