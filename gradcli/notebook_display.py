"""The base class of results that display themselves in a notebook. `gradcli` sets the function that draws them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar


class NotebookDisplay:
    """The base class of results that display themselves in a notebook."""

    forms: ClassVar[Callable[[Any], dict[str, str]]]  # the forms of a result by media type

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return type(self).forms(self)

    def _repr_html_(self) -> str | None:
        return type(self).forms(self).get("text/html")
