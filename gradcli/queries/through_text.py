"""A number that a program writes as text and reads again: its derivative is lost there, which no value can notice."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradcli import arrays
from gradcli.methods.components import components
from gradcli.queries.question import Question
from gradcli.tape.quiet import quiet
from gradcli.tape.recording import Recording
from gradcli.tape.structure import leaves
from gradcli.tape.tape import TEXT, Tape
from gradcli.tape.value import bare, is_recorded
from gradcli.targets.expressions import Formula
from gradcli.transforms import number_of


def refuse_text(question: Question, tape: Recording, value: float) -> None:
    """Give up where a program whose result is `value` computes with what it has read of a text.

    What is only written does no harm.  A program that writes no text pays nothing, any other two runs.

    Raises:
        DetachedError: it does; at the line where the text is made, if there is one alone.
    """
    if not _writes(tape) or question.device.number is not None:
        return
    from gradcli.crosscheck.around import lost_in_text, reads_text
    from gradcli.crosscheck.case import Case

    case = Case(question.function, question.point, components(question.point), tape, value, question.guard)
    if reads_text(case, directions=1):
        raise lost_in_text(question.record(names=True))


@contextmanager
def watched(question: Question) -> Iterator[Callable[..., Any]]:
    """The function of a question whose result may be many numbers; refused like `refuse_text` once it has run inside.

    Raises:
        DetachedError: it computes with what it has read of a text.
    """
    function, wrote = question.function, []
    if isinstance(function, Formula):
        yield function
        return

    @functools.wraps(function, updated=())
    def watching(*arguments: Any) -> Any:
        result = function(*arguments)
        wrote.append(any(_writes(leaf.tape) for leaf in leaves(list(arguments)) if is_recorded(leaf)))
        return result

    yield watching
    if not any(wrote):
        return
    mixed = Question(
        question.target.changed(function=_mixed(function)), question.point, question.wanted, arrays.device("cpu")
    )
    with quiet():
        tape = mixed.record()
    if not tape.has_complex:
        refuse_text(mixed, tape, float(number_of(mixed.function, tape.value, tape)))


def _writes(tape: Tape) -> bool:
    """Whether a program has written a number as text."""
    return any(outcome[1] == TEXT for outcome in tape.outcomes)


def _mixed(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose result is that of another added up, each number with a weight of its own, so that none hides."""

    def mixed(*arguments: Any) -> Any:
        total = 0.0
        for number, leaf in enumerate(leaves(function(*arguments))):
            shape = np.shape(bare(leaf))
            weights = np.linspace(0.6, 1.3, int(np.prod(shape))).reshape(shape) if shape else 1.0
            total = total + np.sum(leaf * weights) / (number + 1.7)
        return total

    return mixed
