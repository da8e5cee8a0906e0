"""How the gradient came about: the reverse sweep, statement by statement, in the user's names and in numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from gradcli import records
from gradcli.diagnose.paths import idle_inputs
from gradcli.explain.forward import ForwardStory
from gradcli.explain.reverse_steps import Contribution, Story, Told
from gradcli.explain.statements import heads
from gradcli.numerics.coordinates import plain
from gradcli.pytree import leaves, map_leaves
from gradcli.queries.bound_target import Question, ask
from gradcli.queries.node_selection import Picked, direction, picked
from gradcli.queries.tape_listing import source
from gradcli.targets import Asked, Where
from gradcli.targets.expressions import Formula
from gradcli.traces.trace import Trace
from gradcli.transforms.gradients import number_of


def explain(target: Asked, at: Where, wrt: str | None = None, *, node: str | None = None) -> records.Explanation:
    """The reverse sweep of a run of `target` at `at`.

    Args:
        target: a target as typed, or one that was resolved before.
        at: the point, as typed or by name.
        wrt: what leads to these inputs only.
        node: what leads to the sensitivity on this quantity only: `t_cd`, `x#3`, `%7`.

    Raises:
        UsageError: the target, the point or the quantity cannot be understood, found or fitted.
        ResultError: the result is not one number.
    """
    question = ask(target, at, wrt)
    trace = question.record(names=True)
    value = float(number_of(question.function, trace.value))
    chosen = None if node is None else picked(trace, node)
    story = Story(trace, _told_nodes(question, trace, chosen), is_typed=isinstance(question.function, Formula))
    inputs = dict(zip(question.point, trace.inputs, strict=True))
    if chosen is None:
        ends = {index for name in question.wanted for index in leaves(inputs[name])}
        found = {name: map_leaves(lambda index: story.sensitivities[index], inputs[name]) for name in question.wanted}
    else:
        ends, found = {chosen.node}, {story.symbols.of(chosen.name): chosen.read(story.sensitivities[chosen.node])}
    told = tuple(_statements(story, depending(trace, ends)))
    return records.Explanation(
        question.target.text,
        plain(question.point),
        value,
        told,
        plain(found),
        {name: plain(value) for name, value in story.operands.items()},
        chosen.name if chosen else None,
        question.target.reading,
        (*question.target.findings, *idle_inputs(trace, question.point, question.wanted)),
    )


def forward_sweep(target: Asked, at: Where, along: str | None = None) -> records.ForwardSweep:
    """The forward sweep of a run of `target` at `at`, along one input or a direction.

    Args:
        target: a target as typed, or one that was resolved before.
        at: the point, as typed or by name.
        along: one number of the point (`x`, `x[0]`), an array of it (each of its numbers moves alike), or a direction
            typed as a point is; the first number by default.

    Raises:
        UsageError: the target, the point or the direction cannot be understood, found or fitted.
        ResultError: the result is not one number.
    """
    question = ask(target, at)
    trace = question.record(names=True)
    value = float(number_of(question.function, trace.value))
    moving = direction(question, along)
    moves = dict(zip(trace.input_indices(), leaves(list(moving.values())), strict=True))
    is_typed = isinstance(question.function, Formula)
    story = ForwardStory(trace, moves, fixed_nodes(question, trace), is_typed=is_typed)
    last = trace.result_index()
    told = tuple(_statement(story.story, told, tuple(map(_addition, told.additions))) for told in story.forwards())
    return records.ForwardSweep(
        question.target.text,
        plain(question.point),
        value,
        plain(moving),
        told,
        0.0 if last is None else float(story.tangents[last]),
        {name: plain(value) for name, value in story.operands.items()},
        question.target.reading,
    )


def _told_nodes(question: Question, trace: Trace, chosen: Picked | None) -> set[int] | None:
    """The nodes to tell of: those of the statements, and the one that was asked for."""
    fixed = fixed_nodes(question, trace)
    if chosen is None:
        return fixed
    return {*heads(trace, fixed), chosen.node}


def fixed_nodes(question: Question, trace: Trace) -> set[int] | None:
    """The nodes to tell of: of a typed expression the inputs and the result, else those that the user would name."""
    if not isinstance(question.function, Formula):
        return None
    last = trace.result_index()
    return {*trace.input_indices(), *([] if last is None else [last])}


def depending(trace: Trace, inputs: Collection[int]) -> set[int]:
    """The nodes that some of the inputs have a part in, with those inputs."""
    found = set(inputs)
    for node in trace.nodes:
        if not found.isdisjoint(node.inputs):
            found.add(node.index)
    return found


def _statements(story: Story, wanted: set[int]) -> Iterator[records.Statement]:
    for told in story.backwards():
        additions = tuple(_addition(each) for each in told.additions if each.node in wanted)
        if additions:
            yield _statement(story, told, additions)


def _statement(story: Story, told: Told, additions: tuple[records.Addition, ...]) -> records.Statement:
    file, line = story.trace.nodes[told.node].place or (None, None)
    if file is None or file.startswith("<"):  # a typed expression
        file, line = None, None
    return records.Statement(
        told.node,
        told.name,
        told.symbol,
        told.expression,
        plain(told.value),
        plain(told.sensitivity),
        file,
        line,
        source(file, line),
        additions,
    )


def _addition(told: Contribution) -> records.Addition:
    return records.Addition(told.node, told.name, told.term, plain(told.amount), plain(told.before), plain(told.after))
