"""The rows of the benchmark: what is measured, the other libraries, and the targets."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import gradcli
from benchmarks import (
    at_prompt,
    compiled,
    cost,
    derived_programs,
    moves,
    nested,
    of_commands,
    on_gpu,
    programs,
    pullbacks,
    sparse,
)
from benchmarks.bounds import AsLong, Bound, Budget, Faster
from benchmarks.elements import POINTS, PROGRAMS
from benchmarks.neighbours import NEIGHBOURS, OURS
from benchmarks.neighbours.with_gradcli import call as gradcli_call
from benchmarks.programs import BOX, FIVE, chain, f4, loop
from benchmarks.row import Effort, Row, merged
from benchmarks.timing import medians, process
from benchmarks.workloads import Workload, fill, logistic, mixture, perceptron, recurrent, rosenbrock
from gradcli import queries

COMMAND = "import sys; sys.argv[1:] = {arguments!r}; from gradcli.terminal.cli import main; sys.exit(main())"


def box(effort: Effort) -> dict[str, float]:
    """Seconds for one gradient of f4."""
    calls = [adapter.scalars(f4, BOX) for adapter in effort.adapters.values()]
    return medians(merged(calls), effort.repeats, effort.slice_s)


def product(effort: Effort) -> dict[str, float]:
    """Seconds per operation in a product of 10,000 scalars."""
    factors = [1.0 + 1e-6 * index for index in range(effort.sized(10_000))]
    calls = [adapter.scalars(programs.product, factors) for adapter in effort.adapters.values()]
    taken = medians(merged(calls), effort.repeats, effort.slice_s)
    return {name: seconds / len(factors) for name, seconds in taken.items()}


def cost_of_compiled(family: str) -> Callable[[Effort], dict[str, float]]:
    """Seconds for one compiled gradient by 10,000 inputs, beside the function."""

    def measure(effort: Effort) -> dict[str, float]:
        f, x = cost.FAMILIES[family], cost.point(family, effort.sized(10_000))
        calls = {OURS: partial(gradcli.grad(f, compile=True), x), FUNCTION: partial(f, x)}
        return medians(calls, effort.repeats, effort.slice_s)

    return measure


def small_array(effort: Effort) -> dict[str, float]:
    """Seconds for the gradient of 500 operations on an array of 5 numbers."""
    calls = [adapter.array(loop(effort.sized(500)), FIVE) for adapter in effort.adapters.values()]
    return medians(merged(calls), effort.repeats, effort.slice_s)


def workload(make: Callable[[int], Workload], size: int) -> Callable[[Effort], dict[str, float]]:
    """A measurement of an array program's gradient, against libraries, hand-written gradients and the function."""

    def measure(effort: Effort) -> dict[str, float]:
        work = make(effort.sized(size))
        function, gradients = work.program(np, *work.data), [work.straight, work.fused]
        by_hand = {name: each(*work.data) for name, each in zip((STRAIGHT, FUSED), gradients, strict=True) if each}
        calls = merged([adapter.workload(work) for adapter in effort.adapters.values()])
        insist(calls[OURS](), by_hand[STRAIGHT](*work.point))
        calls |= {name: lambda each=each: each(*work.point) for name, each in by_hand.items()}
        return medians({**calls, FUNCTION: lambda: function(*work.point)}, effort.repeats, effort.slice_s)

    return measure


STRAIGHT = "the same calls by hand"
FUSED = "a good programmer"
FUNCTION = "the function alone"


