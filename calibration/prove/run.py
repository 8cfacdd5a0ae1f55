"""The evidence that the gate can be relied on, as tables beside what is wanted.

usage: run.py [--short] [--seed N] [SECTION ...]
sections: promise load kills fuzz large determinism

The long form takes hours and is for a schedule or a release; the short form takes minutes. Everything that is drawn is
drawn by the seed. Results go to standard output as Markdown; the exit code is 1 if anything broke.
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
"""Of each section the script, and its arguments in the long and in the short form."""


def main() -> None:
    """Run the sections that were asked for, all by default, each as a process of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("sections", nargs="*", metavar="SECTION")
    given = parser.parse_args()
    if unknown := set(given.sections) - SECTIONS.keys():
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
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
        raise SystemExit(f"broken: {', '.join(broken)}")


if __name__ == "__main__":
    main()
