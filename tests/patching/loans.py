"""What runs borrow, without the runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gradcli.patching.object_exchange import BorrowedPlaces, Places, Run


@contextmanager
def lent(places: Places) -> Iterator[BorrowedPlaces]:
    """Places are lent inside."""
    run = Run()
    loan = BorrowedPlaces(places, run)
    loan.borrow()
    try:
        yield loan
    finally:
        loan.give_back()
