"""Loops in a listing: what repeats, one turn after the other, is found, so that one turn can stand for all."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from gradcli.frozen_record import Frozen

LEAST_TURNS = 3
LONGEST_TURN = 200  # items of a loop's body


class Loop(Frozen):
    """Items that repeat: the turns in order, each a sequence of items and of loops within."""

    turns: tuple[tuple[int | Loop, ...], ...]

    @property
    def times(self) -> int:
        """How many turns there are."""
        return len(self.turns)


Item = int | Loop


def folded(keys: Sequence[Hashable]) -> list[Item]:
    """The places 0, 1, … of `keys`, with loops where the same keys come again at least three times in a row.

    Inner loops are found first; turns are the same whose inner loops differ in nothing but how often they go round.
    Costs the number of keys times the length of the longest body that is looked for.
    """
    items: list[Item] = list(range(len(keys)))
    signs: list[Hashable] = list(keys)
    while True:
        places = list(_pass(items, signs))
        items, signs, before = [item for item, _ in places], [sign for _, sign in places], len(items)
        if len(items) == before:
            return items


def _pass(items: list[Item], signs: list[Hashable]) -> Iterator[tuple[Item, Hashable]]:
    """The items with the innermost loops that are still open put in the place of their turns."""
    at = 0
    while at < len(items):
        length, times = _repetition(signs, at)
        if times < LEAST_TURNS:
            yield items[at], signs[at]
            at += 1
            continue
        turns = tuple(tuple(items[start : start + length]) for start in range(at, at + length * times, length))
        yield Loop(turns), ("loop", *signs[at : at + length])
        at += length * times


def _repetition(signs: list[Hashable], at: int) -> tuple[int, int]:
    """The length of the shortest body that comes at least three times from place `at` on, and how often it does."""
    first = signs[at]
    for length in range(1, min(LONGEST_TURN, (len(signs) - at) // LEAST_TURNS) + 1):
        if signs[at + length] != first:
            continue
        end = at + length
        while end < len(signs) and signs[end] == signs[end - length]:
            end += 1
        if (times := (end - at) // length) >= LEAST_TURNS:
            return length, times
    return 1, 1


def places(items: Sequence[Item]) -> Iterator[int]:
    """Every place in some items, in order."""
    for item in items:
        if isinstance(item, Loop):
            for turn in item.turns:
                yield from places(turn)
        else:
            yield item
