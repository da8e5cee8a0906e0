"""Values of a point converted to the parameters' declared types, dataclasses or named tuples."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gradcli.answers.targets.point_lexer import Atom
from gradcli.answers.targets.point_values import Path, component, structure
from gradcli.answers.targets.python_files import user_code
from gradcli.answers.targets.target import Target
from gradcli.errors import PointError
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import did_you_mean, list_text, quoted


def value_of(given: Any, path: Path, annotation: Any, typed: bool = True) -> Any:
    """Convert a value of a point, or a part of one, to its declared type `annotation`, or to a structure for None.

    Raises:
        PointError: the fields do not match those of the declared class, or `structure` refuses the value.
        UserCodeError: the constructor raises.
    """
    kind = declared(annotation)
    if kind is not None and not isinstance(given, kind):
        return _object(given, path, kind, typed)
    inner = _inner(annotation)
    if inner is not None and isinstance(given, list):
        return [value_of(item, (*path, place), inner, typed) for place, item in enumerate(given)]
    if inner is not None and isinstance(given, Mapping):
        return {key: value_of(item, (*path, str(key)), inner, typed) for key, item in given.items()}
    if annotation in (str, bool) and isinstance(given, (Atom, str, bool)):
        return _word(given, annotation)
    return structure(given, path, typed)


def declared(annotation: Any) -> type | None:
    """The dataclass or named tuple in an annotation `P` or `P | None`, or None if there is none."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        kinds = [kind for kind in map(declared, typing.get_args(annotation)) if kind]
        return kinds[0] if len(kinds) == 1 else None
    is_class = isinstance(annotation, type)
    return (
        annotation
        if is_class and (hasattr(annotation, "__dataclass_fields__") or _is_named_tuple(annotation))
        else None
    )


def takes_fields(target: Target, names: Iterable[str]) -> bool:
    """Whether the names are fields of the single object that the target needs, rather than its parameters."""
    needed = [parameter for parameter in target.parameters if parameter.required] or target.parameters[:1]
    if len(needed) != 1 or needed[0].kind != "positional" or not declared(needed[0].annotation):
        return False
    return set(names).isdisjoint(target.names)


def spelling(annotation: Any) -> str | None:
    """The text of an object of the declared class, with 1, 2, 3 as its numbers; None if no class is declared."""
    kind = declared(annotation)
    if kind is None:
        return None
    fields = _fields(kind)
    entries = (
        f'"{name}": {spelling(fields[name].annotation) or number}'
        for number, name in enumerate((name for name in fields if fields[name].required), 1)
    )
    return "{" + ", ".join(entries) + "}"


class _Field(Frozen):
    required: bool
    annotation: Any


def _fields(kind: type) -> dict[str, _Field]:
    """The fields of the class, in order."""
    import dataclasses

    try:
        hints = typing.get_type_hints(kind)
    except Exception:  # a name may exist only for the type checker
        hints = {}
    if _is_named_tuple(kind):
        defaults = getattr(kind, "_field_defaults", {})
        return {name: _Field(name not in defaults, hints.get(name)) for name in kind._fields}  # type: ignore[attr-defined]
    return {
        field.name: _Field(
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING, hints.get(field.name)
        )
        for field in dataclasses.fields(kind)
        if field.init
    }


def _object(given: Any, path: Path, kind: type, typed: bool) -> Any:
    """Make an object of the class from a dictionary, or from a list if the class is a named tuple."""
    fields = _fields(kind)
    if isinstance(given, (list, tuple)) and _is_named_tuple(kind) and len(given) <= len(fields):
        given = dict(zip(fields, given, strict=False))
    if not isinstance(given, Mapping):
        what = "an array or list" if isinstance(given, (list, tuple)) or hasattr(given, "shape") else "not an object"
        raise PointError(
            f"The value of {component(path)} is {what}; {kind.__name__} needs its fields by name.",
            hint=f"Type {path[0]}={spelling(kind)}." if len(path) == 1 else f"Type {spelling(kind)} there.",
        )
    _check_fields(given, path, kind, fields)
    values = {name: value_of(given[name], (*path, name), fields[name].annotation, typed) for name in given}
    return _made(kind, values)


def _made(kind: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    with user_code(f"while {getattr(kind, '__name__', 'the object')} of the point is made"):
        return kind(**values)


def _check_fields(given: Mapping[Any, Any], path: Path, kind: type, fields: Mapping[str, _Field]) -> None:
    """Refuse unknown fields, and required fields without a value."""
    has = f"{kind.__name__} has {list_text(list(fields)) or 'no fields'}."
    for name in given:
        if name not in fields:
            near = did_you_mean(str(name), fields)
            raise PointError(
                f"{component(path)} is a {kind.__name__}, which has no field {quoted(str(name))}.",
                hint=f"{near} {has}" if near else has,
            )
    if missing := [name for name, field in fields.items() if field.required and name not in given]:
        hint = f"Type {path[0]}={spelling(kind)}." if len(path) == 1 else has
        raise PointError(
            f"The point gives no value for {list_text([f'{component(path)}.{x}' for x in missing])}.", hint=hint
        )


def _inner(annotation: Any) -> Any:
    """The declared item type of a list, tuple or dictionary if it is, or contains, a class; else None."""
    arguments = typing.get_args(annotation)
    held = arguments[-1] if arguments and arguments[-1] is not ... else arguments[0] if arguments else None
    is_container = isinstance(typing.get_origin(annotation), type)
    return held if is_container and held is not None and (declared(held) or _inner(held)) else None


def _word(given: Any, annotation: type) -> Any:
    """A string or truth value in an object; it carries no derivative."""
    if not isinstance(given, Atom):
        return given
    text = given[1:-1] if given[:1] in "\"'" else str(given)
    return text if annotation is str else {"true": True, "false": False}.get(text.lower(), text)


def _is_named_tuple(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields")
