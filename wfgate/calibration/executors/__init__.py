"""Where variants are scored: on this machine, or by the workers of a dask cluster."""

import re

from wfgate.calibration.executors.base import Executor
from wfgate.calibration.executors.local import LocalExecutor
from wfgate.errors import ConfigError

DEFAULT_EXECUTOR = "local"
"""The spec that is used unless told otherwise."""
_ADDRESS = re.compile(r"(?:\[[\da-fA-F:.]+\]|[\w.-]+):(\d{1,5})", re.ASCII)
_FIX = f"use {DEFAULT_EXECUTOR} or dask://HOST:PORT"

__all__ = ["DEFAULT_EXECUTOR", "Executor", "LocalExecutor", "load_executor"]


def load_executor(spec: str = DEFAULT_EXECUTOR, jobs: int = 1) -> Executor:
    """Return the executor that a user named; nobody is connected to yet.

    Args:
        spec: "local", or "dask://HOST:PORT" of a scheduler.
        jobs: Processes to use on this machine.

    Raises:
        ConfigError: If there is no such executor, the address is none, or the extra is not installed.

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
        raise ConfigError(f"{spec!r} is no address of a scheduler", fix=_FIX)
    try:
        from wfgate.calibration.executors.dask import DaskExecutor  # noqa: PLC0415 - takes a second; an extra
    except ImportError as error:
        raise ConfigError(f"the executor dask needs distributed: {error}", fix="pip install 'wfgate[dask]'") from error
    return DaskExecutor(address)
