"""A place holds its replacement until the last run that needs it is over, and then the program's own object."""

import ast
import linecache
import sys
from pathlib import Path

import pytest

from gradcli.engine.patching import object_exchange, patch_points
from gradcli.engine.patching.object_exchange import (
    ActiveExchange,
    ExchangedPlaces,
    Run,
    call_with_replacements,
)
from gradcli.engine.patching.patch_points import MISSING, Place
from tests.engine.patching.active_exchange import exchanged


def test_no_loop_stands_inside_the_lock():
    """CPython 3.13 does not leave a `with` block that Ctrl-C interrupts at the jump of a loop in it."""
    loops = (ast.For, ast.While, ast.comprehension)
    inside = [
        f"{file.name}:{node.lineno}"
        for file in Path(object_exchange.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.With) and "lock" in ast.unparse(node.items[0])
        for part in ast.walk(node)
        if isinstance(part, loops)
    ]
    assert inside == []


@pytest.fixture
def names():
    return {"sin": "sin", "cos": "cos", "other": 1}


def places_in(names):
    """Two of the names, and one that the module does not define itself."""
    return [Place(names, key, names.get(key, MISSING), f"our {key}") for key in ("sin", "cos", "float")]


REPLACED = {"sin": "our sin", "cos": "our cos", "other": 1, "float": "our float"}
OWN = {"sin": "sin", "cos": "cos", "other": 1}


def test_names_come_back_when_the_last_run_is_over(names):
    run = Run()
    first, second = (
        ActiveExchange(ExchangedPlaces(places), run) for places in (places_in(names), places_in(names)[:2])
    )
    first.make()
    second.make()
    first.revert()
    assert names == {"sin": "our sin", "cos": "our cos", "other": 1}
    second.revert()
    assert names == OWN
    assert object_exchange.replaced_places() == []


def test_a_name_that_holds_another_object_by_now_is_not_replaced(names):
    grouped = ExchangedPlaces(places_in(names))
    names["sin"] = "new"
    with exchanged(grouped):
        assert names == {**REPLACED, "sin": "new"}
    assert names == {**OWN, "sin": "new"}


def test_what_the_program_writes_meanwhile_stays(names):
    with exchanged(ExchangedPlaces(places_in(names))):
        names["cos"] = "new"
        names["float"] = "new"
    assert names == {**OWN, "cos": "new", "float": "new"}


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
        ours = code.co_filename in (object_exchange.__file__, patch_points.__file__)
        return line if ours and code is not call_with_replacements.__code__ else None

    line.lines = 0
    return call, line


def test_an_interrupt_at_any_line_restores_everything(names):
    """Names that are exchanged together, one by one and within another run, and items of a list."""
    number, is_over = 0, False
    while not is_over:
        number, table = number + 1, ["sin"]
        grouped = ExchangedPlaces([*places_in(names), Place(table, 0, "sin", "our sin")])
        call, counted = interrupted_at(number)
        before = sys.gettrace()
        try:
            sys.settrace(call)
            call_with_replacements(grouped, call_with_replacements, ExchangedPlaces(places_in(names)), names.copy)
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        is_over = counted.lines < number

        assert (names, table, object_exchange.replaced_places()) == (OWN, ["sin"], [])
    assert number > 100


def test_the_next_run_restores_what_an_interrupted_one_has_left(names):
    run = Run()
    ActiveExchange(ExchangedPlaces(places_in(names)), run).make()
    assert names == REPLACED
    del run

    call_with_replacements(ExchangedPlaces([Place({"f": 1}, "f", 1, 2)]), dict)
    assert names == OWN
