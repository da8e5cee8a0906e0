"""What array rules say of their Jacobians, forwards, backwards, for many cotangents at once; and their written form."""

import importlib
import pkgutil
from functools import cache, partial

import numpy as np
import pytest
import scipy

import gradcli.mathematics.rules
from gradcli import grad, trace
from gradcli.answers.selftest.array_programs import PROGRAMS as EVERYDAY
from gradcli.engine.tape.accumulation import fit
from gradcli.engine.tape.pushforwards import array_tangent
from gradcli.mathematics.rules import RULES, ArrayRule
from tests.mathematics.rules.cases.array_rules import PROGRAMS
from tests.mathematics.rules.test_scipy_only_special_functions import CASES, OTHERS

pytestmark = pytest.mark.sampled(8)  # many like cases

for module in pkgutil.walk_packages(gradcli.mathematics.rules.__path__, "gradcli.mathematics.rules."):
    importlib.import_module(module.name)
NAMES = sorted(name for name, rule in RULES.items() if isinstance(rule, ArrayRule))
STEP = 1e-3
UNDETERMINED = {"left_vectors", "right_vectors", "beyond_vectors"}  # these refuse to be differentiated
ANY_PHASE = {"eig"}  # LAPACK turns its vectors otherwise than the rule, which leaves it open


def programs():
    yield from EVERYDAY.values()
    yield from PROGRAMS
    for cases in (CASES | OTHERS).values():
        yield from cases


@cache
def recorded():
    """For each array rule the nodes that programs record: of each form of arguments and choices one."""
    found = {name: {} for name in NAMES}
    for program, *points in programs():
        for node in trace(program, *points, names=False).nodes:
            if isinstance(node.rule, ArrayRule):
                form = repr(node.static), str(list(map(np.shape, node.operands))), node.positions, kind(node.value)
                found[node.rule.name].setdefault(form, node)
    return {name: [node for node in forms.values() if np.all(np.isfinite(node.value))] for name, forms in found.items()}


def kind(x):
    """What kind of numbers these are: `c` for complex ones."""
    return np.asarray(x).dtype.kind


def like(x, seed):
    """Repeatable numbers of both signs in the shape and kind of others."""
    rng = np.random.default_rng(seed)
    found = rng.uniform(-1, 1, np.shape(x)) + (1j * rng.uniform(-1, 1, np.shape(x)) if kind(x) == "c" else 0.0)
    return np.asarray(found, dtype=np.asarray(x).dtype)[()]


def tangents_of(node):
    """A direction for each argument that moves, which keeps a triangle a triangle and what is symmetric symmetric."""
    return {n: kept(node.operands[n], like(node.operands[n], 10 + n)) for n in node.positions}


def kept(x, tangent):
    """A direction along which a matrix keeps its form."""
    if np.ndim(x) < 2 or np.shape(x)[-1] != np.shape(x)[-2]:
        return tangent
    if np.array_equal(x, np.conj(np.swapaxes(x, -1, -2))):
        return (tangent + np.conj(np.swapaxes(tangent, -1, -2))) / 2
    is_triangle = np.array_equal(x, np.tril(x)) or np.array_equal(x, np.triu(x))
    return np.where(x == 0, 0.0, tangent) if is_triangle else tangent


def pulled(node, position, ct):
    """The vector-Jacobian product in the shape and type of its argument."""
    arguments = tuple(node.operands)
    return fit(node.rule.vjp(position, ct, node.value, arguments, node.static), arguments[position])


def moved(node, tangents, t):
    arguments = [x + t * tangents[n] if n in tangents else x for n, x in enumerate(node.operands)]
    return np.asarray(node.rule.forward(*arguments, **node.static))


def slope(f):
    """The central difference of fourth order of a function of a number, at 0."""
    near, far = (f(t) - f(-t) for t in (STEP, 2 * STEP))
    return (8 * near - far) / (12 * STEP)


def is_at_kink(node, ct):
    return node.rule.kink is not None and node.rule.kink(ct, node.value, *node.operands, **node.static)


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_says_how_its_result_moves(name):
    rule = RULES[name]
    assert rule.linear or rule.bilinear or rule.diagonal or rule.jvp


@pytest.mark.parametrize("name", sorted({*NAMES} - UNDETERMINED))
def test_tangents(name):
    assert recorded()[name]
    for node in recorded()[name]:
        tangents, ct = tangents_of(node), like(node.value, 1)
        back = {position: pulled(node, position, ct) for position in tangents}
        tangent = array_tangent(node.rule, tangents, node.value, tuple(node.operands), node.static)
        assert np.shape(tangent) == np.shape(node.value)
        precision = np.finfo(np.asarray(node.value).dtype).eps
        if precision < STEP**4 and name not in ANY_PHASE and not is_at_kink(node, ct):
            np.testing.assert_allclose(tangent, slope(partial(moved, node, tangents)), rtol=1e-7, atol=1e-8)
        transposed = sum(np.sum(part * tangents[position]) for position, part in back.items())
        tolerance = 1e6 * precision
        assert np.real(transposed) == pytest.approx(np.real(np.sum(ct * tangent)), rel=tolerance, abs=tolerance)


@pytest.mark.parametrize("name", NAMES)
def test_many_cotangents(name):
    for node in recorded()[name]:
        cts = np.stack([like(node.value, seed) for seed in range(3)])
        for position in node.positions:
            found = node.rule.batched_vjp(position, cts, node.value, tuple(node.operands), node.static)
            for n in range(0 if found is None else 3):
                each = fit(found[n], node.operands[position])
                np.testing.assert_allclose(each, pulled(node, position, cts[n]), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", [name for name in NAMES if RULES[name].written])
def test_the_written_form(name):
    written = eval(f"lambda {RULES[name].written}", {"np": np, "scipy": scipy})
    for node in recorded()[name]:
        found = written(*node.operands, **node.static)
        np.testing.assert_allclose(found, node.value, rtol=1e-14)


@pytest.mark.parametrize("name", [name for name in NAMES if RULES[name].jvp and name not in UNDETERMINED])
def test_tangents_can_be_differentiated(name):
    """A Jacobian-vector product is made of calls that record; the derivative is that of differences."""
    for node in recorded()[name]:
        values = [node.operands[position] * 1.0 for position in node.positions]
        if "c" in map(kind, (*values, node.value)) or is_at_kink(node, like(node.value, 1)):
            continue
        pushed = partial(weighted_tangent, node)
        directions = [kept(x, like(x, 30 + n)) for n, x in enumerate(values)]
        at = lambda t, start=values, along=directions, f=pushed: f(
            *(x + t * d for x, d in zip(start, along, strict=True))
        )
        gradient = grad(pushed, tuple(range(len(values))))(*values)
        found = sum(np.sum(part * along) for part, along in zip(gradient, directions, strict=True))
        assert found == pytest.approx(slope(at), rel=1e-6, abs=1e-6)


def weighted_tangent(node, *values):
    """The sum of the numbers of a tangent, each weighed differently, at other values of the arguments that move."""
    arguments = list(node.operands)
    for position, x in zip(node.positions, values, strict=True):
        arguments[position] = x
    result = node.rule(*arguments, **node.static)
    return np.sum(like(node.value, 5) * node.rule.jvp(tangents_of(node), result, *arguments, **node.static))
