"""A gradient that is zero at the point is checked on both sides of it too."""

import math

import numpy as np
import pytest

import gradcli
from gradcli.errors import FindingWarning


def square(x):
    return x * x


def odd(x):
    return abs(x) * x


def found(f, at, against, **options):
    """The verdict and the finding, if there is one."""
    comparison = gradcli.check(f, at=at, against=against, **options)
    return comparison.verdict, next((each for each in comparison.findings if each.code == "G305"), None)


@pytest.mark.parametrize(
    ("f", "at", "against"),
    [
        (square, 0.0, lambda x: 6 * x),
        (square, 0.0, lambda x: 2 * abs(x)),
        (odd, 0.0, lambda x: 2 * x),
        (odd, 0.0, lambda x: 3 * abs(x)),
        (lambda x: max(x, 0.0) * x, 0.0, lambda x: 2 * abs(x)),
        (lambda x: math.cos(x), 0.0, lambda x: -abs(math.sin(x))),
        (lambda w: np.sum(w * np.abs(w)), np.zeros(3), lambda w: 2 * w),
        (lambda w, b: np.sum(w * w) + b * b, (np.zeros(2), 0.0), lambda w, b: (2 * w, 3 * b)),
    ],
    ids=["thrice", "other side", "no modulus", "3|x|", "clipped", "cosine", "array", "second input"],
)
def test_a_gradient_that_is_wrong_beside_the_point(f, at, against):
    """Its verdict is that of the point; the warning gives the point beside it, the candidate and the reference."""
    verdict, said = found(f, at, against)

    assert (verdict, said.severity) == ("pass", "warning")
    assert "fail; " in said.message
    assert "candidate" in said.message


def test_a_check_of_a_box_does_not_accept_it():
    box = {"x": (-1.0, 1.0)}

    assert found(square, 0.0, lambda x: 6 * x, box=box)[0] == "inconclusive"
    assert found(square, 0.0, lambda x: 2 * x, box=box)[0] == "pass"


def test_an_assertion_warns_of_it():
    with pytest.warns(FindingWarning, match="also checked at .*G305"):
        gradcli.assert_grad(square, at=0.0, against=lambda x: 6 * x)
    gradcli.assert_grad(square, at=0.0, against=lambda x: 6 * x, inconclusive="pass")
    gradcli.assert_grad(square, at=0.0, against=lambda x: 2 * x)


def test_the_warning_gives_numbers():
    _, said = found(odd, 0.0, lambda x: 2 * x)

    assert said.message.endswith(
        "also checked at x=-0.0023643249400513433: fail; x: candidate -0.00472865, reference 0.00472865"
    )


@pytest.mark.parametrize("strict", [False, True])
def test_a_gradient_that_is_right_beside_the_point(strict):
    verdict, said = found(odd, 0.0, lambda x: 2 * abs(x), strict=strict)

    assert (verdict, said.severity) == ("pass", "note")
    assert said.message.endswith("also checked at x=0.0023643249400513433 and x=-0.0023643249400513433: pass")


def test_a_strict_check_does_not_accept_it():
    assert found(odd, 0.0, lambda x: 2 * x, strict=True)[0] == "inconclusive"


@pytest.mark.parametrize(("at", "against"), [(1.0, None), (0.0, 0.0)], ids=["no zero", "numbers at this point alone"])
def test_what_is_not_checked_beside_the_point(at, against):
    """A gradient that does not vanish, and numbers, which are given at the point only."""
    assert found(square, at, against)[1] is None


def test_a_domain_with_an_edge():
    _, said = found(lambda x: math.sqrt(x + 0.001) ** 5 * x * x, 0.0, None)

    assert said.message.endswith("also checked at x=0.0023643249400513433: pass")
