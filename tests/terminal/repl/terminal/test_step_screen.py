"""The view of `step`, driven by keys through a pipe, and what it draws."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from gradcli import queries
from gradcli.errors import UsageError
from gradcli.shared.records.explanations import Perturbation, Steps
from gradcli.shared.records.explanations import Steps as StepsOfSweep
from gradcli.shared.records.tapes import Node, TapeListing
from gradcli.terminal.repl.terminal.step_screen import ALL_KEYS, KEYS, StepScreen
from gradcli.terminal.repl.terminal.tape_columns import LEAST_TEXT
from tests.terminal.render import samples
from tests.terminal.repl.terminal.screenshot import screen_of
from tests.terminal.repl.test_step_model import STEPS

pytestmark = pytest.mark.sampled(3)  # many like cases

RIGHT, LEFT, END, ESCAPE, ENTER = "\x1b[C", "\x1b[D", "\x1b[F", "\x1b", "\r"


def attempt(name: str) -> Perturbation:
    if name == "%3":
        raise UsageError("There is none.")
    return samples.PERTURBATION


@pytest.fixture
def typed() -> Callable[..., StepScreen]:
    """A view after some keys, the last of which leaves it."""

    def typed(keys: str, steps: Steps = STEPS, leave: str = "q") -> StepScreen:
        with create_pipe_input() as pipe:
            pipe.send_text(keys + leave)
            view = StepScreen(steps, attempt, pipe, DummyOutput())
            view.run()
        return view

    return typed


@pytest.mark.parametrize(
    ("done", "keys"),
    [
        (0, ""),
        (2, RIGHT * 2),
        (1, RIGHT * 2 + LEFT),
        (4, END),
        (4, " " * 9),
        (1, "gp\r"),
        (2, "g%3\r"),
        (2, "/p + 0\r"),
        (1, "/p\rn" + LEFT),
    ],
)
def test_keys_move(done: int, keys: str, typed: Callable[..., StepScreen]) -> None:
    """Arrows, ends, names and searches lead to a place; `q` leaves."""
    assert done == typed(keys).place.done


@pytest.mark.parametrize("key", ["q", "\x03", "\x04", ESCAPE])
def test_keys_that_leave(key: str, typed: Callable[..., StepScreen]) -> None:
    assert typed(RIGHT, leave=key).place.done == 1


def test_ctrl_z_goes_to_the_background(typed: Callable[..., StepScreen], monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[Application[None]] = []
    monkeypatch.setattr(Application, "suspend_to_background", lambda self: waits.append(self))

    assert typed(RIGHT + "\x1a" + RIGHT).place.done == 2
    assert len(waits) == 1


def test_escape_leaves_a_question(typed: Callable[..., StepScreen]) -> None:
    view = typed("/" + ESCAPE + RIGHT)

    assert (view.place.done, view.asking) == (1, "")


@pytest.mark.parametrize(
    ("said", "keys"),
    [
        ("there is no 'zz' in this run", "gzz\r"),
        ("nothing holds 'zz'", "/zz\r"),
        ("nothing was searched for yet: type / first", "n"),
        (ALL_KEYS, "?"),
        (KEYS, "?" + RIGHT),
        ("p moved by ± 0.006: the slope of the result is 2.0000000000000018, the sensitivity 2.0", RIGHT + "p"),
        ("There is none.", RIGHT * 2 + "p"),
    ],
)
def test_what_is_said(said: str, keys: str, typed: Callable[..., StepScreen]) -> None:
    """The line at the bottom answers; an error is one line of it."""
    assert said == typed(keys, leave="\x04").message


@pytest.mark.parametrize("key", ["q", ESCAPE, "?"])
def test_the_help_is_left_before_the_view(key: str, typed: Callable[..., StepScreen]) -> None:
    view = typed(RIGHT + "?" + key + RIGHT)

    assert (view.place.done, view.message) == (2, KEYS)


def text(pieces: list[tuple[str, str]]) -> list[str]:
    return "".join(piece for _, piece in pieces).splitlines()


def test_the_screen(typed: Callable[..., StepScreen]) -> None:
    """What is known stands in columns that do not move; what is new is lit."""
    view = typed(RIGHT * 3)

    assert [
        "    name  value  sensitivity   formula",
        " %0 x     2.0                  input",
        " %1 y     3.0                  input",
        " %2 p     6.0    1.0           x * y",
        ">%3       6.25   1.0           p + 0.25",
    ] == text([*view.titles(), ("", "\n"), *view.tape()])
    assert [piece.strip() for style, piece in view.tape() if style == "class:lit"] == ["1.0", "1.0"]
    assert view.caption() == "3 of 4, backwards: %3 = p + 0.25 passes on s_p += 1, 1.0"


def test_captions(typed: Callable[..., StepScreen]) -> None:
    assert typed("").caption().startswith("0 of 4: the inputs are given")
    assert typed(RIGHT).caption() == "1 of 4, forwards: p = x * y = 6.0"
    assert typed(END).caption().endswith("s_x += y * s_p, 3.0; s_y += x * s_p, 2.0")


def test_what_the_program_asked_is_told(typed: Callable[..., StepScreen]) -> None:
    """A comparison stands with the first step after it, the last one with the last step; the way back has none."""
    steps = queries.steps("examples/newton_sqrt.py:newton_sqrt", "2")

    assert typed(RIGHT * 7, steps).caption().endswith("= 1.33333; before it 0.25 > 2e-12 was True, line 7")
    assert "before it" not in typed(RIGHT * 8, steps).caption()
    assert "before it" not in typed(END, steps).caption()


def test_the_function_is_named(typed: Callable[..., StepScreen], tmp_path: Path) -> None:
    """Above its lines: the one whose line is lit, also where it is called by another."""
    (tmp_path / "two.py").write_text(
        "class Loss:\n    def at(self, x):\n        return inner(x) * 2\n\n"
        "def inner(x):\n    return x * x\n\nf = Loss().at\n"
    )
    steps = queries.steps(f"{tmp_path}/two.py:f", "3")

    assert [typed(RIGHT * n, steps).function() for n in (1, 2)] == ["in inner", "in Loss.at"]
    assert typed(RIGHT, queries.steps("x^2", "3")).function() == ""


LONG_FILE = "".join(f"@same\ndef f{n}(x):\n    a = x * {n}\n    return a + x\n\n\n" for n in range(20))


@pytest.mark.parametrize(
    ("name", "top"),
    [
        ("f7", "46 @same"),
        ("f0", " 4 @same"),
        ("f19", ""),  # the end of the file fills the screen
    ],
)
def test_the_source_opens_at_the_function(name: str, top: str, tmp_path: Path) -> None:
    """Of a file that is longer than the screen, the top line is the first one of the function."""
    (tmp_path / "long.py").write_text(f"def same(f):\n    return f\n\n{LONG_FILE}")
    screen = screen_of([f"{tmp_path}/long.py:{name}", "--at", "3"], [])

    assert f"in {name}" == screen.splitlines()[0].partition("│")[0].strip()
    assert any(f"def {name}(x)" in line for line in screen.splitlines())
    assert top in screen.splitlines()[1]


def test_enter_opens_an_array(typed: Callable[..., StepScreen]) -> None:
    """Every number of it with its sensitivity; Enter or Escape shows the tape again."""
    steps = queries.steps("sum(x^2)", "x=[1,2]")
    values, gradient = (
        ["number  value  sensitivity", "%1[0]   1.0", "%1[1]   4.0"],
        ["x[0]    1.0    2.0", "x[1]    2.0    4.0"],
    )
    assert values == [line.rstrip() for line in text(typed(RIGHT + ENTER, steps).tape())]
    assert gradient == [line.rstrip() for line in text(typed(END + ENTER, steps).tape())[1:]]
    assert not typed(RIGHT + ENTER * 2, steps).is_open
    assert not typed(RIGHT + ENTER + ESCAPE + RIGHT, steps).is_open


@pytest.mark.parametrize("keys", [RIGHT * 2 + ENTER, END + ENTER, RIGHT * 3 + ENTER * 3, END + LEFT + ENTER])
def test_enter_opens_any_node(keys: str, typed: Callable[..., StepScreen]) -> None:
    """The line of the cursor is one of those that are shown, which prompt_toolkit asks for."""
    view = typed(keys, queries.steps("x^2*y", "2,3"))

    assert view._row().y < len(text(view.tape()))


def test_what_is_named_by_its_own_text_is_said_once(typed: Callable[..., StepScreen]) -> None:
    """A part of a typed expression, in the tape and below it."""
    view = typed(RIGHT * 2, queries.steps("x^2*sin(y)", "x=3,y=6"))

    assert view.caption().startswith("2 of 6, forwards: sin(y) = -0.279")
    assert text(view.tape())[3].count("sin(y)") == 1


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_numbers_are_never_cut(columns: int, typed: Callable[..., StepScreen], monkeypatch: pytest.MonkeyPatch) -> None:
    """On a narrow screen they are rounded, and the formula and the source give way; every number reads back."""
    steps = queries.steps("x^2*sin(y)*1e-9/7", "x=3,y=6")
    monkeypatch.setattr(DummyOutput, "get_size", lambda self: Size(rows=24, columns=columns))
    view = typed(END, steps)
    rows = text(view.tape())

    assert all(len(row) <= view._width_of_tape().preferred <= columns for row in rows)
    for row, node in zip(rows, steps.tape.nodes, strict=True):
        numbers = [float(word) for word in row.split() if re.fullmatch(r"-?[\d.]+(e[-+]\d+)?", word)]
        expected = (node.value, node.sensitivity)
        assert tuple(numbers[: len(expected)]) == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("columns", [40, 50, 60])
def test_a_narrow_screen(columns: int, typed: Callable[..., StepScreen], monkeypatch: pytest.MonkeyPatch) -> None:
    """The source is left out rather than cut to nothing, nothing is clipped, and sentences break between words."""
    monkeypatch.setattr(DummyOutput, "get_size", lambda self: Size(rows=24, columns=columns))
    view = typed(END + "?", queries.steps("examples/hyperbox.py:f4", "1,2,3,4"), leave="\x04")

    assert (columns >= 60) == view._shows_source()
    assert all(len(row) <= columns for row in text(view.tape()))
    assert view._columns().formula not in range(1, LEAST_TEXT)
    assert ALL_KEYS.split() == view._in_lines(ALL_KEYS).split()
    assert all(len(line) <= columns for line in view._in_lines(ALL_KEYS).split("\n"))


@pytest.mark.long
@pytest.mark.parametrize("done", [0, 1, 5_000, 10_000])
def test_of_a_long_run_a_screen_is_drawn(done: int, typed: Callable[..., StepScreen]) -> None:
    """A key costs what the screen costs, however long the run; the last move's row is among those drawn."""
    input = Node(0, "x", "input", (), 1.0, None)
    nodes = [Node(i, None, "mul", (i - 1,), 1.0, None, expression="x * x") for i in range(1, 10_001)]
    view = typed("", StepsOfSweep(TapeListing("f", {"x": 1.0}, 1.0, (input, *nodes), result=10_000), (), {}))
    view.place = view.place.to(done)
    rows = text(view.tape())

    assert len(rows) == view.application.output.get_size().rows
    assert [f">%{done}"] * bool(done) == [row.split()[0] for row in rows if row.startswith(">")]
    assert view._row().y == next((n for n, row in enumerate(rows) if row.startswith(">")), 0)
