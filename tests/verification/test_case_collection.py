"""Which cases a project has: listed, marked, commented, paired by name; nothing is imported."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from gradcli.errors import UsageError
from gradcli.shared.records.verification import GradientCase
from gradcli.verification.case_collection import as_toml, collected

PAIR = "def f(x):\n    return x * x\n\n\ndef grad_f(x):\n    return 2 * x\n"
RAISES = "raise SystemExit\n"


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are those from the current folder where there is no configuration."""
    monkeypatch.chdir(tmp_path)


def write(folder: Path, **files: str) -> Path:
    """Files of a folder; a dot in a name is written with two underlines, a slash with three."""
    for name, text in files.items():
        path = folder / name.replace("___", "/").replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def cases(folder: Path, *paths: str, **options: Any) -> tuple[GradientCase, ...]:
    """The cases of a folder, or of paths in it."""
    return collected([str(folder / path) for path in paths] or [str(folder)], **options).cases


def test_a_pair_of_names_has_no_point(tmp_path: Path) -> None:
    (case,) = cases(write(tmp_path, a__py=RAISES + PAIR))

    assert (case.origin, case.target, case.against, case.of) == ("paired", "a.py:f", "a.py:grad_f", "gradient")
    assert case.missing == "paired by name, no point; put # gradcli: --at x=1 above it"


@pytest.mark.parametrize(
    ("name", "of"),
    [("f_grad", "gradient"), ("f_prime", "gradient"), ("f_jac", "jacobian"), ("hess_f", "hessian"), ("f_hessp", "hvp")],
)
def test_names_say_which_derivative_it_is(name: str, of: str, tmp_path: Path) -> None:
    taken = "x, p" if of == "hvp" else "x"
    (case,) = cases(write(tmp_path, a__py=f"def f(x):\n    return x\n\n\ndef {name}({taken}):\n    return 1\n"))

    assert of == case.of


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    return x\ndef grad_f(y):\n    return 1\n",  # other parameters
        "def f(x, y):\n    return x\ndef grad_f(x):\n    return 1\n",
        "def _f(x):\n    return x\ndef grad__f(x):\n    return 1\n",  # private
        "class A:\n    def f(x): return x\n    def grad_f(x): return 1\n",  # no functions of the module
        "def f():\n    return 1\ndef grad_f():\n    return 1\n",  # nothing to differentiate by
        "def f(x:\n",  # no Python
    ],
)
def test_what_is_no_pair(text: str, tmp_path: Path) -> None:
    assert cases(write(tmp_path, a__py=text)) == ()


def test_folders_that_are_not_searched(tmp_path: Path) -> None:
    """Tests, hidden ones, environments, what is excluded; a file that is named is searched all the same."""
    folder = write(
        tmp_path,
        tests___a__py=PAIR,
        test_b__py=PAIR,
        venv___pyvenv__cfg="",
        venv___c__py=PAIR,
        node_modules___d__py=PAIR,
        vendor___e__py=PAIR,
        gradcli__toml='exclude = ["vendor"]\n',
        src___g__py=PAIR,
    )
    write(folder / ".hidden", h__py=PAIR)

    assert [case.target for case in cases(folder)] == ["src/g.py:f"]
    assert [case.target for case in cases(folder, "test_b.py")] == ["test_b.py:f"]


def test_a_comment_gives_the_point(tmp_path: Path) -> None:
    """Above the function or its gradient; several lines are one."""
    comment = "# gradcli: --at 3 --points 2\n# gradcli: --box=x=0:1 --strict\n"
    (case,) = cases(write(tmp_path, a__py=PAIR.replace("def grad_f", f"{comment}def grad_f")))
    (other,) = cases(write(tmp_path, b__py=comment + PAIR), "b.py")

    assert dict(case.options) == {"at": "3", "points": 2, "box": ("x=0:1",), "strict": True, "of": "gradient"}
    assert (case.target, case.against, case.origin) == ("a.py:f", "a.py:grad_f", "commented")
    assert (other.target, other.against) == ("b.py:f", "b.py:grad_f")


