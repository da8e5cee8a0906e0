"""Results that display themselves in a notebook and as text. `gradcli` sets the functions that draw them."""

from __future__ import annotations

TYPE_CHECKING = False  # not that of `typing`: what is imported before a command's process starts is copied into it

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar

IN_LIGHT = ':is([data-jp-theme-light="true"],.vscode-light,html[theme=light])'
IN_DARK = (
    ':is([data-jp-theme-light="false"],.vscode-dark,[data-vscode-theme-kind=vscode-high-contrast],html[theme=dark])'
)
"""Below what JupyterLab, VS Code and Colab say of their themes, which need not be the theme of the reader's system."""


class NotebookDisplay:
    """The base class of results that display themselves in a notebook."""

    forms: ClassVar[Callable[[Any], dict[str, str]]]  # the forms of a result by media type
    terminal_text: ClassVar[Callable[[Any], str]]  # what a terminal shows of a result

    def __str__(self) -> str:
        return type(self).terminal_text(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return type(self).forms(self)

    def _repr_html_(self) -> str | None:
        return type(self).forms(self).get("text/html")


def themed(light: str, dark: str, place: str = "") -> str:
    """Rules of style in the theme of the notebook, or else in that of the reader's system.

    Args:
        light, dark: rules without media queries.
        place: the selector below which they hold; none if they name it themselves.
    """
    base = within(light, place) + f"@media(prefers-color-scheme:dark){{{within(dark, place)}}}"
    return base + within(light, f"{IN_LIGHT} {place}") + within(dark, f"{IN_DARK} {place}")


def within(rules: str, place: str) -> str:
    """Rules that hold below a selector alone."""
    import re

    return re.sub(
        r"([^{}]+)\{",
        lambda match: ",".join(f"{place.strip()} {part.strip()}" for part in match[1].split(",")) + "{",
        rules,
    )
