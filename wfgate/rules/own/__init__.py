"""Own rules: what a project demands of its workflows (`deploy.rules.toml`, `[[rules]]` in `wfgate.toml`).

Nothing of it is imported unless there is a rule. `file` reads rules, `steps` finds the steps that they name, and
`evaluate` says which rules a workflow breaks.
"""
