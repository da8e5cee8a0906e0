"""OpenMDAO: explicit and implicit components, judged by the partials that they declare and compute."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import openmdao.api as om

from gradcli.methods.adapters.adapted_object import (
    SUMMED,
    AdaptedObject,
    BroughtDerivative,
    of_plain_numbers,
    weights,
    with_parameters,
)
from gradcli.shared.ignored_warnings import ignored_warnings


def adapted(thing: Any) -> AdaptedObject | None:
    """A component, or a class of components without required options, and its partials; None for anything else.

    The value is the sum of an explicit component's outputs, or of an implicit component's residuals, for which its
    outputs are inputs too. Each is divided by the size of its partials where it is first computed, so that no wrong
    partial hides behind larger ones. Declared sparsity and constant partials are judged with the computed ones. The
    component is set up in a problem of its own.
    """
    kinds = (om.ExplicitComponent, om.ImplicitComponent)
    if isinstance(thing, type) and issubclass(thing, kinds):
        component = _Component(thing)
    elif isinstance(thing, kinds):
        component = _Component(partial(copy.deepcopy, thing))
    else:
        return None
    names = [re.sub(r"\W", "_", name) for name in component.inputs]
    derivatives = {"gradient": BroughtDerivative("partials", with_parameters(component.gradient, names))}
    value = with_parameters(of_plain_numbers("OpenMDAO", component.value), names)
    source = type(component.component).apply_nonlinear if component.is_implicit else type(component.component).compute
    note = f"it is a component of OpenMDAO, whose partials are checked; {SUMMED}"
    return AdaptedObject(value, derivatives, source, note)


class _Component:
    """A component in a problem of its own, as functions of its inputs.

    Args:
        make: returns a new component.

    Attributes:
        inputs: the names of its inputs; of an implicit component those of its outputs as well.
        outputs: the names of its outputs.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._sizes: Any = None
        self._set_up()
        self.is_implicit = isinstance(self.component, om.ImplicitComponent)
        self.outputs = [meta["prom_name"] for _, meta in self.component.list_outputs(out_stream=None, prom_name=True)]
        inputs = [meta["prom_name"] for _, meta in self.component.list_inputs(out_stream=None, prom_name=True)]
        self.inputs = [*inputs, *(self.outputs if self.is_implicit else ())]

    def _set_up(self) -> None:
        self.component = self._make()
        self.problem = om.Problem(reports=False)
        self.problem.model.add_subsystem("component", self.component, promotes=["*"])
        self.problem.setup()
        self.problem.final_setup()

    def value(self, *inputs: Any) -> float:
        """The weighted sum of the outputs, or of the residuals of an implicit component."""
        numbers = self._results(inputs)
        return float(self._weights(inputs, numbers.size) @ numbers)

    def gradient(self, *inputs: Any) -> Any:
        """The gradient of the sum by the computed partials, in the shapes of the inputs."""
        matrix = self._matrix(inputs)
        ends = np.cumsum([np.size(x) for x in inputs])[:-1]
        slopes = np.split(self._weights(inputs, len(matrix)) @ matrix, ends)
        by_input = [np.reshape(slope, np.shape(x)) for slope, x in zip(slopes, inputs, strict=True)]
        return by_input[0] if len(by_input) == 1 else tuple(by_input)

    def _weights(self, inputs: tuple[Any, ...], count: int) -> Any:
        """The weights of the outputs, relative to the changes that their partials give for changes like the inputs."""
        if self._sizes is None:
            steps = np.abs(np.concatenate([np.ravel(x) for x in inputs]))
            sizes = np.abs(self._matrix(inputs)) @ np.where(steps > 0, steps, 1.0)
            self._sizes = np.where(np.isfinite(sizes) & (sizes > 0), sizes, 1.0)
        return weights(count) / self._sizes

    def _matrix(self, inputs: tuple[Any, ...]) -> Any:
        """The computed partials, with a row for each number of the outputs and a column for each of the inputs."""
        self._set_up()  # `check_partials` leaves its differences in place of constant partials
        self._results(inputs)
        with ignored_warnings(om.OpenMDAOWarning):  # such as of derivatives that are zero
            partials = self.problem.check_partials(out_stream=None, method="fd")["component"]
        matrix = np.block([[self._part(of, by, partials) for by in self.inputs] for of in self.outputs])
        self._set_up()
        return matrix

    def _results(self, inputs: tuple[Any, ...]) -> Any:
        for name, x in zip(self.inputs, inputs, strict=True):
            self.problem.set_val(name, x)
        if not self.is_implicit:
            self.problem.run_model()
            return np.concatenate([np.ravel(self.problem.get_val(name)) for name in self.outputs])
        self.problem.model.run_apply_nonlinear()
        rows = self.component.list_outputs(out_stream=None, residuals=True)
        return np.concatenate([np.ravel(meta["resids"]) for _, meta in rows])

    def _part(self, of: str, by: str, partials: Any) -> Any:
        """The partials of one output by one input; those that are not declared are zero."""
        shape = np.size(self.problem.get_val(of)), np.size(self.problem.get_val(by))
        return partials[of, by]["J_fwd"] if (of, by) in partials else np.zeros(shape)
