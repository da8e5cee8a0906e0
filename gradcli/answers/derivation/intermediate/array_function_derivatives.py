"""Derivatives of NumPy's functions of whole arrays, as NumPy calls.

In the texts, `x`, `y` are the operands, `v` is the result, `ct` its sensitivity and `t` the tangent of the operand.
References are given for formulas beyond plain calculus: M. Giles, An extended collection of matrix derivative
results for forward and reverse mode automatic differentiation, 2008.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradcli.answers.derivation.intermediate.operation_derivatives import ByTemplate
from gradcli.answers.derivation.reading.value_kind import ValueKind
from gradcli.answers.derivation.syntax_trees import expression

Keywords = dict[str, ast.expr]
Texts = tuple[tuple[str, ...], tuple[str, ...]]

# The vector-Jacobian products and Jacobian-vector products by name, one per operand.
_PLAIN: dict[str, Texts] = {
    "ravel": (("np.reshape(ct, np.shape(x))",), ("np.ravel(t)",)),
    "flatten": (("np.reshape(ct, np.shape(x))",), ("np.ravel(t)",)),
    "squeeze": (("np.reshape(ct, np.shape(x))",), ("np.squeeze(t)",)),
    "transpose": (("ct.T",), ("t.T",)),
    "outer": (("ct @ y", "x @ ct"), ("np.outer(t, y)", "np.outer(x, t)")),
    "trace": (("ct * np.eye(*np.shape(x))",), ("np.trace(t)",)),
    "copy": (("ct",), ("t",)),
    "array": (("ct",), ("t",)),
    "asarray": (("ct",), ("t",)),
    "tril": (("np.tril(ct)",), ("np.tril(t)",)),
    "triu": (("np.triu(ct)",), ("np.triu(t)",)),
    "flip": (("np.flip(ct)",), ("np.flip(t)",)),
    "inv": (("-(v.T @ ct @ v.T)",), ("-(v @ t @ v)",)),  # Giles 2.2.3
    "det": (("ct * v * np.linalg.inv(x).T",), ("v * np.trace(np.linalg.solve(x, t))",)),  # Giles 2.2.4
}
_PART = "np.divide(x, v, out=np.zeros_like(x), where=x != 0.0)"
_PLAIN |= {
    "full_like": (("", "np.sum(ct)"), ("", "np.full_like(x, t)")),
    "diff": (("-np.diff(ct, prepend=0.0, append=0.0)",), ("np.diff(t)",)),
    "norm": ((f"ct * {_PART}",), (f"np.sum(t * {_PART})",)),
}
# Functions with a further argument, such as a shape or an axis, called `arg` in the texts, or two.
_ALONG: dict[str, Texts] = {
    "cumsum": (("np.cumsum(ct[::-1])[::-1]",), ("np.cumsum(t)",)),
    "reshape": (("np.reshape(ct, np.shape(x))",), ("np.reshape(t, arg)",)),
    "roll": (("np.roll(ct, -arg)",), ("np.roll(t, arg)",)),
    "expand_dims": (("np.reshape(ct, np.shape(x))",), ("np.expand_dims(t, arg)",)),
    "swapaxes": (("np.swapaxes(ct, arg, other)",), ("np.swapaxes(t, arg, other)",)),
    "broadcast_to": (("sum_to(ct, np.shape(x))",), ("np.broadcast_to(t, arg)",)),
}
_DIAGONAL = "np.eye(*np.shape(x)) * (ct if np.shape(x)[0] > np.shape(x)[1] else ct[:, None])"
_BY_RANK: dict[tuple[str, *tuple[int, ...]], Texts] = {
    ("diag", 1): (("np.diag(ct)",), ("np.diag(t)",)),
    ("diag", 2): ((_DIAGONAL,), ("np.diag(t)",)),
    ("diag_of_square", 2): (("np.diag(ct)",), ("np.diag(t)",)),
    ("cholesky", 2): (("cholesky_pull(ct, v)",), ("cholesky_push(t, v)",)),
    ("median", 1): (
        ("median_pull(ct, x)",),
        ("np.mean(t[np.argsort(x, kind='stable')[(len(x) - 1) // 2 : len(x) // 2 + 1]])",),
    ),
    ("matmul", 1, 1): (("ct * y", "ct * x"), ("t @ y", "x @ t")),
    ("matmul", 2, 1): (("np.outer(ct, y)", "x.T @ ct"), ("t @ y", "x @ t")),
    ("matmul", 1, 2): (("y @ ct", "np.outer(x, ct)"), ("t @ y", "x @ t")),
    ("matmul", 2, 2): (("ct @ y.T", "x.T @ ct"), ("t @ y", "x @ t")),
    ("inner", 1, 1): (("ct * y", "ct * x"), ("t @ y", "x @ t")),
    ("inner", 2, 1): (("np.outer(ct, y)", "x.T @ ct"), ("t @ y", "x @ t")),
    ("inner", 1, 2): (("ct @ y", "np.outer(ct, x)"), ("y @ t", "t @ x")),
    ("inner", 2, 2): (("ct @ y", "ct.T @ x"), ("t @ y.T", "x @ t.T")),
    ("vdot", 1, 1): (("ct * y", "ct * x"), ("t @ y", "x @ t")),
    ("solve", 2, 1): (
        ("-np.outer(np.linalg.solve(x.T, ct), v)", "np.linalg.solve(x.T, ct)"),
        ("-np.linalg.solve(x, t @ v)", "np.linalg.solve(x, t)"),
    ),
    ("solve", 2, 2): (
        ("-(np.linalg.solve(x.T, ct) @ v.T)", "np.linalg.solve(x.T, ct)"),
        ("-np.linalg.solve(x, t @ v)", "np.linalg.solve(x, t)"),
    ),
}
# Products of stacks of matrices, by whether each operand is one vector.
_ROWS, _COLUMNS = "np.expand_dims(ct, -1)", "np.expand_dims(ct, -2)"
_OF_STACKS: dict[tuple[bool, bool], tuple[str, str]] = {
    (False, False): ("ct @ np.swapaxes(y, -1, -2)", "np.swapaxes(x, -1, -2) @ ct"),
    (False, True): (f"{_ROWS} * y", f"np.sum(x * {_ROWS}, axis=-2)"),
    (True, False): (f"np.sum(y * {_COLUMNS}, axis=-1)", f"np.expand_dims(x, -1) * {_COLUMNS}"),
}
_SYNONYMS = {"dot": "matmul", "T": "transpose", "amax": "max", "amin": "min"}
_SPREAD = "np.full_like(x, "
_ALONG_AXIS, _LIKE = "np.broadcast_to(", ", np.shape(x))"
REDUCTIONS = frozenset(("sum", "mean", "max", "min"))


def array_function(
    name: str,
    operands: Sequence[ast.expr],
    kinds: Sequence[ValueKind],
    kind: ValueKind,
    keywords: Keywords,
    repeated: Sequence[bool] = (True, True),
) -> ByTemplate | None:
    """The derivatives of a function of whole arrays; None if it has no source form here.

    Args:
        name: the function.
        operands, kinds: its arrays and what comes with them, and their kinds.
        kind: that of the result.
        keywords: the arguments by name.
        repeated: whether each operand of a product of stacks may be broadcast along the axes of the other.
    """
    if name in ("matmul", "dot") and any(kind.rank > 2 for kind in kinds):
        return _product_of_stacks(operands, kinds, kind, repeated) if name == "matmul" and not keywords else None
    name = _SYNONYMS.get(name, name)
    operands, keywords = list(operands), dict(keywords)
    if name in REDUCTIONS and len(operands) == 2:
        keywords.setdefault("axis", operands.pop())
    if name in ("reshape", "roll", "expand_dims", "broadcast_to") and len(operands) >= 2:
        keywords["arg"] = operands[1] if len(operands) == 2 else ast.Tuple(operands[1:], ast.Load())
        del operands[1:]
    if name == "swapaxes" and len(operands) == 3:
        keywords["other"], keywords["arg"] = operands.pop(), operands.pop()
    if name == "transpose" and (axes := _axes(operands, keywords)) is not None:
        keywords = {"axes": expression(repr(axes)), "inverse": expression(repr(tuple(map(axes.index, sorted(axes)))))}
        del operands[1:]
    texts = _texts(name, kinds[: len(operands)], kind, keywords)
    if texts is None or len(texts[0]) != len(operands):
        return None
    kinds = tuple(kinds[: len(operands)])
    return ByTemplate(tuple(operands), kinds, kind, *texts, keywords, _uniform(texts[0][0]))


def _axes(operands: Sequence[ast.expr], keywords: Keywords) -> tuple[int, ...] | None:
    """The order of axes that a transpose is given as numbers; None if it is given none."""
    try:
        axes = ast.literal_eval(keywords.get("axes") or ast.Tuple(list(operands[1:]), ast.Load()))
    except ValueError:  # for other expressions
        return None
    axes = axes[0] if axes and not isinstance(axes[0], int) else axes
    return tuple(axis % len(axes) for axis in axes) if axes else None


def _product_of_stacks(
    operands: Sequence[ast.expr], kinds: Sequence[ValueKind], kind: ValueKind, repeated: Sequence[bool]
) -> ByTemplate:
    texts = _OF_STACKS[kinds[0].rank == 1, kinds[1].rank == 1]
    pulls = tuple(
        f"sum_to({text}, np.shape({x}))" if sums else text for text, x, sums in zip(texts, "xy", repeated, strict=True)
    )
    return ByTemplate(tuple(operands), tuple(kinds), kind, pulls, ("t @ y", "x @ t"))


def _uniform(pull: str) -> str:
    """The number in a pull that gives it to all elements, or what it spreads along an axis; empty for other pulls."""
    if pull.startswith(_ALONG_AXIS) and pull.endswith(_LIKE):
        return pull.removeprefix(_ALONG_AXIS).removesuffix(_LIKE)
    return pull.removeprefix(_SPREAD).removesuffix(")") if pull.startswith(_SPREAD) else ""


def _texts(name: str, kinds: Sequence[ValueKind], kind: ValueKind, keywords: Keywords) -> Texts | None:
    if any(kind.name not in ("array", "number") for kind in kinds):
        return None
    if name in REDUCTIONS:
        return _reduction(name, keywords) if set(keywords) <= {"axis", "keepdims"} else None
    if set(keywords) == {"axes", "inverse"}:
        return ("np.transpose(ct, inverse)",), ("np.transpose(t, axes)",)
    if set(keywords) in ({"arg"}, {"arg", "other"}) or (name == "cumsum" and set(keywords) <= {"axis"}):
        return _ALONG.get(name) if name not in ("cumsum", "roll") or kinds[0].rank == 1 else None
    if keywords and not (name in ("array", "asarray") and set(keywords) == {"dtype"}):
        return None
    if texts := _BY_RANK.get((name, *(kind.rank for kind in kinds))):
        return texts
    if name == "diff" and kinds[0].rank != 1:
        return None
    return _PLAIN.get(name)


def _reduction(name: str, keywords: Keywords) -> Texts | None:
    """Sums, means and extremes along all axes or one axis; equal extremes share the derivative."""
    axis, keeps = keywords.get("axis"), keywords.get("keepdims")
    if isinstance(axis, ast.Constant) and axis.value is None:
        axis = None
    if keeps is not None and not isinstance(keeps, ast.Constant):
        return None
    is_kept = isinstance(keeps, ast.Constant) and bool(keeps.value)
    arguments = ("axis=axis" if axis is not None else "") + (", keepdims=True" if is_kept else "")
    arguments = arguments.lstrip(", ")
    expanded = "{}" if is_kept or axis is None else "np.expand_dims({}, axis)"
    if name in ("sum", "mean"):
        count = "np.size(x)" if axis is None else "np.shape(x)[axis]"
        share = expanded.format("ct") + (f" / {count}" if name == "mean" else "")
        spread = f"{_ALONG_AXIS}{share}{_LIKE}"
        if axis is None and not is_kept:
            spread = f"{_SPREAD}{share})"
        return (spread,), (f"np.{name}({_called('t', arguments)})",)
    chosen = f"(x == {expanded.format('v')})"
    count = f"np.sum({_called(chosen, arguments)}, dtype=x.dtype)"  # a count of integers would widen float32
    inner = f"{expanded.format('ct')} * {chosen} / {expanded.format(count)}"
    return (inner,), (f"np.sum({_called(f't * {chosen}', arguments)}) / {count}",)


def _called(first: str, arguments: str) -> str:
    return f"{first}, {arguments}" if arguments else first


def joined(
    name: str, parts: Sequence[ast.expr], kinds: Sequence[ValueKind], kind: ValueKind, axis: int
) -> ByTemplate | None:
    """`stack`, `concatenate`, `hstack` and `vstack` along an axis, for a list display."""
    count = len(parts)
    names = "xyzuw"[:count]
    if count > len("xyzuw") or any(kind.name != "array" and name != "stack" for kind in kinds):
        return None
    pulls, pushes, start = [], [], "0"
    for n, part in enumerate(names):
        if name == "stack":
            pulls.append(f"ct[{':, ' * axis}{n}]")
        else:
            length = f"np.shape({part})[{axis}]" if axis else f"len({part})"
            end = length if start == "0" else f"{start} + {length}"
            is_last = n + 1 == count
            pulls.append(f"ct[{':, ' * axis}{'' if start == '0' else start}:{'' if is_last else end}]")
            start = end
        zeros = ", ".join("t" if other == part else f"np.zeros_like({other})" for other in names)
        pushes.append(f"np.{name}([{zeros}]{f', axis={axis}' if axis and name in ('concatenate', 'stack') else ''})")
    return ByTemplate(tuple(parts), tuple(kinds), kind, tuple(pulls), tuple(pushes))
