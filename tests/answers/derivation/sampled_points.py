"""Points at which a derived program is compared with the tape."""

import random
from collections.abc import Sequence
from typing import Any

from gradcli.answers.derivation.trial_points import moved

COUNT = 10


def ten_points(own: Sequence[Sequence[Any]], spread: float = 0.3) -> list[list[Any]]:
    """A program's own points, which lie on both sides of its branches, and others nearby."""
    generator = random.Random(0)
    points = [list(each) for each in own]
    while len(points) < COUNT:
        points.append([moved(each, generator, spread) for each in points[len(points) % len(own)]])
    return points
