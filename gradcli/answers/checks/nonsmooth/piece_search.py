"""The search for all pieces that meet at a point: at random points, then between the pieces found.

Where a continuum of gradients meets and not a few pieces, `Pieces.coarse` is set while the points are taken, and from
then on gradients within `Pieces.unseen` of each other count as one.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from gradcli.methods.numerics.nearby_gradients import RayGradients, directions
from gradcli.methods.numerics.smooth_pieces import ASIDE, SLACKS, TRIALS, Pieces

MORE = 48  # further random points before a vector is rejected; more of them while new pieces appear
RARE = 0.05  # fraction of all gradients, for those found only once
ENDLESS = 0.5  # fraction found only once that shows that there is no end of them
COARSE = 0.125  # most and least fraction of the spread within which the gradients of a continuum count as one
FINE = 0.01
COVERED = 0.005  # fraction of all gradients, for those that are then within it of no other
MOST = 500  # most points
DEEP = 12  # depth of the search for pieces between two points
FLAT = 1e-4  # fraction of the change of the slope by which a value may differ from a known piece


def explore(pieces: Pieces, coarse: float) -> bool:
    """Look for pieces more closely and between known ones; return whether all of them are known now.

    Where a continuum of gradients meets, it is known if hardly any is farther than `coarse` from all known ones.
    """
    return _search(pieces, min(coarse, COARSE)) and not pieces.around.is_over()


def _search(pieces: Pieces, coarse: float) -> bool:
    """Look for pieces as `explore` does, without regard to the time: points that it refused count as none."""
    if not _sample(pieces, coarse):
        return False
    if pieces.coarse:
        return True
    path = list(pieces.met)
    for _ in range(DEEP):
        before = len(_representatives(pieces))
        for a, b in zip(path, path[1:] + path[:1], strict=True):
            _between(pieces, a, b, DEEP)
        pieces.measure()
        path = _representatives(pieces)
        if len(pieces.met) >= MOST:
            return False
        if len(path) == before:
            return True
    return False


def _sample(pieces: Pieces, coarse: float) -> bool:
    """Take gradients at random points until hardly any is found only once, so that hardly any is unknown.

    If nearly all are, they are a continuum, in which a narrow piece may lie anywhere: `pieces.coarse` becomes `coarse`,
    and all points are then taken.

    The share of those found once estimates the share of the unknown ones. (I. J. Good, The population frequencies
    of species and the estimation of population parameters, Biometrika 40, 1953.)
    """
    ways, before = islice(directions(len(pieces.around.parts), MOST), TRIALS, None), -1
    while before < len(pieces.met):
        before = len(pieces.met)
        pieces.take(islice(ways, MORE))
        alone = _alone(pieces)
        if alone > ENDLESS * len(pieces.met):
            if pieces.coarse or coarse < FINE:
                return False
            pieces.coarse = coarse
        elif alone <= RARE * len(pieces.met) and not pieces.coarse:
            return True
    return pieces.coarse > 0 and _alone(pieces) <= COVERED * len(pieces.met)


def _alone(pieces: Pieces) -> int:
    """The number of gradients that were found only once."""
    near = _near(pieces)
    return sum(int(np.count_nonzero(_alike(pieces, slope, near))) == 1 for slope in near)


def _representatives(pieces: Pieces) -> list[RayGradients]:
    """One point of each piece."""
    near = _near(pieces)
    chosen: list[int] = []
    for n, slope in enumerate(near):
        if not np.any(_alike(pieces, slope, near[chosen])):
            chosen.append(n)
    return [pieces.met[n] for n in chosen]


def _near(pieces: Pieces) -> Any:
    """The gradients at the nearer points, one per row."""
    return np.array([piece.near for piece in pieces.met]).reshape(len(pieces.met), len(pieces.around.parts))


def _alike(pieces: Pieces, gradient: Any, others: Any) -> Any:
    """Whether each of the other gradients is that of the same piece."""
    off = np.abs(gradient - others) > np.maximum(SLACKS * pieces.room, pieces.unseen)
    return ~np.any(off & pieces.known, -1)


def _between(pieces: Pieces, a: RayGradients, b: RayGradients, deep: int) -> None:
    """Search between two points, at the place where their pieces would meet if there were no others."""
    if not deep or len(pieces.met) >= MOST or (deep < DEEP and _alike(pieces, a.near, b.near)):
        return
    step = pieces.around.reach(0) * pieces.around.scales * (b.way - a.way)
    here, there = float(a.far @ step), float(b.far @ step)
    share = (b.value - there - a.value) / (here - there) if here != there else np.nan
    share = min(max(share + ASIDE * pieces.random.uniform(0.5, 1.0), ASIDE), 1 - ASIDE) if 0 < share < 1 else 0.5
    middle = pieces.meet(a.way + share * (b.way - a.way))
    if middle is not None:
        expected = a.value + share * here, b.value - (1 - share) * there
        if all(abs(middle.value - value) > FLAT * abs(here - there) for value in expected):
            _between(pieces, a, middle, deep - 1)
            _between(pieces, middle, b, deep - 1)
