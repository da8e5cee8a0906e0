"""A number that a program writes as text and reads again: its derivative is lost there, which no value can notice."""

from __future__ import annotations

from gradcli.errors import DetachedError
from gradcli.methods.components import components
from gradcli.queries.question import Question
from gradcli.tape.recording import Recording
from gradcli.tape.tape import TEXT


def refuse_text(question: Question, tape: Recording, value: float) -> None:
    """Give up where a program whose result is `value` computes with what it has read of a text.

    What is only written does no harm.  A program that writes no text pays nothing, any other two runs.

    Raises:
        DetachedError: it does; at the line where the text is made, if there is one alone.
    """
    if all(outcome[1] != TEXT for outcome in tape.outcomes) or question.device.number is not None:
        return
    from gradcli.crosscheck.around import reads_text
    from gradcli.crosscheck.case import Case

    case = Case(question.function, question.point, components(question.point), tape, value, question.guard)
    if not reads_text(case, directions=1):
        return
    watch = question.record(names=True).watch
    texts = (number for number, outcome in enumerate(tape.outcomes) if outcome[1] == TEXT)
    places = {watch.place_of_outcome(number) for number in texts} if watch else set()
    file, line = (places.pop() if len(places) == 1 else None) or (None, None)
    raise DetachedError(
        "a number is written as text and read again, so its derivative would be lost",
        hint="Compute with the number itself, or mean it: `gradcli.stop_gradient(x)`. `gradcli help G402` says more.",
        file=file,
        line=line,
    )
