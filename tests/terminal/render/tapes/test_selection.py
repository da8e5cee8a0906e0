"""Loops in a listing: what repeats is found, inner loops first."""

import time

import pytest

from gradcli.terminal.render.tapes.selection import Item, Loop, folded


def shape(items: list[Item] | tuple[Item, ...], keys: str) -> str:
    return "".join(
        f"({shape(item.turns[0], keys)}){len(item.turns)}" if isinstance(item, Loop) else keys[item] for item in items
    )


@pytest.mark.parametrize(
    ("expected", "keys"),
    [
        ("", ""),
        ("abc", "abc"),
        ("aab", "aab"),
        ("(a)3", "aaa"),
        ("x(ab)4y", "xababababy"),
        ("((b)3a)3", "bbbabbbabbba"),
        ("((b)3a)3", "bbbabbbbabbba"),
        ("(a)3(b)3", "aaabbb"),
        ("a(bc)3b", "abcbcbcb"),
    ],
)
def test_what_repeats(expected: str, keys: str) -> None:
    assert shape(folded(keys), keys) == expected


def test_ten_thousand_places() -> None:
    """A long listing is folded at once, whether it repeats or not."""
    start = time.perf_counter()
    folded([n % 7 for n in range(10_000)])
    folded(list(range(10_000)))

    assert 2.0 > time.perf_counter() - start
