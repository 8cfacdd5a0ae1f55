"""Executors: run work on this machine or on the workers of a dask cluster."""

import re

from wfgate.errors import ConfigError, install_extra
from wfgate.run.executors.base import Executor
from wfgate.run.executors.local import LocalExecutor

DEFAULT_EXECUTOR = "local"
"""The default executor."""
_ADDRESS = re.compile(r"(?:\[[\da-fA-F:.]+\]|[\w.-]+):(\d{1,5})", re.ASCII)
_FIX = f"use {DEFAULT_EXECUTOR} or dask://HOST:PORT"

__all__ = ["DEFAULT_EXECUTOR", "Executor", "LocalExecutor", "load_executor"]


def load_executor(spec: str = DEFAULT_EXECUTOR, jobs: int = 1) -> Executor:
    """Return the executor with this name. A dask executor connects later, when it runs.

    Args:
        spec: "local", or "dask://HOST:PORT" of a scheduler.
        jobs: Number of processes on this machine.

    Raises:
        ConfigError: If the executor is unknown, the address is invalid, or the extra is not installed.

    Example:
        >>> type(load_executor("local", jobs=2)).__name__
        'LocalExecutor'
        >>> load_executor("slurm://cluster")
        Traceback (most recent call last):
        wfgate.errors.ConfigError: unknown executor 'slurm://cluster'
          fix: use local or dask://HOST:PORT
    """
    if spec == DEFAULT_EXECUTOR:
        return LocalExecutor(jobs)
    scheme, _, address = spec.partition("://")
    if scheme != "dask":
        raise ConfigError(f"unknown executor {spec!r}", fix=_FIX)
    port = _ADDRESS.fullmatch(address)
    if port is None or not 0 < int(port[1]) < 2**16:
        raise ConfigError(f"{spec!r} is not the address of a Dask scheduler", fix=_FIX)
    try:
        from wfgate.run.executors.dask import DaskExecutor  # noqa: PLC0415 - an extra, slow to import
    except ImportError as error:
        fix = install_extra("dask")
        raise ConfigError(f"the dask executor needs the package distributed: {error}", fix=fix) from error
    return DaskExecutor(address)
