"""A graph as a picture, by the program `dot` of Graphviz."""

from __future__ import annotations

from gradcli.errors import UsageError


def svg(dot: str) -> str:
    """A graph in the language of Graphviz as SVG.

    Raises:
        UsageError: Graphviz is not installed, or cannot draw it.
    """
    import shutil
    import subprocess

    program = shutil.which("dot")
    if program is None:
        raise UsageError(
            "A .svg graph needs Graphviz, whose program `dot` is not installed here.",
            hint="Install graphviz with your package manager, or type --out tape.html.",
        )
    done = subprocess.run([program, "-Tsvg"], input=dot, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UsageError(
            f"Graphviz cannot draw this: {done.stderr.strip()[:200]}", hint="--format dot shows the graph."
        )
    return done.stdout