def test_a_line_of_a_text_is_no_comment(tmp_path: Path) -> None:
    """An example in a docstring or a template, with or without fields."""
    text = (
        '"""Such as\n# gradcli: --at 1\ndef f(x): ...\n"""\nNAME = "f"\nPAGE = f"""\n# gradcli: --at 1\n{NAME}\n"""\n'
    )
    found = cases(write(tmp_path, a__py=f"{text}# gradcli: --at 1\ndef good(x):\n    return x\n"))

    assert [(case.fault, case.target) for case in found] == [(None, "a.py:good")]


def test_a_comment_names_the_other_function(tmp_path: Path) -> None:
    """The derivative, or the function; alone the gradient of the tape is judged."""
    text = (
        "# gradcli: --at 1 --against slope\ndef f(x):\n    return x\n\n\ndef slope(x):\n    return 1\n\n\n"
        "# gradcli: --at 1 --target f --of jacobian\ndef matrix(x):\n    return 1\n\n\n"
        "# gradcli: --at 1\ndef g(x):\n    return x\n"
    )

    assert [
        ("a.py:f", "a.py:slope", "gradient"),
        ("a.py:f", "a.py:matrix", "jacobian"),
        ("a.py:g", None, "gradient"),
    ] == [(case.target, case.against, case.of) for case in cases(write(tmp_path, a__py=text))]


def test_a_mark_gives_the_point(tmp_path: Path) -> None:
    """Its function by name or as a text; what is computed is read when the module is loaded."""
    text = (
        "import numpy as np\nimport gradcli\nfrom gradcli import hessian_of\ndef f(x): return x @ x\n\n\n"
        "@gradcli.gradient_of(f, at=np.ones(2), points=3, allow='inconclusive')\ndef g(x): return 2 * x\n\n\n"
        "@hessian_of('f', at=(1.0,), name='curvature')\ndef h(x): return 2\n"
    )
    first, second = cases(write(tmp_path, a__py=RAISES + text))

    assert (first.target, first.against, dict(first.options)) == ("a.py:f", "a.py:g", {"of": "gradient", "points": 3})
    assert (first.missing, first.marked, first.allow) == (None, "a.py:g", ("inconclusive",))
    assert (second.name, second.of, second.marked) == ("curvature", "hessian", "a.py:h")


def test_a_listed_case_takes_the_place_of_a_pair(tmp_path: Path) -> None:
    listed = '[[check]]\ntarget = "a.py:f"\nagainst = "grad_f"\nat = "1"\n'
    (case,) = cases(write(tmp_path, a__py=PAIR, gradcli__toml=listed))

    assert case.origin == "listed"


def test_options_of_a_file_reach_its_pairs(tmp_path: Path) -> None:
    """A point in the configuration is one that the user gave."""
    (case,) = cases(write(tmp_path, a__py=PAIR, gradcli__toml='rtol = 0.5\n[files."a*.py"]\nat = "x=2"\n'))

    assert (case.missing, dict(case.options)) == (None, {"rtol": 0.5, "at": "x=2"})


def test_a_target_is_one_case(tmp_path: Path) -> None:
    folder = write(tmp_path, a__py=PAIR + PAIR.replace("f(", "h("))

    assert [case.target for case in cases(folder, "a.py:grad_f")] == ["a.py:f"]
    assert [case.target for case in cases(folder, "a.py:h")] == ["a.py:h"]
    with pytest.raises(UsageError, match=r"no case for .*a\.py:k"):
        cases(folder, "a.py:k")
    with pytest.raises(UsageError, match=r"no file or folder .*b\.pyx"):
        cases(folder, "b.pyx")


def test_names_are_unique(tmp_path: Path) -> None:
    listed = '[[check]]\ntarget = "a.py:f"\nat = "1"\n' * 2

    assert ["a.py:f", "a.py:f #2"] == [case.name for case in cases(write(tmp_path, a__py=PAIR, gradcli__toml=listed))][
        :2
    ]


