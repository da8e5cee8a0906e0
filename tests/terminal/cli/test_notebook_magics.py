"""`%gradcli` and `%%gradcli`: a notebook is executed, and shows what the prompt shows."""

from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

SHELL = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell


@pytest.mark.long  # the kernel is a process of its own; the magics below are called here
@pytest.mark.filterwarnings("ignore")
def test_the_notebook_of_the_examples() -> None:
    """Every cell runs, and every result is drawn as HTML; errors are those of the prompt, without a traceback."""
    notebook = nbformat.read(ROOT / "examples" / "gradients.ipynb", 4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(ROOT / "examples")}}).execute()
    outputs = [each for cell in notebook.cells if cell.cell_type == "code" for each in cell.outputs]
    pages = [each.data["text/html"] for each in outputs if "data" in each]
    errors = [each.text for each in outputs if each.output_type == "stream" and each.name == "stderr"]

    assert [each for each in outputs if each.output_type == "error"] == []
    assert len(pages) == 12
    assert [each.splitlines()[0] for each in errors] == ["error: enrgy is not a function."]
    assert "Did you mean energy?" in errors[0]
    assert "the term y of r * exp(-r) + y is missing" in pages[1]
    assert "cell:4" in pages[2]
    assert "return r * math.exp(-r) + y" in pages[2]
    assert "<svg" in pages[4]
    assert "def grad_energy(x, y):" in pages[5]
    assert ["<svg" in page for page in pages[6:]] == [True] * 5 + [False]
    assert "path of 26 points" in pages[8]
    assert "to second order" in pages[11]


class Notebook:
    """What the magics ask of the shell of a notebook."""

    def __init__(self, **names: Any) -> None:
        self.user_ns, self.user_ns_hidden = names, {"hidden": None}
        self.magics: dict[str, Any] = {}

    def register_magic_function(self, function: Any, kind: str, name: str) -> None:
        assert kind == "line_cell"
        self.magics[name] = function


def f(x: float) -> float:
    return x * x


def magic(**names: Any) -> tuple[Notebook, Any]:
    """A notebook with some names, and its magic."""
    import gradcli

    notebook = Notebook(**names)
    gradcli.load_ipython_extension(notebook)
    return notebook, notebook.magics["gradcli"]


def test_functions_are_targets_as_they_are_now(capsys: pytest.CaptureFixture[str]) -> None:
    """A new one takes the place of the old, and one that is gone is none."""
    notebook, gradcli = magic(f=f, hidden=f)
    gradcli("f(3)")
    notebook.user_ns["f"] = lambda x: x * x * x
    gradcli("f(3)")
    del notebook.user_ns["f"]
    gradcli("f(3)")
    gradcli("hidden(3)")
    printed = capsys.readouterr()

    assert printed.out.splitlines() == ["= 9.0  _1", "= 27.0  _2"]
    assert "f is not a function." in printed.err
    assert "There is no function hidden." in printed.err


def test_options_draw_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON and Markdown are printed as they are at the prompt."""
    _, gradcli = magic(f=f)
    gradcli("grad f --at 3 --json")
    gradcli("grad f --at 3 --format md")

    printed = capsys.readouterr().out
    assert '"gradient": 6.0' in printed
    assert "| `x` | 3.0 | 6.0 |" in printed


def test_an_error_is_shown_as_at_the_prompt(capsys: pytest.CaptureFixture[str]) -> None:
    _, gradcli = magic(f=f)
    gradcli("", "grad f --at q\nx = 2\n")
    printed = capsys.readouterr()

    assert printed.err.startswith("error: ")
    assert "Traceback" not in printed.err
    assert printed.out == "x = 2.0\n"


def test_an_interrupt_ends_the_cell_in_one_word(capsys: pytest.CaptureFixture[str]) -> None:
    def stuck(x: float) -> float:
        raise KeyboardInterrupt

    magic(stuck=stuck)[1]("", "grad stuck --at 1\n1 + 1")

    assert capsys.readouterr() == ("", "interrupted\n")
