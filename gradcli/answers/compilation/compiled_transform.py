"""The transforms that are compiled, with their options, and what they return."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from gradcli.errors import UnsupportedError
from gradcli.methods.transforms.argnums import Argnums
from gradcli.methods.transforms.gradients import value_and_grad
from gradcli.methods.transforms.jacobians import hessian, jacobian
from gradcli.methods.transforms.products import hvp
from gradcli.shared.frozen_record import Frozen

Kind = Literal["gradient", "jacobian", "hessian", "hvp"]


class Transform(Frozen):
    """A transform and its options.

    Attributes:
        kind: what it computes; a product `hvp` takes a point and a direction.
        argnums: the arguments to differentiate by.
        has_aux: whether the function returns a pair, whose second element is returned beside the derivative.
        with_value: whether the value is returned too.
        sparse: whether a Jacobian or Hessian consists of sparse arrays.
    """

    kind: Kind
    argnums: Argnums = 0
    has_aux: bool = False
    with_value: bool = False
    sparse: bool = False

    def eager(self, f: Callable[..., Any]) -> Callable[..., tuple[Any, Any]]:
        """The recorded transform of a function: returns the value and the derivative; None for no value."""
        if self.kind == "gradient":
            return value_and_grad(f, self.argnums, self.has_aux)
        if self.kind == "jacobian":
            return jacobian(f, self.argnums, self.has_aux, with_value=True, sparse=self.sparse)
        second = hvp(f) if self.kind == "hvp" else hessian(f, self.argnums, sparse=self.sparse)
        return lambda *arguments, **options: (None, second(*arguments, **options))

    def point(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments of the function among those of the transform."""
        return arguments[:-1] if self.kind == "hvp" else arguments

    def returned(self, result: tuple[Any, Any]) -> Any:
        """What the transform returns, from the value and the derivative."""
        if self.with_value:
            return result
        return (result[1], result[0][1]) if self.has_aux else result[1]


class FirstCall(Frozen, eq=False):
    """The eager call that a specialisation is derived after.

    Attributes:
        function: the user's function.
        transform: the transform.
        arguments: those of the call, which a program without effects leaves as they are.
        places: the positions of those that it is differentiated by.
        result: the value and the derivative.
        seconds: the time of the call.
    """

    function: Callable[..., Any]
    transform: Transform
    arguments: tuple[Any, ...]
    places: Sequence[int]
    result: tuple[Any, Any]
    seconds: float = math.inf

    @property
    def point(self) -> tuple[Any, ...]:
        """The arguments of the function: all but the direction of a product."""
        return self.transform.point(self.arguments)

    @property
    def is_tuple(self) -> bool:
        """Whether there is a derivative for each of several inputs."""
        return isinstance(self.transform.argnums, tuple)

    def derivatives(self, order: Sequence[int]) -> list[Any]:
        """The derivative by each input, in the order of the inputs.

        Raises:
            UnsupportedError: that is not the order of a Hessian's rows.
        """
        if not self.is_tuple:
            return [self.result[1]]
        if self.transform.kind == "hessian" and [*order] != sorted(order):
            raise UnsupportedError("the arguments of a Hessian in another order than that of the parameters")
        return [self.result[1][[*order].index(n)] for n in range(len(order))]

    @property
    def is_gradient(self) -> bool:
        """Whether the derivative is that of one number, so that it is computed in reverse mode."""
        transform, value = self.transform, self.result[0]
        is_of_number = transform.kind == "jacobian" and isinstance(value, (float, np.floating))
        return transform.kind == "gradient" or (is_of_number and not transform.sparse)
