"""What a rule of whole arrays is: its operation, the products with its Jacobian, and what readers ask of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from gradcli.record_base import Frozen


def compiled(definition: str) -> Callable[..., Any]:
    """The function that the definition of a rule stands for."""
    import numpy as np

    from gradcli.rules.lazy_scipy import SCIPY

    function: Callable[..., Any] = eval(f"lambda {definition}", {"np": np, "scipy": SCIPY})
    return function


class ArrayRule(Frozen, eq=False):
    """An operation on whole arrays: what it computes, and products with its Jacobian from both sides, in NumPy calls.

    Args:
        name: the operation's name on the tape.
        definition: the operation as text, like a `lambda` without that word: the arguments and, by keyword, the
            choices, such as an axis, that carry no derivative; a colon; and an expression in these, `np` and `scipy`,
            such as `"x, *, axis: np.cumsum(x, axis=axis)"`.  Or, where no one expression says it, a function
            `forward(*arguments, **static)`, of which `static` are the choices.
        vjps: `vjp(cotangent, v, *arguments, **static)`, one per argument.  A `variadic` rule has a single one, which
            takes `position=` too.
        compute: a function that is called in the place of a definition given as text, to the same result: faster, or
            of other types of arguments too.
        jvp: `jvp(tangents, v, *arguments, **static)`, of the tangents by the position of their argument; linear,
            bilinear and diagonal rules need none.
        batched: `batched(cotangents, v, *arguments, **static)`, one per argument like `vjps`: the products of many
            cotangents, along a first axis of their own, at once.  None for a product that is asked for one by one; and
            where one returns None, it is asked for one by one too.
        linear: linear in all arguments together, so that its tangent is its forward of the tangents; without `reach`,
            of factors that do not cancel, so that its vjp of ones is zero only where nothing was taken.
        bilinear: linear in each of two arguments, so that its tangent is a sum of forwards.
        diagonal: each number of the result depends on those at its place in the arguments alone, by partials that its
            vjps multiply whatever they are given by: tangents and many cotangents at once too.
        selects: hands the numbers of its argument through by choice, so that a vjp of 0 means "not taken".
        moves: each number of the result is one of an argument, moved to its place; or 0, if it is from no argument.
        permutes: puts the axes of its argument in another order, and does no more.
        casts: changes the type of the numbers alone.
        place: the choice, such as `key`, that says which places are read or written.
        sums: the sum, or with `averages` the mean, of the numbers along axes.
        extreme: the largest, or smallest, of the numbers along axes.
        part: a part of each complex number, no larger than the number itself, and linear over the reals.
        reach: `reach(marks, v, *arguments, **static)` for a rule of one argument whose vjp does not say what was taken:
            like its vjp, but for a cotangent of zeros and ones only, and not zero where a number has a part in one that
            is marked.
        variadic: takes any number of arguments.
        in_place: `in_place(buffer, cotangent, **static)` adds the cotangent of a rule that reads a place of its one
            argument to a buffer shaped like that argument, so that reading in a loop stays linear.
        clear: `clear(buffer, **static)`, of a rule that writes its second argument into its first, makes a cotangent in
            place that of the first, which gets nothing where it was overwritten: writing in a loop stays linear too.
        complex: its vector-Jacobian products hold on complex numbers too; those of a linear or bilinear rule always do.
        hermitian: takes its matrix to be Hermitian, where NumPy's function reads one triangle and has another product.
        kink: `kink(cotangent, v, *arguments, **static)`, of plain arrays: whether what is made of the result as the
            cotangent says has no one derivative there; None for nowhere.
    """

    name: str
    definition: str | Callable[..., Any]
    vjps: tuple[Callable[..., Any] | None, ...]
    compute: Callable[..., Any] | None = None
    jvp: Callable[..., Any] | None = None
    batched: tuple[Callable[..., Any] | None, ...] = ()
    linear: bool = False
    bilinear: bool = False
    diagonal: bool = False
    selects: bool = False
    reach: Callable[..., Any] | None = None
    variadic: bool = False
    in_place: Callable[..., None] | None = None
    clear: Callable[..., None] | None = None
    complex: bool = False
    kink: Callable[..., bool] | None = None
    moves: bool = False
    permutes: bool = False
    hermitian: bool = False
    casts: bool = False
    place: str = ""
    sums: bool = False
    averages: bool = False
    extreme: bool = False
    part: bool = False

    # What elementwise rules alone can be.
    adds = keeps_whole = is_sum = is_product = is_quotient = is_power = is_square = is_root = is_logarithm = False
    conditional = piecewise = signed = step = False

    @property
    def written(self) -> str | None:
        """The definition where it is a text; None where it is a function."""
        return self.definition if isinstance(self.definition, str) else None

    @cached_property
    def forward(self) -> Callable[..., Any]:
        """The operation on plain arrays; a text is compiled when it is first asked for."""
        if self.compute is not None:
            return self.compute
        return compiled(self.definition) if isinstance(self.definition, str) else self.definition

    @property
    def reads(self) -> bool:
        """Whether it reads the place `key` of its one argument."""
        return self.in_place is not None

    @property
    def writes(self) -> bool:
        """Whether it writes its second argument to the place `key` of its first."""
        return self.clear is not None

    @property
    def adds_up(self) -> bool:
        """Whether it adds numbers to the places that they are put to."""
        return bool(self.place) and not self.moves

    @property
    def on_complex(self) -> ArrayRule | None:
        """The rule that holds on complex numbers, or None."""
        return self if self.complex or self.linear or self.bilinear else None

    def vjp(self, position: int, cotangent: Any, v: Any, arguments: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """The cotangent of argument `position`, in the shape of that argument or of its broadcast."""
        if self.variadic:
            return self.vjps[0](cotangent, v, *arguments, position=position, **static)  # type: ignore[misc]
        return self.vjps[position](cotangent, v, *arguments, **static)  # type: ignore[misc]

    def batched_vjp(
        self, position: int, cotangents: Any, v: Any, arguments: tuple[Any, ...], static: Mapping[str, Any]
    ) -> Any:
        """The products of many cotangents, along a first axis; None where they are asked for one by one."""
        given = self.vjps if self.diagonal else self.batched
        product = given[0 if self.variadic else position] if given else None
        if product is None:
            return None
        choices = {**static, "position": position} if self.variadic else static
        return product(cotangents, v, *arguments, **choices)

    def __call__(self, *arguments: Any, **static: Any) -> Any:
        """The operation on anything: plain arrays computed, recorded values recorded."""
        for argument in arguments:
            if hasattr(type(argument), "apply_rule"):
                return argument.apply_rule(self, arguments, static)
        return self.forward(*arguments, **static)

    def __repr__(self) -> str:
        return f"<rule {self.name}>"
