"""Run the faults, and print how often each was tried and how often `verify` fell short: `python -m tests.faults`."""

import os
import random
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.faults.trials import TRIALS, Trial
from tests.interrupts import heard


def main() -> int:
    """Run all trials, one per processor at a time, and return whether any fell short."""
    short = 0
    sys.stdout.write("| fault | tried | fell short |\n|---|---|---|\n")
    with heard(), ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, (trial, count) in TRIALS.items():
            failed = count - sum(pool.map(lambda seed, trial=trial: holds(trial, seed), range(count)))  # type: ignore[misc]
            short += failed
            sys.stdout.write(f"| {name} | {count} | {failed} |\n")
            sys.stdout.flush()
    return int(short > 0)


def holds(trial: Trial, seed: int) -> bool:
    """Whether `verify` kept its promise in one trial."""
    with tempfile.TemporaryDirectory() as folder:
        return trial(Path(folder), random.Random(seed))


if __name__ == "__main__":
    sys.exit(main())
