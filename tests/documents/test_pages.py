"""The pages under docs/ are whole: each command and each topic has one, every link leads somewhere, the site builds."""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from gradcli.errors import Exit
from gradcli.terminal.cli import main
from gradcli.terminal.cli.command_names import COMMANDS
from tests.documents.generated import PAGES
from tests.documents.shown import DOCS, ROOT, blocks, documents, folder, run

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BUILDERS = ("mkdocs", "material")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
# What a catalogue's example names in place of a file of the reader's, and what needs a device.
PLACEHOLDERS = ("file.py", "model.py", "--device", "pip install")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_has_its_page(command: str) -> None:
    page = DOCS / "commands" / f"{command}.md"

    assert page.read_text(encoding="utf-8").startswith(f"# gradcli {command}\n")
    assert any(f"$ gradcli {command} --help" in block.text for block in blocks("console", page))
    assert f"[{command}]({command}.md)" in (DOCS / "commands" / "index.md").read_text(encoding="utf-8")


def test_a_page_of_a_command_has_a_command() -> None:
    assert {path.stem for path in (DOCS / "commands").iterdir()} == {*COMMANDS, "index"}


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_says_what_help_says(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name]


def test_every_reference_page_is_generated() -> None:
    assert {f"reference/{path.name}" for path in (DOCS / "reference").iterdir()} == set(PAGES)


def test_the_navigation_has_every_page() -> None:
    navigation = re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))

    assert sorted(str(path.relative_to(DOCS).as_posix()) for path in DOCS.rglob("*.md")) == sorted(navigation)


def test_a_link_leads_somewhere() -> None:
    links = [(path, link) for path in documents() for link in LINK.findall(path.read_text(encoding="utf-8"))]

    assert [(path, link) for path, link in links if not (path.parent / link).exists()] == []


def test_a_file_that_is_named_exists() -> None:
    a_name = re.compile(r"\b(?:gradcli|tests|benchmarks|examples)/[a-z_0-9/]+\.py\b")
    named = [(path, name) for path in documents() for name in a_name.findall(path.read_text(encoding="utf-8"))]

    assert [(path, name) for path, name in named if "/a/" not in name and not (ROOT / name).exists()] == []


def test_every_extra_is_named() -> None:
    text = (DOCS / "getting-started.md").read_text(encoding="utf-8")

    assert [name for name in PROJECT["optional-dependencies"] if f"`{name}`" not in text] == []


def examples() -> list[str]:
    """The commands that the reference shows without their output."""
    pages = [DOCS / name for name in PAGES]
    lines = (line.partition("  #")[0] for block in blocks("text", *pages) for line in block.text.splitlines())
    return sorted(
        {line for line in lines if line.startswith("gradcli ") and not any(word in line for word in PLACEHOLDERS)}
    )


@pytest.mark.sampled(12)
@pytest.mark.parametrize("line", examples())
def test_an_example_of_the_reference_is_understood(line: str) -> None:
    with (
        contextlib.chdir(folder()),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()) as said,
    ):
        code = main(shlex.split(line)[1:])

    assert code not in (Exit.USAGE, Exit.INTERNAL), said.getvalue()


STOREYS = ("", "shared", "mathematics", "engine", "methods", "answers", "terminal")  # the page leaves them out
MODULE = re.compile(r"`([a-z]\w*(?:\.\w+)+)`")


def walks() -> dict[str, list[str]]:
    """The modules of each walk on the page on architecture, in order."""
    text = (DOCS / "architecture.md").read_text(encoding="utf-8").partition("## Walk 1")[2]
    found = {walk.splitlines()[0]: MODULE.findall(walk) for walk in re.split(r"## Walk \d: ", f"## Walk 1{text}")[1:]}
    return {title: [name for name in told if is_module(name)] for title, told in found.items()}


def is_module(name: str) -> bool:
    """Whether a dotted name is that of a module of the package."""
    return any((ROOT / "gradcli" / storey / name.replace(".", "/")).with_suffix(".py").is_file() for storey in STOREYS)


WALK = """
import re, sys
from gradcli.terminal.cli import main
import gradcli
import numpy as np
from examples.hyperbox import f4

calls = [
    lambda: gradcli.grad(f4)([1.0, 2.0, 3.0, 4.0]),
    lambda: gradcli.grad(lambda x: np.sum(np.sin(x) * x))(np.array([0.3, 0.8])),
    lambda: main(["check", "examples/hyperbox.py:f4", "--at", "1,2,3,4", "--against", "grad_f4"]),
]

def entered(call):
    found = {}
    def enter(frame, event, _):
        if event == "call":
            found.setdefault(frame.f_globals.get("__name__", ""))
    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(None)
    return [re.sub("gradcli[.]((shared|mathematics|engine|methods|answers|terminal)[.])?", "", name) for name in found]

for call in calls:
    call()
    print("walk:", *entered(call))
"""


def test_the_walks_name_modules_that_exist() -> None:
    """A module that was renamed is not passed over."""
    text = (DOCS / "architecture.md").read_text(encoding="utf-8").partition("## Walk 1")[2]
    packages = {path.name for storey in STOREYS for path in (ROOT / "gradcli" / storey).iterdir() if path.is_dir()}
    names = [name for name in MODULE.findall(text) if name.split(".")[0] in packages]

    assert [name for name in names if not is_module(name)] == []
    assert len(names) > 20


def test_the_walks_go_as_told() -> None:
    """The modules are entered in the order in which the page names them."""
    command = [sys.executable, "-c", WALK]
    told = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    entered = [line.split()[1:] for line in told.splitlines() if line.startswith("walk:")]

    assert 3 == len(entered) == len(walks())
    for listed, run_through in zip(walks().values(), entered, strict=True):
        assert set(listed) - set(run_through) == set()
        assert listed == sorted(listed, key=run_through.index)


@pytest.mark.skipif(not all(map(find_spec, BUILDERS)), reason="the extra docs is not installed")
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    own = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    pages = list(tmp_path.rglob("*.html"))
    assert len(documents()) - 1 <= len(pages)
    fetched = re.compile(r"""<(?:script|img|link|iframe)[^>]*?(?:src|href)=["']?(?:https?:)?//""")
    assert [page.name for page in pages if fetched.search(page.read_text(encoding="utf-8"))] == []


def test_a_command_that_is_not_understood_is_noticed() -> None:
    assert Exit.USAGE == run("gradcli grad")[1]
