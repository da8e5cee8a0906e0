"""The full-screen view of `step`: source on the left, tape on the right, and a key for each move."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Point, Size
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    VSplit,
    Window,
)
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.output import Output, create_output
from prompt_toolkit.styles import Style
from prompt_toolkit.utils import suspend_to_background_supported

from gradcli.errors import GradcliError
from gradcli.shared.message_wording import clean
from gradcli.shared.records.explanations import Addition, Perturbation, Steps
from gradcli.shared.records.result_and_finding import Structure
from gradcli.shared.records.tapes import Node, Outcome
from gradcli.terminal.render.layout.numbers import by_component, exact, few, short
from gradcli.terminal.render.layout.wrapped_text import wrapped
from gradcli.terminal.render.tapes.listing import question
from gradcli.terminal.render.tapes.node_labels import handle, label, operation, own_name
from gradcli.terminal.repl.step_model import Cells, Position, enclosing, first_line
from gradcli.terminal.repl.terminal.tape_columns import Columns, NodeRow, columns_of, in_brief
from gradcli.terminal.repl.terminal.terminal_state import restored_when_ended

LEAST_SCREEN = 60  # columns below which the source is left out
LEAST_WIDTH = 10
BEGINNING = (
    "the inputs are given; the right arrow computes the first step. Backwards, each quantity gets its sensitivity: add "
    "ε to the quantity, and the result changes by its sensitivity times ε (p tries it)"
)
KEYS = "arrows · Enter open · / search · n next · g go to · p perturb · ? keys · q leave"
NO_SEARCH = "nothing was searched for yet: type / first"
ALL_KEYS = (
    "right, down, l, j, space: on · left, up, h, k: back · page down, page up: ten moves · home, end: to the ends · "
    "Enter: every number of this node, and back · "
    "/: search in names, formulas and lines · n: the next that holds it · g: go to a name or a number · "
    "p: add ε to this quantity and watch the result · ?, q, Escape: close this help · q, Escape, Ctrl-D: leave"
)
STYLE = Style.from_dict(
    {
        "lit": "reverse bold",
        "current": "bold",
        "quiet": "fg:ansibrightblack",
        "sensitivity": "fg:ansicyan",
        "bar": "reverse",
    }
)

Try = Callable[[str], Perturbation]


class StepScreen:
    """The screen of one run.

    Args:
        steps: the run.
        attempt: perturbs a quantity of the run, by name.
        input, output: the terminal; by default that of the process.
    """

    def __init__(self, steps: Steps, attempt: Try, input: Input | None = None, output: Output | None = None) -> None:
        self.place = Position(steps)
        self.names = {node.index: node.name for node in steps.tape.nodes if node.name}
        self.columns = columns_of(self._texts(node, node.value, node.sensitivity) for node in steps.tape.nodes)
        self.attempt = attempt
        self.message = KEYS
        self.is_open = False  # whether all numbers of the last node are shown
        self.asking = ""  # the prompt of the bottom line: search, or go to
        self.sought = ""
        self.line = Buffer(multiline=False, accept_handler=self._answered)
        self.application: Application[None] = Application(
            layout=Layout(self._screen()),
            key_bindings=self._keys(),
            style=STYLE,
            full_screen=True,
            input=input,
            output=output or create_output(sys.__stdout__),  # a session redirects stdout
        )

    def run(self) -> None:
        """Show the run until the user quits, then restore the terminal."""
        with restored_when_ended(full_screen=True):
            self.application.run()

    def _screen(self) -> HSplit:
        source = FormattedTextControl(self.source, get_cursor_position=self._source_row)
        source_window = Window(source, get_vertical_scroll=lambda _: self._first_source_row())
        shows_source = Condition(self._shows_source)
        tape = FormattedTextControl(self.tape, focusable=True, show_cursor=False, get_cursor_position=self._row)
        self.tape_window = Window(tape, wrap_lines=False, width=self._width_of_tape, dont_extend_width=True)
        titles = Window(FormattedTextControl(self.titles), height=1, width=self._width_of_tape, dont_extend_width=True)
        place = Window(FormattedTextControl(self.function), height=1, style="class:quiet")
        asking = Condition(lambda: bool(self.asking))
        message = FormattedTextControl(lambda: self._in_lines(self.message))
        message_window = Window(message, height=Dimension(min=1, max=8), wrap_lines=True, dont_extend_height=True)
        before = BeforeInput(lambda: f"{self.asking}: ")
        self.input_window = Window(BufferControl(self.line, input_processors=[before]), height=1)
        return HSplit(
            [
                VSplit(
                    [
                        ConditionalContainer(HSplit([place, source_window]), filter=shows_source),
                        ConditionalContainer(Window(width=1, char="│"), filter=shows_source),
                        HSplit([titles, self.tape_window]),
                    ]
                ),
                Window(
                    FormattedTextControl(lambda: self._in_lines(self.caption())),
                    height=Dimension(min=2, max=6),
                    style="class:bar",
                    wrap_lines=True,
                ),
                ConditionalContainer(message_window, filter=~asking),
                ConditionalContainer(self.input_window, filter=asking),
            ]
        )

    def _width_of_tape(self) -> Dimension:
        return Dimension.exact(max(1, min(self._columns().total, self._size().columns)))

    def _columns(self) -> Columns:
        """The columns of the tape, which leave the source a third of the screen if it needs that much."""
        columns = self._size().columns
        if not self._shows_source():
            return self.columns.within(columns)
        numbered = self._lines()
        source = len(str(numbered[-1][0])) + 1 + max(len(text.rstrip()) for _, text in numbered)
        return self.columns.within(max(columns * 2 // 3, columns - 1 - source))

    def _shows_source(self) -> bool:
        """Whether the screen is wide enough for the source beside the tape."""
        return self._size().columns >= LEAST_SCREEN

    def _in_lines(self, text: str) -> str:
        return "\n".join(wrapped(text, max(LEAST_WIDTH, self._size().columns)))

    def _size(self) -> Size:
        return self.application.output.get_size()

    def source(self) -> StyleAndTextTuples:
        """The source lines, with the line of the last move highlighted; for a typed expression, its text."""
        lit, numbered = self._line(), self._lines()
        digits = len(str(numbered[-1][0]))
        return [
            (
                "class:lit" if number == lit else "",
                f"{number:{digits}} {clean(text.rstrip())}\n" if number else f"{clean(text)}\n",
            )
            for number, text in numbered
        ]

    def _lines(self) -> list[tuple[int, str]]:
        """The numbered lines of the last move's file, or those in the tape if the file cannot be read."""
        nodes, here = self.place.steps.tape.nodes, self.place.node
        files = [
            node.file for node in (*([here] if here else []), *nodes) if node.file and not node.file.startswith("<")
        ]
        if not files:
            return [(0, self.place.steps.tape.reading or self.place.steps.tape.target)]
        known = {node.line: node.source or "" for node in nodes if node.file == files[0] and node.line}
        return list(enumerate(linecache.getlines(files[0]), 1)) or sorted(known.items())

    def _line(self) -> int:
        """The line of the last move; at the start, that of the first move."""
        here = self._lit_node()
        return (here.line if here else None) or 0

    def _lit_node(self) -> Node | None:
        """The node of the last move; at the start, the first one with a line."""
        return self.place.node or next((node for node in self.place.steps.tape.nodes if node.line), None)

    def _source_row(self) -> Point:
        numbers = [number for number, _ in self._lines()]
        return Point(0, numbers.index(self._line()) if self._line() in numbers else 0)

    def _first_source_row(self) -> int:
        """The row of the first line of the highlighted line's function, which stands at the top if there is room."""
        node, numbers = self._lit_node(), [number for number, _ in self._lines()]
        first = first_line(node.file, node.line) if node and node.file and node.line else 1
        return numbers.index(first) if first in numbers else 0

    def _row(self) -> Point:
        return Point(0, 0 if self.is_open else self._here() - self._first())

    def _here(self) -> int:
        return self.place.row_of(self.place.node.index) if self.place.node else 0

    def _first(self) -> int:
        """The first row of the tape to draw, so that the row of the last move is visible."""
        rows = self._size().rows
        return max(0, min(self._here() - rows // 2, len(self.place.steps.tape.nodes) - rows))

    def tape(self) -> StyleAndTextTuples:
        """One line per node: number, name, known value and sensitivity, and formula."""
        if self.is_open:
            return self.numbers()
        first = self._first()
        rows = self.place.cells(slice(first, first + self._size().rows))
        columns = self._columns()
        texts = (columns.texts(self._texts(row.node, row.value, row.sensitivity)) for row in rows)
        return [piece for row, cells in zip(rows, texts, strict=True) for piece in drawn(row, cells)]

    def titles(self) -> StyleAndTextTuples:
        return [("class:quiet", "" if self.is_open else self._columns().titles())]

    def function(self) -> str:
        """The function that contains the highlighted line; empty for a typed expression."""
        node = self._lit_node()
        name = enclosing(node.file, node.line) if node and node.file and node.line else ""
        return clean(f"in {name}") if name else ""

    def numbers(self) -> StyleAndTextTuples:
        """All numbers of the node of the last move, with their known sensitivities.

        At the start and at the end, those of the inputs.
        """
        rows: list[tuple[str, str, str]] = [("number", "value", "sensitivity")]
        for cells in self._opened():
            name = clean(own_name(self.place.steps.tape, cells.node)) or handle(cells.node.index)
            known = by_component({name: cells.sensitivity}) if cells.sensitivity is not None else ()
            pairs = zip_longest(by_component({name: cells.value}), known, fillvalue=("", None))
            rows += [(clean(label), in_brief(number), in_brief(slope)) for (label, number), (_, slope) in pairs]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        shown = ("  ".join(map(str.ljust, row, widths)) for row in rows[: self._size().rows])
        return [("", f"{line}\n") for line in shown]

    def _opened(self) -> list[Cells]:
        place = self.place
        if place.node and place.done < place.last:
            return place.cells(slice(self._here(), self._here() + 1))
        return [cell for cell in place.cells() if not cell.node.inputs]

    def _texts(self, node: Node, value: Structure, sensitivity: Structure) -> NodeRow:
        formula = clean(operation(node, self.names))
        return NodeRow(handle(node.index), clean(own_name(self.place.steps.tape, node)), value, sensitivity, formula)

    def caption(self) -> str:
        """The position in the sweep, and the effect of the last move."""
        place, node = self.place, self.place.node
        if node is None:
            return f"0 of {place.last}: {BEGINNING}"
        called, how = map(clean, label(place.steps.tape, node, self.names))
        shown = f"{called} = {how}" if how else called
        if place.move is None:
            asked = "".join(map(asked_of, place.outcomes))
            return f"{place.done} of {place.last}, forwards: {shown} = {few(node.value)}{asked}"
        passed_on = "; ".join(map(addition_text, place.move.additions)) or "nothing"
        return f"{place.done} of {place.last}, backwards: {shown} passes on {clean(passed_on)}"

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        moving = Condition(lambda: not self.asking)
        for names, moves in ((("right", "down", "l", "j", " "), 1), (("left", "up", "h", "k"), -1)):
            for name in names:
                keys.add(name, filter=moving)(self._mover(moves))
        for name, moves in (("pagedown", 10), ("pageup", -10), ("home", -(10**9)), ("end", 10**9)):
            keys.add(name, filter=moving)(self._mover(moves))
        keys.add("/", filter=moving)(lambda event: self._ask("search"))
        keys.add("g", filter=moving)(lambda event: self._ask("go to"))
        keys.add("n", filter=moving)(lambda event: self.search(self.sought) if self.sought else self.say(NO_SEARCH))
        keys.add("p", filter=moving)(lambda event: self.perturb())
        keys.add("enter", filter=moving)(lambda event: self._open(not self.is_open))
        keys.add("?", filter=moving)(lambda event: self.say(KEYS if self.message == ALL_KEYS else ALL_KEYS))
        for name in ("q", "escape", "c-d"):
            keys.add(name, filter=moving)(lambda event: event.app.exit())
        is_helping = Condition(lambda: self.message == ALL_KEYS)
        for name in ("q", "escape"):
            keys.add(name, filter=moving & is_helping, eager=True)(lambda event: self.say(KEYS))
        is_open = Condition(lambda: self.is_open)
        keys.add("escape", filter=moving & is_open, eager=True)(lambda event: self._open(False))
        keys.add("c-z", filter=Condition(suspend_to_background_supported))(
            lambda event: event.app.suspend_to_background()
        )
        keys.add("c-c")(lambda event: event.app.exit())
        keys.add("escape", filter=~moving, eager=True)(lambda event: self._ask(""))
        return keys

    def _open(self, is_open: bool) -> None:
        self.is_open = is_open

    def _mover(self, moves: int) -> Callable[[KeyPressEvent], None]:
        def move(_: KeyPressEvent) -> None:
            self.place, self.message = self.place.by(moves), KEYS

        return move

    def _ask(self, what: str) -> None:
        self.asking = what
        self.line.reset()
        self.application.layout.focus(self.input_window if what else self.tape_window)

    def _answered(self, line: Any) -> bool:
        asked, text = self.asking, self.line.text
        self._ask("")
        if text.strip() and asked == "search":
            self.search(text)
        elif text.strip():
            self._arrive(self.place.find(text), f"there is no {text.strip()!r} in this run")
        return False

    def say(self, text: str) -> None:
        self.message = text

    def search(self, text: str) -> None:
        """Go to the next node that contains a text."""
        self.sought = text
        self._arrive(self.place.search(text), f"nothing holds {text!r}")

    def _arrive(self, index: int | None, missing: str) -> None:
        self.message = KEYS if index is not None else clean(missing)
        self.place = self.place if index is None else self.place.at_node(index)

    def perturb(self) -> None:
        """Perturb the node of the last move, and report whether the result agrees with its sensitivity."""
        node = self.place.node or self.place.steps.tape.nodes[0]
        name = node.name or handle(node.index)
        try:
            self.message = clean(tried(self.attempt(name)))
        except GradcliError as error:
            self.message = clean(error.message)


def drawn(row: Cells, texts: list[str]) -> StyleAndTextTuples:
    """A line of the tape, with the changes of the last move highlighted."""
    number, name, value, sensitivity, formula = texts
    here = "class:current" if row.current else ""
    return [
        (here or "class:quiet", (">" if row.current else " ") + number + " "),
        (here, name + "  "),
        ("class:lit" if row.value_is_new else here, value),
        ("", "  "),
        ("class:lit" if row.sensitivity_is_new else "class:sensitivity", sensitivity),
        (here, f"  {formula.rstrip()}\n"),
    ]


def addition_text(addition: Addition) -> str:
    """A term as text: `s_b += t_cd * s_bcd, 24.0 = 4.0 + 20.0`."""
    after, before, amount = few(addition.after), few(addition.before), few(addition.amount)
    sum_ = f" = {before} {'-' if amount.startswith('-') else '+'} {amount.removeprefix('-')}"
    is_first = all(number == 0 for _, number in by_component({"": addition.before}))
    return f"{addition.name} += {addition.term}, {after}{'' if is_first else sum_}"


def tried(record: Perturbation) -> str:
    """The result of a perturbation as one line."""
    push = next((push for push in record.pushes[1:] if push.slope is not None), None)
    if push is None:
        return f"{record.name} ± a little: the program would take another path"
    moved = f"{record.name} moved by ± {push.step:.2g}"
    return f"{moved}: the slope of the result is {exact(push.slope)}, the sensitivity {exact(record.sensitivity)}"


def asked_of(outcome: Outcome) -> str:
    """A recorded outcome as text: `; before it x > 2.0 was True, line 5`."""
    line = f", line {outcome.line}" if outcome.line else ""
    return f"; before it {clean(question(outcome))} was {clean(short(outcome.outcome))}{line}"
