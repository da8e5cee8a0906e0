"""Borrowing: whatever a run borrows holds ours until the last run that needs it is over, and then the program's own."""

from __future__ import annotations

import linecache
import sys

import pytest

from gradcli.patching import object_exchange
from gradcli.patching import patch_points as places
from gradcli.patching.object_exchange import BorrowedPlaces, LentNames, Places, Run, call_borrowing, what_is_lent
from gradcli.patching.patch_points import MISSING, Place
from tests.patching.loans import lent


@pytest.fixture
def names():
    """The names of a module."""
    return {"sin": "sin", "cos": "cos", "other": 1}


def places_in(names):
    """Two of the names, and one that the module does not define itself."""
    return [Place(names, key, names.get(key, MISSING), f"our {key}") for key in ("sin", "cos", "float")]


LENT = {"sin": "our sin", "cos": "our cos", "other": 1, "float": "our float"}
OWN = {"sin": "sin", "cos": "cos", "other": 1}


def test_names_of_a_module_are_exchanged_together(names, monkeypatch):
    """None of them by itself, and they come back."""
    monkeypatch.setattr(Place, "exchange", None)
    with lent(Places(places_in(names))):
        assert LENT == names
    assert OWN == names


def test_names_come_back_when_the_last_run_is_over(names):
    """In whatever order the runs end that share them."""
    run = Run()
    first, second = (BorrowedPlaces(Places(places), run) for places in (places_in(names), places_in(names)[:2]))
    first.borrow()
    second.borrow()
    first.give_back()
    assert {"sin": "our sin", "cos": "our cos", "other": 1} == names
    second.give_back()
    assert OWN == names
    assert [] == object_exchange.borrowed()


def test_a_name_that_holds_something_else_by_now_is_not_lent(names):
    """The others are."""
    loan = Places(places_in(names))
    names["sin"] = "new"
    with lent(loan):
        assert {**LENT, "sin": "new"} == names
    assert {**OWN, "sin": "new"} == names


def test_what_the_program_writes_meanwhile_stays(names):
    """The others come back."""
    with lent(Places(places_in(names))):
        names["cos"] = "new"
        names["float"] = "new"
    assert {**OWN, "cos": "new", "float": "new"} == names


def test_what_a_place_held_by_turns_is_lent_as_it_is_now(names):
    """The two places are one spot."""
    loan = Places([*places_in(names), Place(names, "sin", "former", "our former")])
    with lent(loan):
        assert LENT == names
    names["sin"] = "former"
    with lent(loan):
        assert {**LENT, "sin": "our former"} == names
    assert {**OWN, "sin": "former"} == names


def test_what_is_lent_is_known_while_one_run_borrows_alone(names):
    """And what was exchanged together comes back after it was asked for."""
    with lent(Places(places_in(names))):
        with what_is_lent() as found:
            assert {"sin", "cos", "float"} == {place.key for place in found[id(names)]}
        assert LENT == names
    assert OWN == names


def test_lists_and_dicts_are_lent_beside_each_other(names):
    """Only the names of the dict go together."""
    table = ["sin"]
    loan = Places([*places_in(names), Place(table, 0, "sin", "our sin")])
    assert ([LentNames], ["our sin"]) == ([type(each) for each in loan.together], [place.ours for place in loan.single])
    with lent(loan):
        assert (LENT, ["our sin"]) == (names, table)
    assert (OWN, ["sin"]) == (names, table)


def interrupted_at(number):
    """What raises KeyboardInterrupt at one of the lines by which places are exchanged; `lines` counts them.

    As a signal does, it comes at no place between the end of a block and the release of the block's lock.
    """

    def line(frame, event, argument):
        if event == "line" and not linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip().startswith(
            "with"
        ):
            line.lines += 1
            if line.lines == number:
                raise KeyboardInterrupt
        return line

    def call(frame, event, argument):
        code = frame.f_code
        ours = code.co_filename in (object_exchange.__file__, places.__file__)
        return line if ours and code is not call_borrowing.__code__ else None

    line.lines = 0
    return call, line


def test_an_interrupt_at_any_line_gives_all_back(names):
    """Names that are exchanged together, one by one and within another run, and items of a list."""
    number, is_over = 0, False
    while not is_over:
        number, table = number + 1, ["sin"]
        loan = Places([*places_in(names), Place(table, 0, "sin", "our sin")])
        call, counted = interrupted_at(number)
        before = sys.gettrace()
        try:
            sys.settrace(call)
            call_borrowing(loan, call_borrowing, Places(places_in(names)), names.copy)
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        is_over = counted.lines < number

        assert (OWN, ["sin"], []) == (names, table, object_exchange.borrowed())
    assert number > 100


def test_what_a_run_has_left_comes_back_with_the_next(names):
    """Where it was interrupted more than once."""
    run = Run()
    BorrowedPlaces(Places(places_in(names)), run).borrow()
    assert LENT == names
    del run

    call_borrowing(Places([Place({"f": 1}, "f", 1, 2)]), dict)
    assert OWN == names
