"""The colours of pictures for light and dark themes. Signs and words repeat everything that colours show."""

from __future__ import annotations

from gradcli.shared.frozen_record import Frozen


class Palette(Frozen):
    """The colours of one theme.

    Args:
        paper, ink, quiet, line: the background, text, secondary text, and lines.
        accent: the inputs of a graph and the point of a plot.
        curve, second: the curves of a plot.
        broken, broken_fill: the outline and the fill of values that are not finite.
        below, above: the fills for negative and positive sensitivities, palest first.
        neutral: the fill for a sensitivity of zero.
        band: the background of a cluster, or of the line under the pointer.
    """

    paper: str
    ink: str
    quiet: str
    line: str
    accent: str
    curve: str
    second: str
    broken: str
    broken_fill: str
    below: tuple[str, ...]
    above: tuple[str, ...]
    neutral: str
    band: str

    def fill(self, shade: int | None) -> str:
        """The fill of a box; None is not finite."""
        if shade is None:
            return self.broken_fill
        if not shade:
            return self.neutral
        return (self.above if shade > 0 else self.below)[abs(shade) - 1]


LIGHT = Palette(
    paper="#ffffff",
    ink="#1b1e23",
    quiet="#5b6472",
    line="#8f98a6",
    accent="#0b5fa5",
    curve="#1f6fb2",
    second="#c2410c",
    broken="#a3108f",
    broken_fill="#f8def4",
    below=("#e2edfa", "#bcd7f5", "#8fbdee", "#629fe0"),
    above=("#fdebdd", "#fbd0ac", "#f5ad75", "#ea8c48"),
    neutral="#fbfbfc",
    band="#f2f4f7",
)
DARK = Palette(
    paper="#15181d",
    ink="#eceff3",
    quiet="#a3adbb",
    line="#6b7685",
    accent="#7cc0ff",
    curve="#6db3f2",
    second="#ff9d5c",
    broken="#ff8df0",
    broken_fill="#4a1f46",
    below=("#1d2a3b", "#21405f", "#265680", "#2d6ca2"),
    above=("#372a20", "#553822", "#784720", "#9a5619"),
    neutral="#20242b",
    band="#1b1f25",
)
