"""Argo Workflows: Kubernetes resources that hold workflows, workflow templates and scheduled workflows."""

from typing import ClassVar

from wfgate.read.documents.document import Document
from wfgate.read.formats.base import Format, Reading

GROUP = "argoproj.io/"


class ArgoFormat(Format):
    """Argo Workflows: Workflow, WorkflowTemplate, ClusterWorkflowTemplate and CronWorkflow resources.

    The main workflow is the template in `entrypoint`. Each step or dag task becomes a task; the name of its template
    is the action of the task. If that template has steps or a dag, the task is a composite, and the template is its
    sub-workflow.

    `when` becomes the guard (the condition) of the incoming links of its task. If `when` skips a task, the tasks after
    it still run. If the dependencies of a task are not satisfied, the task and the tasks that depend on it do not run.
    `depends` becomes links with outcomes and a join. `withItems`, `withParam` and `withSequence` are loops over items.
    `suspend` is an event. `onExit` and the hook `exit` run after every outcome. References to outputs of other tasks
    are the flow of data.

    A file may contain several resources as YAML documents. Templates are looked up in all of them, and
    workflow templates in the other files of the checkout that are in the folder of the file or below. Several
    workflows are read as parallel composites of one main workflow.

    Example:
        >>> from wfgate.read import document_of
        >>> text = '''
        ... apiVersion: argoproj.io/v1alpha1
        ... kind: Workflow
        ... spec:
        ...   entrypoint: main
        ...   templates:
        ...     - {name: main, steps: [[{name: build, template: make}], [{name: test, template: make}]]}
        ...     - {name: make, container: {image: make}}
        ... '''
        >>> workflow = ArgoFormat().read(document_of(text, "example")).workflow
        >>> [(link.source, link.target) for link in workflow.links]
        [('START', 'build'), ('build', 'test'), ('test', 'END')]
    """

    id: ClassVar[str] = "argo"
    signature: ClassVar[str] = "a resource with `apiVersion: argoproj.io/...`, alone or among several YAML documents"
    keys: ClassVar[tuple[tuple[str, ...], ...]] = (("apiVersion", "spec.entrypoint", "spec.templates"),)

    def recognises(self, document: Document) -> bool:
        """Return whether the document, or one of several YAML documents in the file, is a resource of Argo."""
        return any(is_resource(part.data) for part in document.parts or (document,))

    def read(self, document: Document) -> Reading:
        """Read the workflow.

        Raises:
            FormatError: If no resource contains a workflow, its entrypoint is missing or does not exist, a value has
                the wrong type, or a dependency cannot be read.
        """
        from wfgate.read.formats.argo.reader import read_workflow

        return read_workflow(document)


def is_resource(data: object) -> bool:
    """Return whether the data are a resource of the API group of Argo (`argoproj.io`).

    Example:
        >>> is_resource({"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow"})
        True
    """
    version = data.get("apiVersion") if isinstance(data, dict) and "wfgate" not in data else None
    return isinstance(version, str) and version.startswith(GROUP)
