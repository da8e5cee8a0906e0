"""Derive many generated programs: `python -m tests.generated [FIRST LAST] [--numba]`; exits 1 on a failure."""

import sys
from collections import Counter

from tests.generated.search import COMPILED, FORMS, outcomes

EVERY = 100  # programs after which the command says how far it is


def main(arguments: list[str]) -> int:
    """Print each failure when it is found, and how often each outcome came."""
    numbers = [int(each) for each in arguments if each.isdigit()]
    first, last = numbers if len(numbers) == 2 else (0, 2000)
    forms = (*FORMS, COMPILED) if "--numba" in arguments else FORMS
    counts: Counter[str] = Counter()
    for seed, form, result in outcomes(range(first, last), forms):
        outcome = result.split(" ")[0]
        counts[outcome] += 1
        if outcome.startswith("FAILURE"):
            print(seed, form, result, flush=True)
        if seed % EVERY == 0 and form is forms[0]:
            print(f"program {seed}", file=sys.stderr, flush=True)
    print(*(f"{count:6} {outcome}" for outcome, count in sorted(counts.items())), sep="\n")
    return int(any(outcome.startswith("FAILURE") for outcome in counts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
