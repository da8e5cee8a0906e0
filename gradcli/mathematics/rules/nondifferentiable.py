"""The list of functions with zero derivative by declaration: their results are plain facts, outcomes of the tape."""

from __future__ import annotations

from typing import Any

# Comparisons of numbers and of arrays, as they are written.
SIGNS = {
    **{"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="},
    **{"less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!="},
}

# Functions of the formula language.
WORDS = (
    "floor", "ceil", "round", "trunc", "floordiv",
    "lt", "le", "gt", "ge", "eq", "ne", "logical_and", "logical_or", "logical_not",
)  # fmt: skip

# NumPy's functions and ufuncs, by name.
NUMPY = frozenset({
    "floor", "ceil", "rint", "trunc", "fix", "round", "around", "floor_divide", "signbit", "spacing",
    "less", "less_equal", "greater", "greater_equal", "equal", "not_equal",
    "logical_and", "logical_or", "logical_not", "logical_xor", "isfinite", "isinf", "isnan", "iscomplex", "isreal",
    "iscomplexobj", "isrealobj", "isclose", "allclose", "array_equal", "array_equiv", "all", "any", "count_nonzero",
    "nonzero", "flatnonzero", "argwhere", "argmax", "argmin", "nanargmax", "nanargmin", "argsort", "argpartition",
    "lexsort", "searchsorted", "digitize", "shape", "ndim", "size", "result_type",
    "shares_memory", "may_share_memory", "zeros_like", "ones_like", "empty_like", "can_cast",
    "common_type", "min_scalar_type", "isneginf", "isposinf", "unravel_index", "ravel_multi_index", "array2string",
    "array_repr", "array_str", "linalg.matrix_rank", "isscalar", "isin", "diag_indices_from", "tril_indices_from",
    "triu_indices_from",
    # for integers only, which NumPy checks
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_count", "invert", "left_shift", "right_shift", "gcd", "lcm",
    "isnat",
})  # fmt: skip

# Functions of shape or dtype only, which reveal nothing about the value.
SHAPES = frozenset({
    "shape", "ndim", "size", "result_type", "zeros_like", "ones_like", "empty_like", "iscomplexobj",
    "isrealobj", "can_cast", "common_type", "min_scalar_type", "shares_memory", "may_share_memory", "isscalar",
    "diag_indices_from", "tril_indices_from", "triu_indices_from",
})  # fmt: skip

# Functions that reveal the number of elements.
LENGTHS = frozenset({
    "shape", "size", "zeros_like", "ones_like", "empty_like", "diag_indices_from", "tril_indices_from",
    "triu_indices_from",
})  # fmt: skip

# Functions that write numbers as text: an outcome called `text`, as the program may read them back.
TEXTS = frozenset({"array2string", "array_repr", "array_str"})


class Declared:
    """A function of the formula language whose derivative is zero where it exists."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *arguments: Any) -> Any:
        """The plain result, kept as an outcome if an argument is recorded."""
        for argument in arguments:
            if hasattr(type(argument), "apply_outcome"):
                return argument.apply_outcome(self.name, self.compute, arguments)
        return self.compute(*arguments)

    def compute(self, *arguments: Any) -> Any:
        """The result for plain values: floats by IEEE 754, arrays elementwise."""
        if all(isinstance(argument, (bool, int, float)) and not hasattr(argument, "dtype") for argument in arguments):
            from gradcli.mathematics.language.float_functions import IEEE

            return IEEE[self.name](*arguments)
        import numpy as np

        from gradcli.mathematics.language import numpy_like_functions

        return numpy_like_functions.functions(np)[self.name](*arguments)

    def __repr__(self) -> str:
        return f"<zero by declaration: {self.name}>"
