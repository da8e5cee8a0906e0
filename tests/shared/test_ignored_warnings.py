"""Python shows a warning once for each line, however often gradcli is called in a loop."""

import math
import warnings
from collections import Counter

import numpy as np
import pytest
import sympy  # noqa: F401 - adds a filter when it is first imported

import gradcli
from gradcli import queries
from gradcli.shared.ignored_warnings import ignored_warnings


def shown(act, times=100):
    """The warnings that Python's default filter shows when something is done in a loop: how often, by their lines."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for turn in range(times):
            act(turn)
    return Counter((each.filename, each.lineno) for each in caught)


def old(x):
    warnings.warn("it is old", DeprecationWarning, stacklevel=1)
    return math.sin(x) * x


def flat(x):
    return math.floor(x) * 2.0


def infinite(x):
    return np.sum(0.0 * np.sqrt(x))


LOOPS = [
    ("grad", lambda turn: gradcli.grad(old)(1.0 + turn)),
    ("jacobian", lambda turn: gradcli.jacobian(old)(1.0 + turn)),
    ("product", lambda turn: gradcli.hvp(old, 1.0 + turn, 1.0)),
    ("trace", lambda turn: gradcli.trace(old, 1.0 + turn).sensitivities()),
    ("flat", lambda turn: gradcli.grad(flat)(1.5 + turn)),
    ("multiplied by 0", lambda turn: gradcli.grad(infinite)(np.array([0.0, 1.0 + turn]))),
    ("integers", lambda turn: gradcli.grad(lambda x: np.sum(x * x))(np.array([1, turn]))),
]


@pytest.mark.parametrize("act", [loop[1] for loop in LOOPS], ids=[loop[0] for loop in LOOPS])
def test_a_loop_of_a_hundred_gradients_warns_once(act):
    assert {(__file__, 1)} == {(file, count) for (file, _), count in shown(act).items()}


CHECKS = [
    ("check", lambda turn: gradcli.check(old, at=1.0 + turn)),
    ("assert_grad", lambda turn: gradcli.assert_grad(old, at=1.0 + turn)),
    ("several at once", lambda turn: (gradcli.grad(old)(1.0), gradcli.check(old, at=2.0), gradcli.grad(old)(3.0))),
]


@pytest.mark.parametrize("act", [loop[1] for loop in CHECKS], ids=[loop[0] for loop in CHECKS])
def test_a_loop_of_checks_warns_once(act):
    """Although each of them runs the function many times, mostly without its warnings."""
    assert [*shown(act, 5).values()] == [1]


def test_commands_warn_once(tmp_path):
    """Of a function in a file, which a session at the prompt and `verify` load once."""
    path = tmp_path / "warns.py"
    path.write_text("import warnings\n\ndef f(x):\n    warnings.warn('odd')\n    return x * x\n")
    target = f"{path}:f"

    def ask(turn):
        queries.gradient(target, str(turn + 1))
        queries.check(target, str(turn + 1))

    assert {(str(path), 4): 1} == shown(ask, 3)


def test_nothing_is_forgotten():
    """What was shown is not shown again after other warnings are ignored; after `catch_warnings` it would be."""

    def act(turn):
        warnings.warn("here", stacklevel=1)
        with ignored_warnings():
            warnings.warn("ignored", stacklevel=1)

    assert [*shown(act, 5).values()] == [1]


def test_only_some_are_ignored():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with ignored_warnings(RuntimeWarning, __name__):
            warnings.warn("ignored", RuntimeWarning, stacklevel=1)
            warnings.warn("user's", UserWarning, stacklevel=1)
        with ignored_warnings(RuntimeWarning, "gradcli."):
            warnings.warn("elsewhere", RuntimeWarning, stacklevel=1)
        warnings.warn("afterwards", RuntimeWarning, stacklevel=1)

    assert [str(each.message) for each in caught] == ["user's", "elsewhere", "afterwards"]


def test_a_copy_of_the_filters_is_cleared_too():
    """Ctrl-C in the user's `catch_warnings` leaves a copy of the list that had been made inside."""
    with warnings.catch_warnings():
        before = list(warnings.filters)
        with ignored_warnings():
            warnings.filters = list(warnings.filters)

        assert before == warnings.filters


def test_equal_filters_of_the_user_stay():
    with warnings.catch_warnings():
        with ignored_warnings():
            warnings.simplefilter("ignore")
            before = warnings.filters[0]

        assert before == warnings.filters[0] == ("ignore", None, Warning, None, 0)


def test_a_function_may_remove_all_filters():
    with warnings.catch_warnings():
        with ignored_warnings():
            warnings.resetwarnings()

        assert [*warnings.filters] == []
