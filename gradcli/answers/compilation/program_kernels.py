"""The derived program of a specialisation, in Python and in C, for each transform."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from gradcli.answers.compilation.c_kernels import CKernel, NotInCError, c_kernel
from gradcli.answers.compilation.compiled_transform import FirstCall
from gradcli.answers.compilation.derived_kernels import Kernel, gradient_program, inlined_if_possible, python_kernel
from gradcli.answers.compilation.directional_kernels import Blocks, along_last, by_columns, directional_program
from gradcli.answers.compilation.edge_cases import COMPARISONS, check_smooth
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
        in_c = partial(c_kernel, program, task.point, compared, type(first.result[0]))
        return Kernels(program.text, python_kernel(program, compared), in_c, True)
    of_gradient = first.transform.kind != "jacobian"
    program = inlined_if_possible(partial(directional_program, of_gradient=of_gradient), task)
    if of_gradient:
        check_smooth(program.text)
        compared = COMPARISONS
    product = python_kernel(program, compared, orders_arrays=of_gradient)
    if first.transform.kind == "hvp":
        return Kernels(program.text, along_last(product), _not_in_c, False)
    examples = first.derivatives(order)
    blocks = Blocks([task.point[name] for name in task.inputs], examples)
    return Kernels(program.text, by_columns(product, blocks, of_gradient=of_gradient), _not_in_c, False)


def _not_in_c() -> CKernel:
    raise NotInCError("it is a product along a direction")
