"""What a module of GradBench consists of: functions with their inputs and outputs in JSON."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import gradcli

Json = Any


@dataclass(frozen=True)
class Transforms:
    """gradcli's transforms, recorded at each call or compiled."""

    is_compiled: bool

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """A transform of the library, such as `grad`."""
        return functools.partial(getattr(gradcli, name), compile=self.is_compiled)


def unchanged(result: Any) -> Json:
    """A result that is JSON."""
    return result


@dataclass(frozen=True)
class Evaluation:
    """A function of a module.

    Attributes:
        arguments: the arguments of the function from the input.
        made: makes the function that is timed, by some transforms.
        output: the output from the result.
    """

    arguments: Callable[[Json], tuple[Any, ...]]
    made: Callable[[Transforms], Callable[..., Any]]
    output: Callable[[Any], Json] = unchanged


Module = Mapping[str, Evaluation]


def plain(function: Callable[..., Any]) -> Callable[[Transforms], Callable[..., Any]]:
    """The function itself, whatever the transforms."""
    return lambda transforms: function


def gradient(function: Callable[..., Any], argnums: Any = 0) -> Callable[[Transforms], Callable[..., Any]]:
    """The gradient of a function."""
    return lambda transforms: transforms.grad(function, argnums)


def listed(array: Any) -> Json:
    """An array as nested lists."""
    return array.tolist()
