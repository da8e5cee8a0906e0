"""Make mistakes in gradcli's own code: `python -m tests.mutation [NUMBER [SEED]]`; needs the extra `mutation`.

Each of NUMBER lines of the tape, the rules, the checks and the derivation, drawn by SEED, is changed in a copy of the
checkout, in which the everyday tests that execute the line then run. A change that none of them notices is marked.
"""

import sys
from pathlib import Path

from tests.mutation.drawing import drawn
from tests.mutation.trials import changed_copy

ROOT = Path(__file__).parents[2]


def main(number: int = 100, seed: int = 20261127) -> int:
    """Print each change with the test that notices it; return 1 if some are not noticed."""
    unnoticed = 0
    with changed_copy(ROOT) as copy:
        for change in drawn(ROOT, number, seed):
            failure = copy.noticed_by(change)
            unnoticed += failure is None
            print(f"{change}\n  {failure or 'NOT NOTICED'}", flush=True)
    print(f"{number} changes, {unnoticed} not noticed")
    return int(unnoticed > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
