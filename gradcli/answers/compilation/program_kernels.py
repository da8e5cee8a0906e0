"""The derived program of a specialisation, in Python and in C, for each transform."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from gradcli.answers.compilation.c_kernels import CKernel, c_kernel
from gradcli.answers.compilation.compiled_transform import FirstCall
from gradcli.answers.compilation.derived_kernels import Kernel, gradient_program, inlined_if_possible, python_kernel
from gradcli.answers.compilation.directional_kernels import Blocks, along_last, by_columns, directional_program
from gradcli.answers.compilation.edge_cases import COMPARISONS, check_one_path, check_smooth
from gradcli.answers.compilation.products_in_c import ProductInC
from gradcli.answers.compilation.sparse_blocks import SparseBlocks, along_rows, weighted
from gradcli.answers.derivation.reverse_mode import DerivationTask

Compared = frozenset[type[ast.cmpop]]


class Kernels(NamedTuple):
    """A derived program.

    Attributes:
        text: its source.
        python: its function.
        in_c: builds it in C; raises BuildError or UnsupportedError.
        decides: whether C looks for results that are not ordinary.
        blocks: makes the sparse arrays of a sparse derivative; None for others.
    """

    text: str
    python: Kernel
    in_c: Callable[[], CKernel]
    decides: bool
    blocks: SparseBlocks | None = None


def kernels(first: FirstCall, task: DerivationTask, order: Sequence[int], compared: Compared) -> Kernels:
    """The program of a transform.

    Args:
        first: the first call.
        task: what is derived.
        order: the positions of its inputs in `argnums`.
        compared: the kinds of comparisons that stop at edge cases.

    Raises:
        GradcliError: it cannot be derived.
        UnsupportedError: it calls a function whose edge cases are not known.
    """
    if first.is_gradient:
        program = inlined_if_possible(gradient_program, task)
        inputs = tuple(task.point[name] for name in program.inputs)
        in_c = partial(c_kernel, program, task.point, compared, type(first.result[0]), results=inputs)
        return Kernels(program.text, python_kernel(program, compared), in_c, True)
    of_gradient = first.transform.kind != "jacobian"
    sparse = _sparse_blocks(first, task, order) if first.transform.sparse else None
    if sparse is not None and sparse.are_of_rows:
        return _by_rows(first, task, compared, sparse)
    program = inlined_if_possible(partial(directional_program, of_gradient=of_gradient), task)
    if sparse is not None:
        check_one_path(program.text)
    if of_gradient:
        check_smooth(program.text)
        compared = COMPARISONS
    product = python_kernel(program, compared, orders_arrays=of_gradient)
    in_parts = partial(ProductInC, program, compared, of_gradient=of_gradient)
    value, derivative = first.result
    if first.transform.kind == "hvp":
        return Kernels(program.text, along_last(product), lambda: in_parts().along_last(derivative), False)
    blocks = sparse or Blocks([task.point[name] for name in task.inputs], first.derivatives(order))
    by_column = by_columns(product, blocks, of_gradient=of_gradient)
    return Kernels(program.text, by_column, lambda: in_parts().by_columns(blocks, value), False, sparse)


def _sparse_blocks(first: FirstCall, task: DerivationTask, order: Sequence[int]) -> SparseBlocks:
    """What makes the sparse arrays of a transform: of products along the rows only if the value is one array."""
    value = first.result[0]
    is_one = isinstance(value, (float, np.floating, np.ndarray))
    return SparseBlocks([task.point[name] for name in task.inputs], value if is_one else None, first.derivatives(order))


def _by_rows(first: FirstCall, task: DerivationTask, compared: Compared, blocks: SparseBlocks) -> Kernels:
    """The program of a Jacobian whose rows have fewer colours than its columns."""
    task, value = weighted(task, first.result[0]), task.function
    program = inlined_if_possible(gradient_program, task)
    check_one_path(program.text)
    inputs = tuple(task.point[name] for name in program.inputs)

    def in_c() -> CKernel:
        built = c_kernel(program, task.point, compared, float, results=inputs)
        return built._replace(kernel=along_rows(built.kernel, value, blocks), at_rows=None, method=None)

    return Kernels(program.text, along_rows(python_kernel(program, compared), value, blocks), in_c, False, blocks)
