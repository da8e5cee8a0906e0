"""Points drawn at random from a box."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from gradcli.answers.targets import Target
from gradcli.errors import PointError, UsageError
from gradcli.shared.pytree import leaves, map_leaves

Box = Mapping[str, tuple[float, float]]
Point = dict[str, Any]

LEAST, RANGE, GOLDEN = 0.55, 0.3, 0.6180339887498949  # multiples of the golden ratio keep fractions apart


def box_of(texts: Iterable[str]) -> dict[str, tuple[float, float]]:
    """Parse intervals such as `x=0:1`, each in a text of its own or several separated by commas.

    Raises:
        PointError: a text is not an interval of finite numbers.
    """
    from gradcli.answers.targets.points import parse_interval

    intervals: dict[str, tuple[float, float]] = {}
    for text in (part for typed in texts for part in typed.split(",")):
        name, equals, interval = text.partition("=")
        if not (name.strip() and equals):
            raise PointError(f"--box {text.strip()!r} names no input.", hint="Type --box x=0:1, once per input.")
        intervals[name.strip()] = parse_interval(interval, "--box", text.strip())
    return intervals


def checked_box(box: Box, target: Target, point: Point | None) -> dict[str, tuple[float, float]]:
    """Check a box: its names must be inputs, and its intervals finite and not empty.

    Raises:
        PointError: a name is not a real input, or an interval is empty or not finite.
    """
    names = list(point) if point is not None else list(target.names)
    for name, interval in box.items():
        low, high = _ends(name, interval)
        if name not in names:
            raise PointError(f"--box names {name}, which is not an input.", hint=f"The inputs are {', '.join(names)}.")
        if point is not None and any(map(np.iscomplexobj, leaves(point[name]))):
            raise PointError(f"--box names {name}, which is complex.", hint="A box is an interval of real numbers.")
        if -np.inf < low < high < np.inf == high - low:
            text = f"The box of {name} goes from {low:g} to {high:g}, which is wider than any float."
            raise PointError(text, hint=f"Type --box {name}=-1e300:1e300, or less.")
        if not -np.inf < low < high < np.inf:
            ascending = f"{high!r}:{low!r}".replace(".0:", ":").removesuffix(".0")
            typed = ascending if -np.inf < high < low < np.inf else "0:1"
            raise PointError(f"The box of {name} goes from {low:g} to {high:g}.", hint=f"Type --box {name}={typed}.")
    return {name: (float(low), float(high)) for name, (low, high) in box.items()}


def _ends(name: str, interval: Any) -> tuple[float, float]:
    try:
        low, high = map(float, interval)
    except (TypeError, ValueError):
        message = f"The box of {name} is {interval!r}; an interval has two ends."
        raise PointError(message, hint="Type --box x=0:1, or box={'x': (0, 1)} in Python.") from None
    return low, high


def point_in_box(box: Box, target: Target) -> str:
    """A point in a box, as typed text, for a target without a given point: at 0.735, 0.621, 0.806, … of the intervals.

    The middle would give the inputs of equal intervals equal values, where `x - y` and `log(x/y)` vanish, and lie at
    the zero of intervals such as -1:1. These fractions differ from one another and from a half.

    Raises:
        PointError: the box has no interval for a required input.
    """
    missing = [p.name for p in target.parameters if p.required and p.name not in box]
    if missing or not box:
        raise PointError(f"There is no point, and --box has no interval for {', '.join(missing) or 'the inputs'}.")
    shares = [round(LEAST + RANGE * (number * GOLDEN % 1), 3) for number in range(1, len(box) + 1)]
    places = ((1 - share) * low + share * high for share, (low, high) in zip(shares, box.values(), strict=True))
    return ",".join(f"{name}={float(f'{place:.15g}')!r}" for name, place in zip(box, places, strict=True))


def random_points(point: Point, box: Box, number: int, seed: int, reach: float = 1.0) -> Iterator[Point]:
    """Random points: from the box, or within `reach` times max(|x|, 1) of each number x that it does not name."""
    random = generator(seed)

    def move(name: str) -> Callable[[Any], Any]:
        def of(leaf: Any) -> Any:
            if name in box:
                there = random.uniform(*box[name], np.shape(leaf))
            else:
                there = leaf + _anywhere(random, leaf) * reach * np.maximum(np.abs(leaf), 1.0)
            return there.astype(leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(there)

        return of

    for _ in range(number):
        yield {name: map_leaves(move(name), value) for name, value in point.items()}


def generator(seed: int) -> np.random.Generator:
    """A generator of random numbers.

    Raises:
        UsageError: the seed is not a whole number from 0 on.
    """
    try:
        return np.random.default_rng(operator.index(seed))
    except (TypeError, ValueError):
        raise UsageError(f"The seed is {seed!r}; it has to be a whole number from 0 on.") from None


def _anywhere(random: np.random.Generator, leaf: Any) -> Any:
    """Random numbers in (-1, 1) with the shape of `leaf`; complex for a complex leaf."""
    numbers = random.uniform(-1.0, 1.0, np.shape(leaf))
    return numbers + 1j * random.uniform(-1.0, 1.0, np.shape(leaf)) if np.iscomplexobj(leaf) else numbers


def is_in_box(point: Point, box: Box) -> bool:
    """Whether the inputs that the box names lie in it."""
    return all(
        bool(np.all((leaf >= box[name][0]) & (leaf <= box[name][1])))
        for name, value in point.items()
        if name in box
        for leaf in leaves(value)
    )
