"""Worker processes: they work, and they are gone when their parent is."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wfgate.base import worker_pool

PARENT = """
import os, sys, time
from wfgate.base import worker_pool
if __name__ == "__main__":
    with worker_pool(2, print, ()) as pool:
        print(*{pool.submit(os.getpid).result() for _ in range(20)}, flush=True)
        time.sleep(60)
"""


def test_workers_work():
    with worker_pool(2, int, ()) as pool:
        assert [pool.submit(abs, number).result() for number in (-1, 2)] == [1, 2]


def test_workers_import_nothing_from_the_working_directory(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(
        "from wfgate.base import worker_pool\n"
        'if __name__ == "__main__":\n'
        "    with worker_pool(1, int, ()) as pool:\n"
        "        print(pool.submit(abs, -1).result())\n",
        encoding="utf-8",
    )
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    for module in ("multiprocessing", "random", "pickle", "tempfile"):
        (checkout / f"{module}.py").write_text("open('loaded', 'w').close()\n", encoding="utf-8")
    done = subprocess.run([sys.executable, script], cwd=checkout, capture_output=True, text=True, check=False)
    assert not (checkout / "loaded").exists()
    assert done.stdout == "1\n"
    assert "PYTHONSAFEPATH" not in os.environ


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split()[2] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
def test_workers_do_not_outlive_a_killed_parent(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(PARENT, encoding="utf-8")
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as parent:
        line = ""
        while not line.strip():  # the initializer prints an empty line
            line = parent.stdout.readline()
        workers = [int(pid) for pid in line.split()]
        assert workers
        assert all(alive(pid) for pid in workers)
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
    for _ in range(200):
        if not any(alive(pid) for pid in workers):
            break
        time.sleep(0.05)
    assert not any(alive(pid) for pid in workers)
