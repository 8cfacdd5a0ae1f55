"""Prints every number that the project claims, with its target.

usage: run.py [SECTION ...]
sections: speed soundness checks readers paper identity detection meaning operations regenerations processtbench
          beta suite suites pictures calibration scale house values contradictions

Benchmarks only print and never fail; tests assert. Results go to standard output as Markdown.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import accuracy
import beta
import checks
import contradictions
import house
import meaning
import pictures
import processtbench
import readers
import regenerations
import scale
import single_values
import soundness
import speed

SECTIONS: dict[str, Callable[[], None]] = {
    "speed": speed.single_pairs,  # first, while the process is small: it reports peak memory
    "soundness": soundness.soundness,
    "checks": checks.checks,
    "readers": readers.readers,
    "paper": accuracy.paper_tables,
    "identity": accuracy.identity,
    "detection": accuracy.detection,
    "meaning": meaning.meaning,
    "operations": accuracy.regenerations,
    "regenerations": regenerations.regenerations,
    "processtbench": processtbench.processtbench,
    "beta": beta.beta,
    "suite": speed.suite,
    "pictures": pictures.pictures,
    "calibration": speed.calibration,
    "suites": scale.suites,
    "scale": scale.scale,
    "house": house.house,
    "values": single_values.single_values,
    "contradictions": contradictions.harmless_contradictions,
}


def main() -> None:
    """Run the given sections, by default all."""
    unknown = set(sys.argv[1:]) - SECTIONS.keys()
    if unknown:
        raise SystemExit(__doc__)
    for name in sys.argv[1:] or SECTIONS:
        start = time.perf_counter()
        SECTIONS[name]()
        print(f"\n_{name}: {time.perf_counter() - start:.0f} s_\n", flush=True)


if __name__ == "__main__":
    main()
