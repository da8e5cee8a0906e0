"""Calls, loops and iterations as a program goes through them, and the versions of its names."""

from collections.abc import Callable
from typing import Any

import pytest

from gradcli import trace
from gradcli.engine.traces.scopes import ProgramScope, label


def path(scope: ProgramScope | None) -> str:
    """A scope as `loop 2/3 > g 1/1`, from the outside in."""
    kinds = {"call": lambda each: f"{each.name} {each.number}/{each.of}", "loop": lambda each: f"loop of {each.of}"}
    words = [kinds.get(each.kind, lambda each: str(each.number))(each) for each in scope.up()] if scope else []
    return " > ".join(reversed(words))


def paths(function: Callable[..., Any], *point: float) -> list[str]:
    found = trace(function, *point)
    return [path(found.scopes.of_row(node.index)) for node in found.nodes if node.is_computed]


def names(function: Callable[..., Any], *point: float) -> list[str | None]:
    return [node.name for node in trace(function, *point).nodes if node.is_computed]


def square(x: Any) -> Any:
    return x * x


def test_iterations_of_loops() -> None:
    """Each of its loop; what the head asks the last time is behind the loop."""

    def f(x: Any) -> Any:
        y = x * 1
        while y * 2 < 8:
            for _ in range(2):
                y = y + x
        return y

    outer = ["loop of 2 > 1", "loop of 2 > 2"]
    inner = [f"{each} > loop of 2 > {n}" for each in outer for n in (1, 2)]
    assert ["", outer[0], *inner[:2], outer[1], *inner[2:], ""] == paths(f, 1.0)
    assert names(f, 1.0) == ["y", None, "y#1.1", "y#1.2", None, "y#2.1", "y#2.2", None]


def test_loops_that_are_left() -> None:
    """By `break`, or without an end of their own; a loop in one line; a body that is passed over."""

    def f(x: Any) -> Any:
        while True:
            x = x * 2
            if x > 5:
                break
        for _ in range(2):
            x = x + 1
        for n in range(4):
            if n % 2:
                continue
            x = x - 1
        return x

    loops = [("loop of 3", (1, 2, 3)), ("loop of 2", (1, 2)), ("loop of 4", (1, 3))]
    assert [f"{loop} > {n}" for loop, numbers in loops for n in numbers] == paths(f, 1.0)
    assert names(f, 1.0) == ["x#1", "x#2", "x#3", "x#4", "x#5", "x#6", "x#7"]


def test_calls() -> None:
    """With the line that called, what they were called with and what they returned; the numbers count a function's."""

    def f(x: Any) -> Any:
        a = square(x)
        return a + square(a + 1)

    found = trace(f, 2.0)
    scope = found.scopes.of_row(3)
    assert paths(f, 2.0) == ["square 1/2", "", "square 2/2", ""]
    assert scope is not None
    assert scope.activation is not None
    assert (f.__code__.co_firstlineno + 2, {"x": 2}, 3) == (
        scope.line, scope.activation.sources, scope.activation.result,
    )  # fmt: skip
    assert {n: name for n, name in found.scopes.results().items() if n not in found.names} == {3: "square"}


def test_recursion() -> None:

    def power(x: Any, n: int) -> Any:
        if n == 0:
            return 1.0
        rest = power(x, n - 1) * x
        return rest

    assert ["power 1/4 > power 2/4 > power 3/4", "power 1/4 > power 2/4", "power 1/4"] == paths(
        lambda x: power(x, 3), 2.0
    )
    assert names(lambda x: power(x, 3), 2.0) == ["rest#3", "rest#2", "rest#1"]


def test_comprehensions_and_generators_belong_to_their_line() -> None:

    def terms(x: Any) -> Any:
        for n in range(2):
            yield x * n

    def f(x: Any) -> Any:
        s = sum([v * v for v in (x, x)])
        for _ in range(2):
            s = s + sum(terms(x))
        return s

    assert set(paths(f, 2.0)) == {"", "loop of 2 > 1", "loop of 2 > 2"}


def test_what_is_bound_twice_in_an_iteration() -> None:
    """The last one has the number of the iteration."""

    def f(x: Any) -> Any:
        for _ in range(2):
            x = x * 2
            x = x + 1
        x = x * 3
        x = x * 4
        return x

    assert names(f, 1.0) == ["x#1a", "x#1", "x#2a", "x#2", "x#3", "x#4"]


@pytest.mark.parametrize("function", [lambda x: x * 2 + x, square])
def test_what_was_run_is_no_scope(function: Callable[..., Any]) -> None:
    assert set(paths(function, 2.0)) == {""}
    assert label(trace(function, 2.0, names=False).scopes.of_row(1)) == ""


def test_a_name_of_several_functions_carries_the_function_that_was_called() -> None:
    def halved(x: Any) -> Any:
        x = x * 0.5
        return x

    def f(x: Any) -> Any:
        for _ in range(2):
            x = x + halved(x)
        return x

    assert names(f, 1.0) == ["halved.x#1", "x#1", "halved.x#2", "x#2"]


def test_a_name_of_two_called_functions_carries_both() -> None:
    def g(a: Any) -> Any:
        h = a * 2
        return h + 1

    def k(a: Any) -> Any:
        h = a * 3
        return h + 2

    def f(x: Any) -> Any:
        return g(x) * k(x)

    assert [name for name in names(f, 1.0) if name] == ["g.h", "k.h", "result"]


def test_a_name_of_one_called_function_stands_alone() -> None:
    def g(a: Any) -> Any:
        h = a * 2
        return h + 1

    def f(x: Any) -> Any:
        return g(x) * g(x)

    assert [name for name in names(f, 1.0) if name] == ["h#1", "h#2", "result"]


def test_a_method_is_named_without_its_class_and_a_lambda_has_no_name() -> None:
    class Layer:
        def forward(self, x: Any) -> Any:
            x = x * 2
            return x + 1

    def f(x: Any, last: Any = lambda v: (x := v - 1) * x) -> Any:
        x = x * 3
        y = Layer().forward(x)
        return last(y)

    assert names(f, 1.0) == ["x#2", "forward.x", "y", "x#3", "result"]
