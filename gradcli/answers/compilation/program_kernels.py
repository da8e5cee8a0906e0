"""The derived program of a specialisation, in Python and in C, for each transform."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from gradcli.answers.compilation.c_kernels import CKernel, c_kernel
from gradcli.answers.compilation.compiled_transform import FirstCall
from gradcli.answers.compilation.derived_kernels import Kernel, gradient_program, inlined_if_possible, python_kernel
from gradcli.answers.compilation.directional_kernels import Blocks, along_last, by_columns, directional_program
from gradcli.answers.compilation.edge_cases import COMPARISONS, check_smooth
from gradcli.answers.compilation.products_in_c import ProductInC
from gradcli.answers.derivation.reverse_mode import DerivationTask

Compared = frozenset[type[ast.cmpop]]


class Kernels(NamedTuple):
    """A derived program.

    Attributes:
        text: its source.
        python: its function.
        in_c: builds it in C; raises NotInCError, BuildError or UnsupportedError.
        decides: whether C looks for results that are not ordinary.
    """

    text: str
    python: Kernel
    in_c: Callable[[], CKernel]
    decides: bool


def kernels(first: FirstCall, task: DerivationTask, order: Sequence[int], compared: Compared) -> Kernels:
    """The program of a transform.

    Args:
        first: the first call.
        task: what is derived.
        order: the positions of its inputs in `argnums`.
        compared: the kinds of comparisons that stop at edge cases.

    Raises:
        GradcliError: it cannot be derived.
        UnknownCallError: it calls a function whose edge cases are not known.
    """
    if first.is_gradient:
        program = inlined_if_possible(gradient_program, task)
        inputs = tuple(task.point[name] for name in program.inputs)
        in_c = partial(c_kernel, program, task.point, compared, type(first.result[0]), results=inputs)
        return Kernels(program.text, python_kernel(program, compared), in_c, True)
    of_gradient = first.transform.kind != "jacobian"
    program = inlined_if_possible(partial(directional_program, of_gradient=of_gradient), task)
    if of_gradient:
        check_smooth(program.text)
        compared = COMPARISONS
    product = python_kernel(program, compared, orders_arrays=of_gradient)
    in_parts = partial(ProductInC, program, compared, of_gradient=of_gradient)
    value, derivative = first.result
    if first.transform.kind == "hvp":
        return Kernels(program.text, along_last(product), lambda: in_parts().along_last(derivative), False)
    blocks = Blocks([task.point[name] for name in task.inputs], first.derivatives(order))
    by_column = by_columns(product, blocks, of_gradient=of_gradient)
    return Kernels(program.text, by_column, lambda: in_parts().by_columns(blocks, value), False)
