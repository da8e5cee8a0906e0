"""Pages of the documents that no command writes alone: the outputs of a notebook, and a report with failures."""

# A page shows lines of this file: where they move, `python -m tests.write` draws it anew.
import math
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import gradcli
from gradcli.shared.records.check_request import CheckRequest
from gradcli.terminal.render.file_marks import HTML_MARK
from gradcli.terminal.render.notebook import bundle

PROJECT = """\
import math

import gradcli


def energy(x, y):
    return x**2 * math.sin(y)


@gradcli.gradient_of(energy, at={"x": 3.0, "y": 2.0})
def energy_gradient(x, y):
    return 2 * x * math.sin(y), x * math.cos(y)


@gradcli.gradient_of(energy, at={"x": 2.0, "y": 0.5})
def energy_gradient_again(x, y):
    return 2 * x * math.sin(y), x**2 * math.cos(y)


def size(x):
    return abs(x)


@gradcli.gradient_of(size, at=0.0)
def size_gradient(x):
    return 0.5


def steps(x):
    return x + math.floor(x)


@gradcli.gradient_of(steps, at=1.0)
def steps_gradient(x):
    return 1.0


def root(x):
    return math.sqrt(x - 2)


@gradcli.gradient_of(root, at=1.0)
def root_gradient(x):
    return 0.5 / math.sqrt(x - 2)
"""


def report() -> str:
    """The report of `verify` on a project in which some checks pass and some do not."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "models.py"
        file.write_text(PROJECT, encoding="utf-8")
        (Path(folder) / "pyproject.toml").write_text("[tool.gradcli]\n", encoding="utf-8")
        try:
            found = gradcli.verify(file)
            return found.text("html")
        finally:
            sys.modules.pop("models", None)


def swing(length: float, angle: float) -> float:
    """The period of a pendulum, and the next term of its series."""
    period = 2 * math.pi * math.sqrt(length / 9.81)
    return period * (1 + angle**2 / 16)


def notebook() -> str:
    """Results that draw themselves, each below the line that makes it."""
    at = {"length": 2.0, "angle": 0.3}
    cells = {
        "gradcli.check(swing, at=(2.0, 0.3), against=lambda length, angle: (0.72, 0.1))": gradcli.check(
            swing, at=at, against=lambda length, angle: (0.72, 0.1)
        ),
        "gradcli.trace(swing, 2.0, 0.3)": gradcli.trace(swing, 2.0, 0.3),
        "gradcli.derive(swing, at=(2.0, 0.3))": gradcli.derive(swing, at=at),
    }
    return notebook_page(cells)


def notebook_plots() -> str:
    """A plot and propagated uncertainty, in the same way."""
    return notebook_page(
        {
            "gradcli.propagate(swing, (2.0, 0.3), std=(0.01, 0.05))": gradcli.propagate(
                swing, (2.0, 0.3), std=(0.01, 0.05)
            ),
            "gradcli.plot(swing, (2.0, 0.3))": gradcli.plot(swing, (2.0, 0.3)),
        }
    )


def notebook_page(cells: dict[str, Any]) -> str:
    """A page with the outputs of cells."""
    shown = "".join(f"<h3><code>{line}</code></h3>{bundle(result)['text/html']}" for line, result in cells.items())
    style = ":root{color-scheme:light dark}body{font:15px system-ui,sans-serif;margin:1rem auto;max-width:66rem}"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">{HTML_MARK}<title>Results in a notebook</title>'
        f"<style>{style}</style></head><body>{shown}</body></html>\n"
    )


def failing_check() -> str:
    """The check of the README as a picture of a terminal, in the colours that rich gives it."""
    import io

    from rich.console import Console
    from rich.theme import Theme

    from gradcli import queries
    from gradcli.terminal import render
    from gradcli.terminal.render import check, finding
    from gradcli.terminal.render.layout.theme import STYLES

    found = queries.check(
        "examples/hyperbox.py:f4", "1,2,3,4", CheckRequest(against="examples/hyperbox.py:grad_f4_slip")
    )
    look = render.Look(width=80, terminal=True)
    console = Console(record=True, width=80, file=io.StringIO(), theme=Theme(STYLES), force_terminal=True)
    console.print(check.view(found, look), end="")
    console.print(finding.view(found.findings), "")  # below the last line, or its underscores are cut off
    drawn = console.export_svg(title="gradcli check", unique_id="check")
    return re.sub(r"@font-face {.*?}\n", "", drawn, flags=re.DOTALL)  # the reader's own font: nothing is fetched


PAGES = {
    "check-f4.svg": failing_check,
    "notebook.html": notebook,
    "notebook-plots.html": notebook_plots,
    "verify.html": report,
}
"""What writes each page of `docs/assets`."""
