"""Own rules: what a project demands of its workflows (`deploy.rules.toml`, `[[rules]]` in `wfgate.toml`).

Nothing of it is imported unless there is a rule. `file` reads rules, `steps` finds the steps that they name,
`evaluate` says how a workflow breaks them, and `findings` makes findings of that. `suggest` writes rules.
"""
