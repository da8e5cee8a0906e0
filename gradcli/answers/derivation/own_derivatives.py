"""The pair of functions, in a derived file, of a function with a derivative of its own: they call that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gradcli.answers.derivation.file_text import Part, body_of, list_text
from gradcli.answers.derivation.reading.function_source import UserFunction
from gradcli.answers.derivation.reading.value_kind import ValueKind
from gradcli.answers.derivation.refusals import refusal_at
from gradcli.errors import UnsupportedError
from gradcli.methods.transforms.custom_functions import CustomJvp, CustomVjp

Kinds = Mapping[str, ValueKind]
Statements = tuple[list[str], list[str]]


def refusal(user: UserFunction, hint: str) -> UnsupportedError:
    """The error for a function whose own derivative cannot be called."""
    return refusal_at(user.file, user.tree, f"the derivative of {user.name}, which is its own", hint, runs=False)


def own_pair(name: str, user: UserFunction, kinds: Kinds, wanted: Sequence[str]) -> Iterator[Part]:
    """Yield the forward and the reverse function of a function with a derivative of its own.

    Args:
        name: its name in the file.
        user: the function.
        kinds: the kinds of its parameters, and of what it returns by "return".
        wanted: the parameters whose sensitivities are returned.

    Raises:
        UnsupportedError: it has a `custom_jvp` and takes or returns lists or dicts.
    """
    if isinstance(user.callee, CustomVjp):
        forward, backward = _by_cotangents(name, user, user.callee, wanted)
    else:
        forward, backward = _by_tangents(name, user, kinds, wanted)
    docstring = [f"The value of {user.name}, and what backward_{name} needs of its run."]
    yield Part(f"forward_{name}", user, ", ".join(user.parameters), docstring, body_of(forward))
    docstring = [f"The sensitivities to {list_text(wanted)}, by the derivative that {user.name} has."]
    yield Part(f"backward_{name}", user, "kept, ct", docstring, body_of(backward))


def _by_cotangents(name: str, user: UserFunction, custom: CustomVjp, wanted: Sequence[str]) -> Statements:
    """The statements of both functions, which call `fwd` and `bwd`."""
    user.namespace[f"fwd_{name}"], user.namespace[f"bwd_{name}"] = custom.derivative
    fixed, free = custom.parted(user.parameters)
    before = "".join(f"{parameter}, " for parameter in fixed)
    sensitivities = {parameter: f"cts[{n}]" for n, parameter in enumerate(free)}
    forward = [f"value, kept = fwd_{name}({', '.join(user.parameters)})", f"return value, ({before}kept)"]
    backward = [f"{before}kept = kept"] if fixed else []
    return forward, [
        *backward,
        f"cts = bwd_{name}({before}kept, ct)",
        f"return {', '.join(sensitivities.get(parameter, f'0.0 * {parameter}') for parameter in wanted)}",
    ]


def _by_tangents(name: str, user: UserFunction, kinds: Kinds, wanted: Sequence[str]) -> Statements:
    """The statements of both functions. The reverse one transposes the tangent: it computes it along each number."""
    user.namespace[name] = user.callee
    given = ", ".join(user.parameters)
    if not {kinds[name].name for name in (*wanted, "return")} <= {"number", "array"}:
        raise refusal(user, "Reverse mode calls that of a function from numbers and arrays to one of them.")
    backward = [f"value, {given} = kept"]
    for parameter in wanted:
        slope = _slope(name, user, parameter)
        if slope is None:
            backward.append(f"s_{parameter} = 0.0 * {parameter}")
        elif kinds[parameter].name == "number":
            backward += ["unit = 1.0", f"s_{parameter} = np.sum(ct * {slope})"]
        else:
            backward += [
                f"s_{parameter} = np.zeros_like({parameter})",
                f"for n in np.ndindex({parameter}.shape):",
                f"    unit = np.zeros_like({parameter})",
                "    unit[n] = 1.0",
                f"    s_{parameter}[n] = np.sum(ct * {slope})",
            ]
    forward = [f"value = {name}({given})", f"return value, (value, {given})"]
    return forward, [*backward, f"return {', '.join(f's_{parameter}' for parameter in wanted)}"]


def _slope(name: str, user: UserFunction, parameter: str) -> str | None:
    """The tangent of the value along `unit` of one parameter; None if it is zero."""
    custom = user.callee
    assert isinstance(custom, CustomJvp)
    fixed, free = custom.parted(user.parameters)
    if parameter not in free:
        return None
    if custom.jvps is None:
        user.namespace[f"jvp_{name}"] = custom.derivative
        primals = "".join(f"{other}, " for other in free).rstrip()
        tangents = "".join("unit, " if other == parameter else f"0 * {other}, " for other in free).rstrip()
        return f"jvp_{name}({', '.join([*fixed, f'({primals})', f'({tangents})'])})[1]"
    if (own := custom.jvps[free.index(parameter)]) is None:
        return None
    user.namespace[f"jvp_{name}_{parameter}"] = own
    return f"jvp_{name}_{parameter}(unit, value, {', '.join(free)})"
