"""An object with a derivative, and the same with a slip in it."""

from typing import Any, NamedTuple


class Claim(NamedTuple):
    """An object of another library.

    Args:
        name: its name.
        origin: the document or the file and function after which it is written.
        right: the object.
        wrong: the object with a slip in its derivative.
        at: the point, by name.
    """

    name: str
    origin: str
    right: Any
    wrong: Any
    at: dict[str, Any]
