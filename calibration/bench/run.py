"""Prints every number that the project claims, with its target.

usage: run.py [--save] [SECTION ...]
sections: speed soundness checks readers recorded-runs hostile paper identity decision whole-gate channels hand-edits
          populations meaning operations regenerations processtbench beta suite suites pictures calibration scale house
          instructions values contradictions ablation prices

Benchmarks only print and never fail; tests assert. Results go to standard output as Markdown. With --save they are
also written to `results/SECTION.md` beside this file, from where `make docs` takes them for the lab book
(`calibration/lab-book.md`) and `docs/measured.md`.
"""

import io
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import ablation
import accuracy
import beta
import channels
import checks
import contradictions
import decision
import hand_edits
import hostile
import house
import instructions
import meaning
import pictures
import populations
import prices
import processtbench
import readers
import regenerations
import scale
import single_values
import soundness
import speed
import whole_gate

from wfgate.base import write_atomically

SECTIONS: dict[str, Callable[[], None]] = {
    "speed": speed.single_pairs,  # first, while the process is small: it reports peak memory
    "soundness": soundness.soundness,
    "checks": checks.checks,
    "readers": readers.readers,
    "recorded-runs": readers.recorded_runs,
    "hostile": hostile.hostile,
    "paper": accuracy.paper_tables,
    "identity": accuracy.identity,
    "decision": decision.decision,
    "whole-gate": whole_gate.whole_gate,
    "channels": channels.channels,
    "hand-edits": hand_edits.hand_edits,
    "populations": populations.populations,
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
    "instructions": instructions.instructions,
    "values": single_values.single_values,
    "contradictions": contradictions.harmless_contradictions,
    "ablation": ablation.ablation,
    "prices": prices.prices,
}
RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Run the given sections, by default all."""
    arguments = sys.argv[1:]
    save = "--save" in arguments
    chosen = [name for name in arguments if name != "--save"]
    if set(chosen) - SECTIONS.keys():
        raise SystemExit(__doc__)
    for name in chosen or SECTIONS:
        start = time.perf_counter()
        output = Both() if save else sys.stdout
        with redirect_stdout(output):
            SECTIONS[name]()
        if isinstance(output, Both):
            write_atomically(RESULTS / f"{name}.md", output.getvalue().strip() + "\n")
        print(f"\n_{name}: {time.perf_counter() - start:.0f} s_\n", flush=True)


class Both(io.StringIO):
    """Keeps what is printed, and prints it."""

    def write(self, text: str) -> int:
        """Keep and print a text."""
        sys.__stdout__.write(text)
        return super().write(text)


if __name__ == "__main__":
    main()
