"""Many components of a check or a comparison in few lines: the rows that are shown, and blocks of equal verdicts."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from gradcli.shared.records.checks import Component, Verdict
from gradcli.shared.records.function_comparisons import ComparedNumber

ALL_ROWS = 20  # components up to which each has a row
TOP_ROWS = 10  # rows beside blocks
MOST_RUNS = 3  # runs of one verdict that are written out
INDICES = re.compile(r"\[\d+(?:, ?\d+)*\](?!\[)")  # of an element; before another bracket stands the place of an array
NUMBER = re.compile(r"\d+")
ELEMENT = re.compile(r"(?<=.)\[[{}, ]+\]$")
SAME = 1e-6  # relative deviation of ratios that count as one

Index = tuple[int, ...]
Judged = Sequence[Component] | Sequence[ComparedNumber]
Row = TypeVar("Row", Component, ComparedNumber)


def top_rows(components: Sequence[Row]) -> Sequence[Row]:
    """The components with a row each: all of up to 20, otherwise the first 10."""
    return components if len(components) <= ALL_ROWS else components[:TOP_ROWS]


def row_lines(troubled: Sequence[Component], components: Sequence[Component]) -> Iterator[str]:
    """A line for each of the first components that did not pass; of many, also the blocks of all components."""
    shown = top_rows(troubled)
    for row in shown:
        known = {"candidate": row.candidate, "reference": row.reference}
        numbers = ", ".join(f"{word} {number!r}" for word, number in known.items() if number is not None)
        yield f"{row.verdict.value} {row.name}: {'; '.join(filter(None, (numbers, row.reason)))}"
    if left := len(troubled) - len(shown):
        yield f"… {left} more"
        yield from blocks(components)


def blocks(components: Judged, order: Sequence[Any] = tuple(Verdict)) -> list[str]:
    """A text for each block, such as `W[0..31, 0..15]: FAIL, all 2 times the derivative`.

    A block holds the components of one input, or of one part of a Jacobian, that have the same verdict. Inputs without
    indices that have the same verdict share a text. `order` holds the verdicts, the worst first.
    """
    inputs: dict[str, dict[Index, Any]] = {}
    for component in components:
        name = component.name.replace("{", "{{").replace("}", "}}")
        template = INDICES.sub(lambda match: NUMBER.sub("{}", match[0]), name)
        index = tuple(int(number) for match in INDICES.findall(name) for number in NUMBER.findall(match))
        inputs.setdefault(template, {})[index] = component
    places: dict[str, list[str]] = {}
    for template, parts in inputs.items():
        for place, text in _of_input(template, parts, order):
            places.setdefault(text, []).append(place)
    for alike in places.values():
        if len(alike) > 2 * MOST_RUNS:
            alike[MOST_RUNS:-MOST_RUNS] = ["…"]
    return [f"{', '.join(alike)}: {text}" for text, alike in places.items()]


def _of_input(template: str, parts: dict[Index, Any], order: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """Each place in an input, with its verdict and what its numbers have in common."""
    verdicts = {row.verdict for row in parts.values()}
    ratio = common_ratio(list(parts.values())) if verdicts == {Verdict.FAIL, Verdict.PASS} else ""
    if ratio:  # zeros pass by any factor
        yield _place(template, sorted(parts), parts), f"FAIL where it is not 0, {ratio}"
        return
    for verdict in sorted(verdicts, key=order.index):
        held = {index: row for index, row in parts.items() if row.verdict is verdict}
        ratio = common_ratio(list(held.values())) if verdict is Verdict.FAIL else ""
        yield _place(template, sorted(held), parts), word_of(verdict) + (f", {ratio}" if ratio else "")


def tally(rows: Judged, order: Sequence[Any] = tuple(Verdict)) -> str:
    """The count of each verdict, worst first."""
    counts = Counter(row.verdict for row in rows)
    return ", ".join(f"{counts[verdict]} {word_of(verdict)}" for verdict in order if counts[verdict])


def word_of(verdict: Verdict | str) -> str:
    """A verdict as a word."""
    return verdict.value if isinstance(verdict, Verdict) else verdict


def common_ratio(rows: Sequence[Component]) -> str:
    """What the candidates have in common, such as `all 2 times the derivative`; empty if nothing."""
    ratios = []
    for candidate, reference in ((row.candidate, row.reference) for row in rows):
        if candidate is None or reference is None or not math.isfinite(candidate) or not math.isfinite(reference):
            return ""
        if reference:
            ratios.append(candidate / reference)
        elif candidate:
            return ""
    if len(ratios) < MOST_RUNS or any(abs(ratio - ratios[0]) > SAME * abs(ratios[0]) for ratio in ratios):
        return ""
    if ratios[0] == 0:
        return "all 0"
    return "all with the opposite sign" if abs(ratios[0] + 1) < SAME else f"all {ratios[0]:.6g} times the derivative"


def _place(template: str, held: Sequence[Index], parts: dict[Index, Component]) -> str:
    """The indices of a block as ranges, or their number where they are scattered."""
    whole = ELEMENT.sub("", template)
    if len(held) == len(parts) and "{}" not in whole:
        return whole.format()
    if box := _box(held):
        return template.format(*box)
    runs = list(_runs(held, parts))
    if len(runs) <= MOST_RUNS and all(runs):
        return ", ".join(template.format(*run) for run in runs)
    spans = [_range(min(axis), max(axis)) for axis in zip(*held, strict=True)]
    return f"{len(held)} in {template.format(*spans)}"


def _box(held: Sequence[Index]) -> list[str]:
    """The ranges whose product these indices are; empty if there are none."""
    axes = [sorted(set(axis)) for axis in zip(*held, strict=True)]
    filled = math.prod(map(len, axes)) == len(held) and all(axis[-1] - axis[0] == len(axis) - 1 for axis in axes)
    return [_range(axis[0], axis[-1]) for axis in axes] if filled else []


def _runs(held: Sequence[Index], parts: dict[Index, Component]) -> Iterator[list[str]]:
    """The ranges of each run of neighbours, in the order of the input; empty for a run that is no product of ranges."""
    places = {index: place for place, index in enumerate(sorted(parts))}
    run: list[Index] = []
    for index in held:
        if run and places[index] != places[run[-1]] + 1:
            yield _box(run)
            run = []
        run.append(index)
    yield _box(run)


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}..{last}"
