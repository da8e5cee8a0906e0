"""The screen of `step` after some keys, as text."""

from collections.abc import Sequence

from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from gradcli import queries
from gradcli.terminal.repl.terminal.step_screen import StepScreen

KEYS = {"Right": "\x1b[C", "Left": "\x1b[D", "End": "\x1b[F", "Home": "\x1b[H", "Enter": "\r"}


class Paper(DummyOutput):
    """An output of 80 columns and 24 rows that shows nothing."""

    def get_size(self) -> Size:
        return Size(rows=24, columns=80)


def screen_of(arguments: Sequence[str], keys: Sequence[str]) -> str:
    """The screen of `gradcli step TARGET --at POINT` after some keys, given the arguments of `step`."""
    target, _, at = arguments
    steps = queries.steps(target, at)
    seen: list[str] = []
    with create_pipe_input() as pipe:
        first, second = (
            StepScreen(steps, lambda name: queries.perturb(target, at, name), pipe, Paper()) for _ in range(2)
        )
        pipe.send_text("".join(KEYS.get(key, key) for key in keys) + "q")
        first.run()
        second.place, second.message = first.place, first.message  # drawn before any key is read
        second.application.after_render += lambda application: seen.append(drawn(application))
        pipe.send_text("q")
        second.run()
    return seen[0]


def drawn(application: Application[None]) -> str:
    """The lines of a screen, without trailing spaces."""
    screen = application.renderer.last_rendered_screen
    if screen is None:  # the view is closed
        return ""
    texts = ("".join(screen.data_buffer[y][x].char for x in range(80)).rstrip() for y in range(screen.height))
    return "".join(text + "\n" for text in texts)
