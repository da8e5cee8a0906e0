"""Rules made wrong: every one that differs from the right one is caught."""

import numpy as np
import pytest

from gradcli.answers.selftest import array_mutants, elementwise_mutants
from gradcli.answers.selftest.selftest import check_rules
from gradcli.errors import Exit, UsageError
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.function_registry import FUNCTIONS
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.methods.transforms.gradients import grad
from gradcli.shared.records.checks import Mutant, SelfTest

SAMPLE = 23  # every so many of the mutants


@pytest.fixture(autouse=True)
def every_rule():
    """The rules that a program has not asked for yet come into the table."""
    FUNCTIONS.complete()


def test_a_sample_is_caught():
    found = check_rules(every=SAMPLE)

    assert found.missed == ()
    assert 20 < len(found.mutants)


@pytest.mark.long
def test_all_are_caught():
    found = check_rules()

    assert found.missed == ()
    assert {"copysign", "clip", "heaviside", "hyp2f1", "poch", "scipy.inv_boxcox", "scatter"} >= {
        mutant.rule for mutant in found.mutants if mutant.outcome == "equivalent"
    }


@pytest.mark.parametrize("name", sorted(elementwise_mutants.CHANGES))
def test_each_kind_of_slip_in_a_row(name):
    rule = RULES["div"]
    text = elementwise_mutants.CHANGES[name](rule.partials[1], rule.parameters)

    assert elementwise_mutants.judged(rule, 1, name, text).outcome == "caught"


def test_a_mutant_that_is_none_is_equivalent():
    assert elementwise_mutants.judged(RULES["mul"], 0, "another spelling", "y + 0*x").outcome == "equivalent"


@pytest.mark.parametrize("name", ["sign", "factor", "one part in a million", "exchanged arguments"])
def test_each_kind_of_slip_in_an_array_rule(name):
    assert array_mutants.judged(RULES["matmul"], name, "matmul").outcome == "caught"


@pytest.mark.parametrize(
    ("rule", "user"), [("real", "ifft"), ("fftn", "fft"), ("ifftn", "ifft"), ("rfft", "irfft"), ("irfft", "irfft")]
)
def test_one_part_in_a_million_among_complex_numbers(rule, user):
    assert array_mutants.judged(RULES[rule], "one part in a million", user).outcome == "caught"


@pytest.mark.parametrize("name", ["inv", "det", "qr"])
def test_a_rule_that_is_kept_compiled_is_made_wrong_too(name):
    assert array_mutants.judged(RULES[name], "sign", name).outcome == "caught"


def test_rules_are_right_again():
    rule, x = RULES["sum"], np.ones(3)
    with array_mutants.made_wrong(rule, "factor"):
        assert list(grad(np.sum)(x)) == [2.0, 2.0, 2.0]

    assert list(grad(np.sum)(x)) == [1.0, 1.0, 1.0]


def test_what_is_left_out_is_named():
    """The rules that no program of the self-test uses; those that everybody uses are not among them."""
    unexercised = set(array_mutants.unexercised())
    exercised = {name for name, rule in RULES.items() if isinstance(rule, ArrayRule)} - unexercised

    assert {"index", "put", "scatter", "sum", "mean", "prod", "max", "matmul", "solve", "det", "fftn"} <= exercised


def test_a_mutant_that_is_missed_fails():
    """The exit code says whether the check can be believed."""
    caught = Mutant("sin", "x", "sign", "-(cos(x))", "caught", "0.3")

    assert Exit.PASS is SelfTest((caught,), (), 1.0).exit
    assert Exit.FAIL is SelfTest((caught, caught.changed(outcome="missed")), (), 1.0).exit


@pytest.mark.parametrize("every", [0, -1, 1.5, "a", None, True])
def test_what_is_no_number_of_wrong_rules_is_refused(every):
    with pytest.raises(UsageError, match=f"every is {every!r}; it has to be a whole number from 1 on"):
        check_rules(every=every)
