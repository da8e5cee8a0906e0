"""Run the faults, and print how often each was tried and how often `verify` fell short: `python -m tests.faults`."""

import random
import sys
import tempfile
from pathlib import Path

from tests.faults.trials import TRIALS


def main() -> int:
    """Run all trials, and return whether any fell short."""
    chance, short = random.Random(0), 0
    sys.stdout.write("| fault | tried | fell short |\n|---|---|---|\n")
    for name, (trial, count) in TRIALS.items():
        failed = 0
        for _ in range(count):
            with tempfile.TemporaryDirectory() as folder:
                failed += not trial(Path(folder), chance)
        short += failed
        sys.stdout.write(f"| {name} | {count} | {failed} |\n")
        sys.stdout.flush()
    return int(short > 0)


if __name__ == "__main__":
    sys.exit(main())
