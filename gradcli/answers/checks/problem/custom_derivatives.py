"""The derivatives that users define for functions of their own, in a check: each is judged where it is first used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.answers.checks import recorded_rules_check
from gradcli.answers.targets import Target
from gradcli.answers.targets.functions import function_target, place_of
from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.traces.trace import record_trace
from gradcli.errors import GradcliError
from gradcli.methods.adapters.adapted_object import with_parameters
from gradcli.methods.numerics.coordinates import copied
from gradcli.methods.numerics.deadline import Deadline
from gradcli.methods.transforms.argnums import Argnums
from gradcli.methods.transforms.custom_functions import Calls, CustomFunction, CustomVjp
from gradcli.methods.transforms.gradients import grad
from gradcli.methods.transforms.jacobians import hessian, jacobian
from gradcli.methods.transforms.products import jvp
from gradcli.shared.findings import finding
from gradcli.shared.pytree import leaves, leaves_like, record_value
from gradcli.shared.records.result_and_finding import Finding

Function = Callable[..., Any]

SAME = 1e-9  # relative difference of values that are computed in two ways


def own_derivative(target: Target, names: Sequence[str], of: str) -> Target:
    """The derivative of a target by gradcli, with the users' own ones in it."""
    name = f"gradcli.{'grad' if of == 'gradient' else of}({target.name})"
    argnums = tuple(range(len(names))) if names[1:] else 0
    function = TRANSFORMS[of](target.with_inputs(names).function, argnums)
    if of == "hvp":
        function = with_parameters(function, [*names, *(f"v_{name}" for name in names)])
    derivative = function_target(name, name, function)
    return derivative.changed(file=target.file, line=target.line)


def _products(f: Function, argnums: Argnums) -> Function:
    """The product of the Hessian with a vector, as a function of the inputs followed by a vector for each."""

    def product(*given: Any) -> Any:
        count = len(given) // 2
        return jvp(grad(f, argnums), given[:count], given[count:])[1]

    return product


TRANSFORMS = {"gradient": grad, "jacobian": jacobian, "hessian": hessian, "hvp": _products}


def custom_findings(calls: Calls) -> Iterator[Finding]:
    """Yield a finding for each function whose derivative is not that of its own values.

    Args:
        calls: the functions, with the arguments at which they were called.
    """
    for custom, arguments in calls.items():
        if mistake := _mistake(custom, arguments):
            file, line = place_of(custom.function)
            yield finding(
                "G313", f"the derivative given for {custom.__name__} is wrong: {mistake}", file=file, line=line
            )


def _value_mismatch(custom: CustomFunction, arguments: tuple[Any, ...], value: Any) -> str:
    """The values of the function and of its rule, if they differ beyond rounding; else empty."""
    own = custom.function(*copied(arguments))
    numbers = leaves_like(value, own)
    if numbers is not None and all(
        np.shape(a) == np.shape(b) and np.allclose(a, b, SAME, 0.0, equal_nan=True)
        for a, b in zip(leaves(value), numbers, strict=True)
    ):
        return ""
    return f"its value is {record_value(value)}, where the function gives {record_value(own)}"


def _mistake(custom: CustomFunction, arguments: tuple[Any, ...]) -> str:
    """What is wrong with the rule of a function at some arguments, in words; empty if nothing is."""
    try:
        with quiet():
            run = record_trace(custom, arguments, names=False)
            if other := _value_mismatch(custom, arguments, run.value):
                return other
            if isinstance(custom, CustomVjp) and not custom.is_linear_at(arguments):
                return "it is not linear in its cotangents"
            wrong = next(recorded_rules_check.wrong_rules(run, Deadline()), None)
    except GradcliError:  # the check itself tells what it is
        return ""
    return wrong.difference if wrong else ""