def insist(ours: tuple[object, tuple[object, ...]], by_hand: tuple[object, ...]) -> None:
    """Raise if gradcli's gradient differs from the hand-written one."""
    for found, expected in zip((ours[0], *ours[1]), by_hand, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def elements(name: str, kind: str) -> Callable[[Effort], dict[str, float]]:
    """A measurement of the gradient of a program that reads its point number by number, against the plain function."""

    def measure(effort: Effort) -> dict[str, float]:
        make, functions, numbers = PROGRAMS[name]
        program, point = make(functions), POINTS[kind](numbers)
        neighbours = [each for each in effort.adapters.values() if hasattr(each, "elements")]
        calls = merged([gradcli_call(program, point), *(each.elements(make, point) for each in neighbours)])
        return medians({**calls, FUNCTION: lambda: program(point)}, effort.repeats, effort.slice_s)

    return measure


def hessian(effort: Effort) -> dict[str, float]:
    """Seconds for all second derivatives of the valley in 100 dimensions."""
    work = rosenbrock(effort.sized(100))
    calls = [adapter.hessian(work) for adapter in effort.adapters.values() if hasattr(adapter, "hessian")]
    return medians(merged(calls), effort.repeats, effort.slice_s)


def forward(effort: Effort) -> dict[str, float]:
    """Seconds for the value and the tangent of a product of 10,000 scalars that are one number."""
    power = chain(effort.sized(10_000))
    if gradcli.jvp(chain(9), (2.0,), (1.0,)) != (2.0**10, 10 * 2.0**9):
        raise AssertionError("the tenth power has another slope at 2")
    calls = {OURS: lambda: gradcli.jvp(power, (1.0001,), (1.0,))}
    calls[RECORDING] = lambda: gradcli.trace(power, 1.0001, names=False)
    return medians(calls, effort.repeats, effort.slice_s)


def small_rows(effort: Effort) -> dict[str, float]:
    """Seconds for the Jacobian of 300 results by 2 numbers."""
    factors = [1.0 + 1e-3 * n for n in range(effort.sized(300))]

    def lines(x: Any) -> list[Any]:
        return [factor * x[0] + x[1] * x[0] for factor in factors]

    found = [row.tolist() for row in gradcli.jacobian(lines)(np.array(SLOPE_AND_OFFSET))]
    if found != [[factor + SLOPE_AND_OFFSET[1], SLOPE_AND_OFFSET[0]] for factor in factors]:
        raise AssertionError("the lines have other derivatives")
    calls = {OURS: lambda: gradcli.jacobian(lines)(SLOPE_AND_OFFSET)}
    calls[RECORDING] = lambda: gradcli.trace(lines, SLOPE_AND_OFFSET, names=False)
    return medians(calls, effort.repeats, effort.slice_s)


SLOPE_AND_OFFSET = [1.0, 2.0]


def replay(program: programs.Program, size: int, *, array: bool) -> Callable[[Effort], dict[str, float]]:
    """A measurement of a replay at another point, compared with recording the program there."""

    def measure(effort: Effort) -> dict[str, float]:
        numbers = np.linspace(0.1, 0.9, effort.sized(size) * 8)
        here, there = (x.reshape(-1, 8) if array else x.tolist() for x in (numbers, numbers + 0.01))
        trace = gradcli.trace(program, here, names=False)
        if trace.replay(there).value != program(there):
            raise AssertionError("the program is another one at the other point")
        calls = {"replay": lambda: trace.replay(there).value}
        calls[RECORDING] = lambda: gradcli.trace(program, there, names=False).value
        return medians(calls, effort.repeats, effort.slice_s)

    return measure


RECORDING = "recording"


def moved(effort: Effort) -> dict[str, float]:
    """The largest number of 20 moves of 1 % that leave a recorded program, among programs with masks and sorts."""
    return {OURS: max(map(moves.left, moves.programs().values()))}


def written(effort: Effort) -> dict[str, float]:
    """Seconds for value and gradient of f4 by its derived source, compared with the tape."""
    source, eager = gradcli.derive(f4, at=BOX, value=True).function, gradcli.value_and_grad(f4)
    if source(BOX) != eager(BOX):
        raise AssertionError("the source has another gradient")
    return medians({"source": lambda: source(BOX), OURS: lambda: eager(BOX)}, effort.repeats, effort.slice_s)


def memory(effort: Effort) -> dict[str, float]:
    """Bytes per recorded scalar operation until its tape is released."""
    operations = effort.sized(100_000)
    gradcli.trace(chain(2), 1.0, names=False)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        recorded = gradcli.trace(chain(operations), 1.0, names=False)
        kept = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    del recorded
    return {OURS: kept / operations}


def million(effort: Effort) -> dict[str, float]:
    """Seconds per operation in a chain of 1,000,000, whose slope at 1 is the number of factors."""
    operations = effort.sized(1_000_000)
    gradient = gradcli.grad(chain(operations))
    if gradient(1.0) != operations + 1:
        raise AssertionError(f"a product of {operations + 1} factors has another slope at 1")
    return {OURS: medians({OURS: lambda: gradient(1.0)}, 1, effort.slice_s)[OURS] / operations}


def joins(effort: Effort) -> dict[str, float]:
    """Seconds for the gradient through 20,000 joined pieces, by the slowest way to join them, beside their sum."""
    pieces, ones = effort.sized(20_000), np.ones(5)

    def through(join: Callable[[list[Any]], Any]) -> Callable[[Any], Any]:
        return lambda x: np.sum(join([2.0 * x[n % 5] for n in range(pieces)]))

    ways = {ADDED: sum, **JOINS}
    calls = {name: partial(gradcli.grad(through(join)), ones) for name, join in ways.items()}
    for call in calls.values():
        if not np.sum(call()) == 2.0 * pieces:
            raise AssertionError("the sum of the pieces has another derivative")
    taken = medians(calls, min(effort.repeats, 3), effort.slice_s)
    return {OURS: max(taken[name] for name in JOINS), ADDED: taken[ADDED]}


ADDED = "their sum"
JOINS: dict[str, Callable[[list[Any]], Any]] = {
    **{each.__name__: each for each in (np.hstack, np.vstack, np.stack, np.block, np.array)},
    "r_": lambda pieces: np.r_[tuple(pieces)],
}


def growing_pullbacks(effort: Effort) -> dict[str, float]:
    """The number of functions whose gradient grows faster than they do, without a reason that is listed."""
    sizes = [max(pullbacks.SIZES[0], effort.sized(size)) for size in pullbacks.FEW]
    return {OURS: pullbacks.growing("" if effort.scale == 1.0 else "np.sum", sizes)}


def start_help(effort: Effort) -> dict[str, float]:
    """Seconds for `gradcli --help` as a whole process."""
    calls = {"gradcli --help": process(COMMAND.format(arguments=["--help"])), "import click": process("import click")}
    return medians(calls, effort.processes, effort.slice_s)


def start_completion(effort: Effort) -> dict[str, float]:
    """Seconds until a shell has its completions, as a whole process."""
    code = COMMAND.format(arguments=["__complete", "fish", "gradcli", "grad", "examples/h"])
    return medians(
        {"completion": process(code), "import click": process("import click")}, effort.processes, effort.slice_s
    )


def start_grad(effort: Effort) -> dict[str, float]:
    """Seconds for `gradcli grad` as a whole process, compared with the necessary imports."""
    codes = {"gradcli grad": COMMAND.format(arguments=["grad", "examples/hyperbox.py:f4", "--at", "1,2,3,4"])}
    imports = ("numpy, click, rich", *(name for name in NEIGHBOURS if name in effort.adapters))
    codes |= {f"import {names}": f"import {names}" for names in imports}
    return medians({name: process(code) for name, code in codes.items()}, effort.processes, effort.slice_s)


def start_prompt(effort: Effort) -> dict[str, float]:
    """Seconds until the prompt of a session is drawn."""
    return at_prompt.first_prompt(effort.processes, effort.slice_s)


def preview(effort: Effort) -> dict[str, float]:
    """Seconds until the input is previewed."""
    return {OURS: at_prompt.previewed(effort.repeats, effort.slice_s)}


ARRAYS = {"autograd": Faster(1), STRAIGHT: AsLong(1.3), FUNCTION: AsLong(8)}  # the last is Speelpenning's bound
WRITING = {"autograd": Faster(1), FUNCTION: AsLong(8)}
ELEMENTS = {"autograd": Faster(1), "torch": Faster(1), FUNCTION: AsLong(30)}
REPLAYED: dict[str, Any] = {"bounds": {RECORDING: Faster(1)}, "ours": "replay"}
ON_GPU: dict[str, Any] = {
    "bounds": {on_gpu.ON_CPU: Faster(), on_gpu.FUNCTION: AsLong(8), on_gpu.TORCH: Faster(), on_gpu.JAX: Faster()},
    "ours": on_gpu.ON_GPU,
    "why_not": on_gpu.why_not,
}


def times_gradient(limit: float) -> dict[str, Bound]:
    """At most so many times as long as one gradient."""
    return {of_commands.GRADIENT: AsLong(limit)}


ROWS = (
    Row("f4", "one gradient of f4 at four floats", box, Budget(9e-6), {"torch": Faster(7), "autograd": Faster(20)}),
    Row("product", "a product of 10,000 scalars, an operation", product, Budget(1.2e-6), {"torch": Faster(10)}),
    Row("loop", "500 operations on 5 numbers", small_array, Budget(1.4e-3), {"torch": Faster(1.5)}),
    Row("rosenbrock", "Rosenbrock of 1,000,000 numbers", workload(rosenbrock, 1_000_000), Budget(10e-3), ARRAYS),
    Row("perceptron", "a perceptron of two layers, batch 256", workload(perceptron, 256), Budget(2.4e-3), ARRAYS),
    Row("mixture", "a Gaussian mixture, 1000 x 32 x 25", workload(mixture, 1000), Budget(8e-3), ARRAYS),
    Row("logistic", "logistic regression, 100,000 x 100", workload(logistic, 100_000), None, ARRAYS),
    Row("recurrent", "a recurrent cell, 50 steps", workload(recurrent, 50), Budget(2.6e-3), ARRAYS),
    Row("fill", "a trajectory stored in an array, 1000 steps", workload(fill, 1000), None, WRITING),
    *(
        Row(
            f"{name}-{kind}",
            f"{name.replace('-', ' ')}, elements of {'a list' if kind == 'list' else 'an array'}",
            elements(name, kind),
            None,
            ELEMENTS,
        )
        for name in PROGRAMS
        for kind in POINTS
    ),
    Row("hessian", "the Hessian of Rosenbrock of 100 numbers", hessian, None, {"autograd": Faster(5)}),
    Row("forward", "value and tangent of 10,000 scalar operations", forward, None, {RECORDING: AsLong(2)}),
    Row("jacobian-rows", "the Jacobian of 300 results by 2 numbers", small_rows, None, {RECORDING: AsLong(8)}),
    *nested.rows(),
    *sparse.rows(),
    Row("replay-numbers", "1000 numbers at another point", replay(programs.valley, 125, array=False), **REPLAYED),
    Row("replay-arrays", "20 layers at another point", replay(programs.layers, 1, array=True), **REPLAYED),
    Row("replay-both", "numbers and arrays at another point", replay(programs.rows, 100, array=True), **REPLAYED),
    Row("moves", "moves of 1 % that leave the program, of 20", moved, Budget(2, "moves", everywhere=True)),
    Row("source", "f4 and its gradient as source text", written, Budget(0.6e-6), {OURS: Faster(8)}, "source"),
    Row("memory", "what a recorded scalar operation keeps", memory, Budget(300, "bytes", everywhere=True)),
    Row(
        "check-numbers",
        "a check of 20,000 operations on numbers",
        of_commands.checked_numbers,
        None,
        times_gradient(110),
    ),
    Row("check-steps", "a check of a PDE solver by 100 inputs", of_commands.checked_steps, None, times_gradient(500)),
    Row(
        "check-integrator",
        "a check through solve_ivp at tight tolerances",
        of_commands.checked_integrator,
        Budget(3.0),
        times_gradient(12),
        why_not=of_commands.no_scipy,
    ),
    Row("precision", "the digits of a tree of 40 steps", of_commands.precise_tree, None, times_gradient(200)),
    Row(
        "explain-scipy",
        "explain through SciPy",
        of_commands.through_scipy(queries.explain),
        None,
        times_gradient(12),
        why_not=of_commands.no_scipy,
    ),
    Row(
        "precision-scipy",
        "precision through SciPy",
        of_commands.through_scipy(queries.precision),
        None,
        times_gradient(30),
        why_not=of_commands.no_scipy,
    ),
    Row(
        "tape-scipy",
        "tape through SciPy",
        of_commands.through_scipy(queries.tape),
        None,
        times_gradient(6),
        why_not=of_commands.no_scipy,
    ),
    Row(
        "explain-numbers",
        "explain 20,000 operations on numbers",
        of_commands.of_numbers(queries.explain),
        None,
        times_gradient(160),
    ),
    Row("tape-numbers", "their tape", of_commands.of_numbers(queries.tape), None, times_gradient(70)),
    Row("million", "a chain of 1,000,000 operations, an operation", million),
    Row("joins", "20,000 pieces joined, the slowest way", joins, Budget(1.0), {ADDED: AsLong(5)}),
    Row(
        "pullbacks",
        "functions of NumPy's and SciPy's whose gradient grows faster than they do",
        growing_pullbacks,
        Budget(1, "functions", everywhere=True),
        why_not=of_commands.no_scipy,
    ),
    Row(
        "derive-array",
        "Rosenbrock of 1,000,000 numbers, derived and verified",
        of_commands.derived(of_commands.valley, 1_000_000),
        Budget(1.0),
        times_gradient(40),
    ),
    Row(
        "derive-matrices",
        "two matrices of 128 x 128, derived and verified",
        of_commands.derived(of_commands.layers, 128, 128),
        Budget(1.0),
        times_gradient(150),
    ),
    *(
        Row(
            f"cost-{family}",
            f"{f.__doc__[:-1]}: 10,000 inputs, compiled",
            cost_of_compiled(family),
            None,
            {FUNCTION: AsLong(8)},
        )
        for family, f in cost.FAMILIES.items()
    ),
    *compiled.ROWS,
    *derived_programs.ROWS,
    Row("help", "start of gradcli --help", start_help, None, {"import click": AsLong(1.6)}, "gradcli --help"),
    Row(
        "completion", "start of a completion", start_completion, Budget(0.06), {"import click": AsLong(1)}, "completion"
    ),
    Row("grad", "start of gradcli grad", start_grad, None, {"import numpy, click, rich": AsLong(1.2)}, "gradcli grad"),
    Row(
        "prompt",
        f"from gradcli to its prompt, beside {at_prompt.IMPORTS}",
        start_prompt,
        None,
        {at_prompt.ALONE: AsLong(1.5)},
        why_not=at_prompt.why_not,
    ),
    Row(
        "preview",
        "from the last key of f4, typed as a formula, to its partials",
        preview,
        Budget(0.05),
        why_not=at_prompt.why_not,
    ),
)

# Measured by --gpu, at sizes that fill a card.
GPU_ROWS = (
    Row("rosenbrock-gpu", "Rosenbrock of 20,000,000 numbers", on_gpu.measured(rosenbrock, 20_000_000), **ON_GPU),
    Row("perceptron-gpu", "a perceptron of two layers, batch 16,384", on_gpu.measured(perceptron, 16_384), **ON_GPU),
    Row("mixture-gpu", "a Gaussian mixture, 50,000 x 32 x 25", on_gpu.measured(mixture, 50_000), **ON_GPU),
    Row("logistic-gpu", "logistic regression, 1,000,000 x 100", on_gpu.measured(logistic, 1_000_000), **ON_GPU),
    Row("recurrent-gpu", "a recurrent cell, 50 steps", on_gpu.measured(recurrent, 50), **ON_GPU),
    Row(
        "copies-gpu",
        "copies between host and device in a gradient of the perceptron",
        on_gpu.copies(perceptron, 256),
        Budget(1, "copies", everywhere=True),
        ours=on_gpu.ON_GPU,
        why_not=on_gpu.why_not,
    ),
)
