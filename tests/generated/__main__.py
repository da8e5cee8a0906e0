"""Derive many generated programs: `python -m tests.generated [FIRST LAST] [--numba]`; exits 1 on a failure."""

import sys

from tests.generated.search import COMPILED, FORMS, counted, outcomes


def main(arguments: list[str]) -> int:
    """Print the counts and the failures."""
    numbers = [int(each) for each in arguments if each.isdigit()]
    first, last = numbers if len(numbers) == 2 else (0, 2000)
    forms = (*FORMS, COMPILED) if "--numba" in arguments else FORMS
    counts, failures = counted(outcomes(range(first, last), forms))
    sys.stdout.write("\n".join([*failures, *(f"{count:6} {what}" for what, count in sorted(counts.items())), ""]))
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
