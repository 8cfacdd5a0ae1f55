"""What every room may use: registries, extensions of other packages, the cache, worker processes, shipped data."""

from wfgate.base.door import door

__getattr__, __dir__ = door(
    __name__,
    {
        "characters": "LOOK_ALIKES READ disguised struck unseen",
        "extensions": "blamed check_class checked documentation_of said",
        "memory": "Memory",
        "registry": "Registered Registry summary_of table",
        "shipped": "provenance recorded",
        "stages": "STOPWATCH stage",
        "store": "Store key_of user_store write_atomically written_atomically",
        "workers": "processors spare_threads worker_pool",
    },
)
