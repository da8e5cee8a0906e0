"""How the gradient came about: the reverse sweep, statement by statement, in the user's names and in numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from gradcli import records
from gradcli.diagnose.paths import idle_inputs
from gradcli.explain.story import Addition, Story, Told
from gradcli.methods.components import plain
from gradcli.queries.listing import source
from gradcli.queries.question import Question, ask
from gradcli.tape.recording import Recording
from gradcli.tape.structure import leaves, map_leaves
from gradcli.tape.tape import CONSTANT
from gradcli.targets import Asked, Where
from gradcli.targets.expressions import Formula
from gradcli.transforms import number_of


def explain(target: Asked, at: Where, wrt: str | None = None) -> records.Explanation:
    """The reverse sweep of a run of `target` at `at`; with `wrt`, what leads to these inputs only.

    Raises:
        UsageError: the target or the point cannot be understood, found or fitted.
        ResultError: the result is not one number.
    """
    question = ask(target, at, wrt)
    recording = question.record(names=True)
    value = float(number_of(question.function, recording.value, recording))
    story = Story(recording, fixed_rows(question, recording))
    rows = dict(zip(question.point, recording.inputs, strict=True))
    gradient = {name: map_leaves(lambda row: story.sensitivities[row], rows[name]) for name in question.wanted}
    return records.Explanation(
        question.target.text,
        plain(question.point),
        value,
        tuple(
            _statements(story, depending(recording, {row for name in question.wanted for row in leaves(rows[name])}))
        ),
        plain(gradient),
        question.target.reading,
        tuple(idle_inputs(recording, question.point, question.wanted)),
    )


def fixed_rows(question: Question, recording: Recording) -> set[int] | None:
    """The rows to tell of: of a typed expression the inputs and the result, else those that the user would name."""
    if not isinstance(question.function, Formula):
        return None
    last = recording.result_index()
    return {*recording.input_rows(), *([] if last is None else [last])}


def depending(recording: Recording, inputs: Collection[int]) -> set[int]:
    """The rows that some of the inputs have a part in, with those inputs."""
    found = set(inputs)
    for index, row in enumerate(recording.rows):
        if any(operand in found for operand in row[2::2] if operand != CONSTANT):
            found.add(index)
    return found


def _statements(story: Story, wanted: set[int]) -> Iterator[records.Statement]:
    for told in story.backwards():
        additions = tuple(_addition(each) for each in told.additions if each.row in wanted)
        if additions:
            yield _statement(story, told, additions)


def _statement(story: Story, told: Told, additions: tuple[records.Addition, ...]) -> records.Statement:
    watch = story.recording.watch
    file, line = (watch.place(told.row) if watch else None) or (None, None)
    if file is None or file.startswith("<"):  # a typed expression
        file, line = None, None
    return records.Statement(
        told.row,
        told.name,
        told.expression,
        plain(told.value),
        plain(told.sensitivity),
        file,
        line,
        source(file, line),
        additions,
    )


def _addition(told: Addition) -> records.Addition:
    return records.Addition(told.row, told.name, told.term, plain(told.amount), plain(told.before), plain(told.after))
