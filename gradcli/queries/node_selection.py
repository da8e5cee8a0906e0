"""Selection by the user: a quantity of a run by its name or number, or a direction among the inputs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from gradcli.answers.targets.points import as_point
from gradcli.engine.traces.trace import Trace
from gradcli.errors import PointError, UsageError
from gradcli.methods.numerics.coordinates import coordinates
from gradcli.queries.bound_target import Question
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import did_you_mean, list_text, quoted
from gradcli.shared.pytree import WholeNumber, labelled, leaves, map_leaves

PLACE = re.compile(r"(.+)\[(\d+(?:,\d+)*)\]")


class Picked(Frozen):
    """A quantity of a run.

    Args:
        node: the index of its node.
        place: the index of one element of an array; empty for the whole.
        name: the name of the quantity.
    """

    node: int
    place: tuple[int, ...]
    name: str

    def read(self, value: Any) -> Any:
        """The part of a node's value that belongs to the quantity."""
        return value[self.place] if self.place else value


def picked(trace: Trace, text: str) -> Picked:
    """Find the quantity with this name: `t_cd`, `x#3`, `%7`, `h[0,1]`.

    Raises:
        UsageError: the run has no quantity of that name.
    """
    text = " ".join(text.split())
    names = {name: index for index, name in trace.names.items()}
    numbered = (node.index for node in trace.shown)
    names |= {f"%{index}": index for index in numbered if f"%{index}" not in names}
    if text.isdecimal() and f"%{text}" in names:
        text = f"%{text}"
    if (latest := _latest(trace, names, text)) in names:
        return Picked(names[latest], (), latest)
    within = PLACE.fullmatch(text.replace(" ", ""))
    if within and (array := _latest(trace, names, within[1])) in names:
        index, place = names[array], tuple(map(int, within[2].split(",")))
        shape = np.shape(trace.nodes[index].value)
        if len(place) == len(shape) and all(n < most for n, most in zip(place, shape, strict=True)):
            return Picked(index, place, f"{array}[{within[2]}]")
        kind = f"an array of shape {shape}" if shape else "one number"
        raise UsageError(f"There is no {quoted(text)}: {within[1]} is {kind}.")
    if text.removeprefix("%").isdecimal() and int(text.removeprefix("%")) in trace.part_of:
        raise UsageError(f"{text} is a step inside of a library.", hint="--libraries shows these steps.")
    known = [name for name in names if not name.startswith("%")]
    hint = did_you_mean(text, known) or f"The names are {list_text(known)}; `gradcli tape` lists the unnamed ones too."
    raise UsageError(f"There is no quantity {quoted(text)} in this run.", hint=hint)


def _latest(trace: Trace, names: Mapping[str, int], name: str) -> str:
    """The last of the numbered values of a name, for an array that is filled later and for one that a loop binds."""
    versions = [known for known in names if known.partition("#")[0] == name]
    is_last = versions and (name not in names or trace.nodes[names[name]].is_constant)
    return max(versions, key=names.__getitem__) if is_last else name


def direction(question: Question, text: str | None) -> dict[str, Any]:
    """The rate of change of each input, by name and in the structure of the point.

    Raises:
        PointError: the text is neither an input nor a direction.
    """
    point = question.point
    moving = {name: map_leaves(np.zeros_like, structure) for name, structure in point.items()}
    parts = coordinates(point)
    wanted = parts[:1] if text is None else [part for part in parts if part.name == text.replace(" ", "")]
    wanted = wanted or [part for part in parts if part.leaf in _labels(point, text or "")]
    if wanted:
        flat = [np.array(leaf) for leaf in leaves(list(moving.values()))]
        for part in wanted:
            flat[part.leaf][part.place] = 1.0
        rates_in_order = iter(flat)
        rates = {name: map_leaves(lambda _: next(rates_in_order)[()], structure) for name, structure in moving.items()}
        return {name: rate for name, rate in rates.items() if not isinstance(rate, WholeNumber)}
    try:
        rates = as_point(text, question.target).keep_whole(question.wanted)
    except PointError as error:
        names = list_text([part.name for part in parts])
        hint = f"Name one of {names}, or type a direction as you type a point."
        raise PointError(f"{quoted(text or '')} is not a direction among the inputs.", hint=hint) from error
    _refuse_other_shapes(point, rates)
    return rates


def _labels(point: dict[str, Any], text: str) -> set[int]:
    """The positions of the leaves that a text names: one of them, or all of an input."""
    every = [(name, label) for name, structure in point.items() for label, _ in labelled(name, structure)]
    return {number for number, label in enumerate(every) if text in label}


def _refuse_other_shapes(point: dict[str, Any], moving: dict[str, Any]) -> None:
    shapes, came = ([np.shape(leaf) for leaf in leaves(list(values.values()))] for values in (point, moving))
    if shapes != came or list(point) != list(moving):
        raise PointError(
            "The direction does not have the structure of the point.", hint="Type as many numbers, in the same places."
        )
