"""Texts that show a number to its last digit, compared where that digit differs from processor to processor.

NumPy and BLAS take the kernels that suit the processor, and these add in an order of their own.
"""

import math
import re

NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
AGREEMENT = 1e-13  # relative
DRAWN = "─"
IN_FULL = 15  # characters: what is printed in short, as errors and ratios are, is compared as text


def with_shown_digits(printed: str, shown: str) -> str:
    """What is printed; a line that differs from the one shown in the last digits of numbers only, as it is shown."""
    now, before = printed.splitlines(keepends=True), shown.splitlines(keepends=True)
    if len(now) != len(before):
        return printed
    return "".join(old if _agree(new, old) else new for new, old in zip(now, before, strict=True))


def _agree(line: str, other: str) -> bool:
    """By words: a number that is shorter moves those after it, and shortens the line that is drawn above it."""
    words, others = line.split(), other.split()
    return len(words) == len(others) and all(map(_same, words, others))


def _same(word: str, other: str) -> bool:
    return (
        word.strip(DRAWN) == other.strip(DRAWN) == ""
        or word == other
        or (NUMBER.split(word) == NUMBER.split(other) and all(map(_close, NUMBER.findall(word), NUMBER.findall(other))))
    )


def _close(number: str, other: str) -> bool:
    return number == other or (
        max(len(number), len(other)) >= IN_FULL and math.isclose(float(number), float(other), rel_tol=AGREEMENT)
    )
