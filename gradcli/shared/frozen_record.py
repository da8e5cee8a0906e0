"""Frozen records, like `dataclass(frozen=True)` without the code that it generates for each class.

Generating that code takes half a millisecond per class at every start, longer than importing most modules of gradcli.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Never, Self, dataclass_transform


def deferred(function: Callable[..., Any], *arguments: Any) -> Any:
    """A value for a field that its class lists in `on_demand`: `function(*arguments)`, when the field is first read."""
    return partial(function, *arguments)


def _on_demand(name: str) -> property:
    def value(record: Frozen) -> Any:
        state = record.__dict__
        if type(state[name]) is partial:
            state[name] = state[name]()
        return state[name]

    return property(value)


@dataclass_transform(frozen_default=True)
class Frozen:
    """The base class of records. Fields are the class annotations, in order; defaults are the class attributes.

    Records are equal if their classes and all their fields are equal, and hashable if their fields are. With `eq=False`
    a record equals only itself. The fields in `on_demand` take `deferred` values.
    """

    _fields: ClassVar[tuple[str, ...]] = ()
    _field_names: ClassVar[frozenset[str]] = frozenset()
    _defaults: ClassVar[dict[str, Any]] = {}
    _on_demand: ClassVar[tuple[str, ...]] = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, *, eq: bool = True, on_demand: tuple[str, ...] = ()) -> None:
        super().__init_subclass__()
        if not eq:
            cls.__eq__, cls.__hash__ = object.__eq__, object.__hash__  # type: ignore[method-assign]
        own = [name for name, kind in cls.__annotations__.items() if not str(kind).startswith("ClassVar")]
        cls._fields = (*cls._fields, *(name for name in own if name not in cls._fields))
        cls._field_names = frozenset(cls._fields)
        cls.__match_args__ = cls._fields  # type: ignore[misc]
        cls._defaults = {**cls._defaults, **{name: vars(cls)[name] for name in own if name in vars(cls)}}
        cls._on_demand = (*cls._on_demand, *on_demand)
        for name in on_demand:
            setattr(cls, name, _on_demand(name))

    def __init__(self, *values: Any, **named: Any) -> None:
        fields, count = self._fields, len(values)
        state = self.__dict__
        if count == len(fields) and not named:
            state.update(zip(fields, values, strict=True))
            return
        state.update(self._defaults)
        state.update(zip(fields, values, strict=False))
        state.update(named)
        # Rules alone are hundreds of records at every start, so what came is looked at only if it does not fit.
        if count > len(fields) or len(state) != len(fields) or (named and not self._may_be_named(named, count)):
            raise TypeError(f"{type(self).__name__} has the fields {', '.join(fields)}, and {values!r}, {named!r} came")

    def _may_be_named(self, named: dict[str, Any], count: int) -> bool:
        """Whether all names are fields, and none of the first `count`, which were given by position."""
        return self._field_names.issuperset(named) and named.keys().isdisjoint(self._fields[:count])

    def __setattr__(self, name: str, value: Any) -> Never:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> Never:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be deleted")

    def items(self) -> list[tuple[str, Any]]:
        """The fields with their values, in order."""
        return [(name, getattr(self, name)) for name in self._fields]

    def changed(self, **named: Any) -> Self:
        """A copy with some fields changed."""
        state = self.__dict__
        return type(self)(**{**{name: state[name] for name in self._fields}, **named})

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.__dict__ == other.__dict__ or (bool(self._on_demand) and self.items() == other.items())

    def __hash__(self) -> int:
        return hash((type(self), *map(partial(getattr, self), self._fields)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.items())})"
