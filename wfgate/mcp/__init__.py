"""A server for coding agents (MCP, the Model Context Protocol): gate, lint, diff and explain, read-only."""

from wfgate.base.door import door

__getattr__, __dir__ = door(__name__, {"server": "serve"})