def test_a_number_is_no_name_of_another_case(tmp_path: Path) -> None:
    names = ["a", "a #2", "a", "a #2", "a #3", "a"]
    listed = "".join(f'[[check]]\nname = "{name}"\ntarget = "a.py:f"\nat = "{at}"\n' for at, name in enumerate(names))
    found = cases(write(tmp_path, a__py=PAIR, gradcli__toml=listed))[:6]
    part = cases(tmp_path, select="#")

    assert [case.name for case in found] == ["a", "a #2", "a #4", "a #2 #2", "a #3", "a #5"]
    assert [str(at) for at in range(6)] == [case.options["at"] for case in found]
    assert found[1:] == part


@pytest.mark.parametrize("paths", [(), (".",), ("..",), ("../a.py",)])
def test_a_listed_case_may_be_above_its_configuration(
    paths: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = '[[check]]\ntarget = "../a.py:f"\nat = "1"\n'
    monkeypatch.chdir(write(tmp_path, a__py=PAIR, ci___gradcli__toml=listed) / "ci")
    found = collected(paths, "gradcli.toml").cases

    assert "../a.py:f" in [case.target for case in found if case.origin == "listed"]


def test_a_folder_has_no_listed_cases_of_another(tmp_path: Path) -> None:
    listed = "".join(f'[[check]]\ntarget = "{folder}/a.py:f"\nat = "1"\n' for folder in ("one", "two"))
    found = cases(write(tmp_path, one___a__py=PAIR, two___a__py=PAIR, gradcli__toml=listed), "one")

    assert [case.target for case in found if case.origin == "listed"] == ["one/a.py:f"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_only_regular_files_are_read(tmp_path: Path) -> None:
    """A pipe and a device would give text for ever; they are named, as is a link without an end."""
    write(tmp_path, a__py=PAIR)
    (tmp_path / "link.py").symlink_to("a.py")
    (tmp_path / "endless.py").symlink_to("endless.py")
    (tmp_path / "zero.py").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.py")
    found = collected([str(tmp_path)])

    assert [case.target for case in found.cases] == ["a.py:f", "link.py:f"]
    assert ["endless.py", "pipe.py", "zero.py"] == [Path(path).name for path in found.unread]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_is_refused_by_name(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")

    with pytest.raises(UsageError, match=r"pipe\.py' is a named pipe, not a regular file"):
        collected([str(tmp_path / "pipe.py")])


def test_entries_to_paste_are_read_again(tmp_path: Path) -> None:
    text = "# gradcli: --at 1,2 --box x=0:1 --points 2\n" + PAIR.replace("(x)", "(x, y)")
    found = collected([str(write(tmp_path, a__py=text))])
    (tmp_path / "gradcli.toml").write_text(as_toml(found.cases, found.configuration).replace("tool.gradcli.", ""))
    (again,) = cases(tmp_path)

    assert ("listed", found.cases[0].options, found.cases[0].target) == (again.origin, again.options, again.target)


def test_what_is_listed_needs_no_entry(tmp_path: Path) -> None:
    """Nor does an entry repeat what the configuration says of every case."""
    write(tmp_path, a__py="# gradcli: --at 2\n" + PAIR, b__py=PAIR)
    general = "max-seconds = 5\n"
    listed = '[[check]]\ntarget = "b.py:f"\nagainst = "grad_f"\nat = 3\n'
    (tmp_path / "gradcli.toml").write_text(general + listed)
    found = collected([str(tmp_path)])

    assert [case.target for case in found.cases] == ["b.py:f", "a.py:f"]
    assert as_toml(found.cases, found.configuration).count("target") == 1
    assert "max-seconds" not in as_toml(found.cases, found.configuration)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# gradcli: --att 1\n", r"a\.py:1: there is no key 'att'"),
        ("# gradcli: 1,2\n", r"a\.py:1: '1,2' is no option"),
        ("# gradcli: --at\n", r"a\.py:1: --at needs a value"),
        ("# gradcli: --points many\n", r'a\.py:1: points is "many"; it has to be a whole number from 0 on'),
        ("# gradcli: --at '1\n", r"a\.py:1: the comment cannot be read"),
        ("@gradient_of(f, att=1)\n", r"a\.py:1, gradient_of: there is no key 'att'"),
        ("@gradient_of(f, at=1, seed='a')\n", r"gradient_of: seed is \"a\"; it has to be a whole number"),
    ],
)
def test_what_is_wrong_is_the_fault_of_its_case(text: str, said: str, tmp_path: Path) -> None:
    """Of a comment or a mark, with its line; the other cases of the file are there as well."""
    good = "# gradcli: --at 1\ndef good(x):\n    return x\n"
    found = cases(write(tmp_path, a__py=f"{text}def g(x):\n    return x\n{good}"))

    assert re.search(said, found[0].fault or "")
    assert [(case.fault, case.target) for case in found[1:]] == [(None, "a.py:good")]


@pytest.mark.parametrize(("text", "said"), [
    ("# gradcli --at 1\ndef g(x):\n    return x\n", r"a\.py:1: the comment lacks its colon"),
    ("class A:\n    # gradcli: --at 1\n    def g(self, x):\n        return x\n",
        r"a\.py:2: the comment stands above no"),
    ("# gradcli: --at 1\n\ndef g(x):\n    return x\n", r"a\.py:1: the comment stands above no function"),
    ("def g(x):  # gradcli: --at 1\n    return x\n", r"a\.py:1: the comment stands above no function"),
    ("def g(\n    x,  # gradcli: --at 1\n):\n    return x\n", r"a\.py:2: the comment stands above no function"),
    ("def g(x):\n    return x  # gradcli --at 1\n", r"a\.py:2: the comment stands above no function"),
    ("y = 1  # gradcli: --at 1\ndef g(x):\n    return x\n", r"a\.py:1: the comment stands above no function"),
    ("# gradcli: --at 1\ndef g(x)\n    return x\n", r"a\.py:2: this is no Python: expected ':'"),
    ("@gradient_of(f, at=1)\ndef g(x:\n", r"a\.py:2: this is no Python"),
])  # fmt: skip
def test_what_would_be_passed_over_is_a_fault(text: str, said: str, tmp_path: Path) -> None:
    (found,) = cases(write(tmp_path, a__py=text))

    assert re.search(said, found.fault or "")


def test_a_file_that_asks_for_nothing_may_be_no_python(tmp_path: Path) -> None:
    """Templates and sources of other versions are nobody's fault."""
    assert cases(write(tmp_path, a__py="print 'gradcli'\n")) == ()


@pytest.mark.parametrize("text", ["def f(x:\n", "print 'gradcli'\n", "# coding: latin-999\n", "x = '\0'\n"])
def test_a_file_that_is_named_has_to_be_python(text: str, tmp_path: Path) -> None:
    """It has a case with the fault; a target in it has the same."""
    write(tmp_path, a__py=text)
    (found,) = cases(tmp_path, "a.py")

    assert (found.target, found.line) == ("a.py", 1)
    assert re.search(r"a\.py:1: this is no Python: ", found.fault or "")
    assert cases(tmp_path, "a.py:f") == (found,)
    assert cases(tmp_path) == ()


@pytest.mark.parametrize(
    "text",
    [
        'print("put # gradcli: --at 1 above it")\n',
        "# Put # gradcli: --at 1 above it.\n",
        'def f(x):\n    """f  # gradcli: --at 1\n    # gradcli: --at 1\n    """\n    return x\n',
        "x = 1  # gradcli: see the docs\n",
    ],
)
def test_what_mentions_a_comment_is_none(text: str, tmp_path: Path) -> None:
    assert cases(write(tmp_path, a__py=text)) == ()


def test_prose_may_begin_with_the_name(tmp_path: Path) -> None:
    """A comment of no options, above no function, asks for nothing."""
    assert cases(write(tmp_path, a__py="# gradcli: see the docs\nx = 1\n")) == ()
