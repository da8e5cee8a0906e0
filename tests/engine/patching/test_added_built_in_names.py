"""Functions that a program stores among the built-in names are followed, as those of its modules are."""

import builtins

import pytest

from gradcli import grad


def doubled_if_float(x):
    return 2 * x if type(x) is float else 0.0


def squared_if_float(x):
    return x * x if type(x) is float else 0.0


class Squares:
    """An object that leads to a function."""

    def __call__(self, x):
        return squared_if_float(x)


CALLS = [
    "added(x)",
    "builtins.added(x)",
    "getattr(builtins, 'added')(x)",
    "(lambda: added(x))()",
    "sum(map(added, [x]))",
    "vars(builtins)['added'](x)",
]


@pytest.mark.parametrize("call", CALLS)
def test_it_is_followed_when_another_one_is_stored_there_too(call, monkeypatch):
    function = eval(f"lambda x: {call}")
    for item, slope in ((squared_if_float, 6.0), (doubled_if_float, 2.0), (Squares(), 6.0)):
        monkeypatch.setattr(builtins, "added", item, raising=False)

        assert grad(function)(3.0) == slope
