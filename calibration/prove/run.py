"""Runs the adversarial tests and prints their results with targets.

usage: run.py [--short] [--seed N] [SECTION ...]
sections: promise load kills fuzz large determinism

The long form takes hours and is for scheduled runs and releases; the short form takes minutes. All random choices
depend on the seed. Results go to standard output as Markdown; the exit code is 1 if a section failed.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
SECTIONS: dict[str, tuple[str, list[str], list[str]]] = {
    "promise": ("promise.py", ["{seed}", "20"], ["{seed}", "2"]),
    "load": ("load.py", [], ["small"]),
    "kills": ("faults.py", ["--seed", "{seed}"], ["--seed", "{seed}", "--times", "5"]),
    "fuzz": ("fuzz.py", ["--seed", "{seed}", "--inputs", "1000000"], ["--seed", "{seed}", "--inputs", "10000"]),
    "large": ("fuzz.py", ["--large"], ["--large"]),
    "determinism": ("determinism.py", [], []),
}
"""The script of each section, and its arguments in the long and the short form."""


def main() -> None:
    """Run the given sections, by default all, each in its own process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("sections", nargs="*", metavar="SECTION")
    given = parser.parse_args()
    if unknown := set(given.sections) - SECTIONS.keys():
        parser.error(f"unknown section: {', '.join(sorted(unknown))}")
    broken = []
    for name in given.sections or SECTIONS:
        script, long, short = SECTIONS[name]
        arguments = [argument.format(seed=given.seed) for argument in (short if given.short else long)]
        print(f"## {name}\n", flush=True)
        start = time.perf_counter()
        code = subprocess.run([sys.executable, str(HERE / script), *arguments], check=False).returncode
        print(f"\n_{name}: {time.perf_counter() - start:.0f} s_\n", flush=True)
        if code:
            broken.append(f"{name} (exit {code})")
    if broken:
        raise SystemExit(f"failed: {', '.join(broken)}")


if __name__ == "__main__":
    main()
