"""An answer as text for stdout and stderr, and as the objects of its JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gradcli.errors import GradcliError, place
from gradcli.queries.session_workspace import Binding
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.json_form import SCHEMA, as_json, error_as_json, plain
from gradcli.shared.records.tapes import TapeListing
from gradcli.terminal import render
from gradcli.terminal.render.layout.numbers import count, in_a_line
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Row, Stack, line, lines
from gradcli.terminal.render.layout.theme import NAME, QUIET, RESULT
from gradcli.terminal.repl.answers import Answer

AsError = Callable[[BaseException], GradcliError]
Shown = tuple[str, str]
"""The texts for stdout and stderr."""


def shown(answer: Answer, as_error: AsError, look: Look, aside: Look | None = None) -> tuple[list[Shown], Answer]:
    """The texts of an answer, in order, and the answer itself, with an error if rendering failed.

    Args:
        answer: the answer to a line.
        as_error: converts an exception during rendering to a gradcli error.
        look: the look of stdout.
        aside: the look of stderr, if it differs.
    """
    aside = aside or look
    try:
        texts = list(pieces(answer, look, aside))
    except Exception as raised:
        error = as_error(raised)
        answer = answer.changed(error=error, exit=error.exit)
        texts = list(pieces(answer, look, aside))
    inner_answers = []
    for part in answer.inner:
        if part.line and look.terminal:
            first, *more = part.line.split("\n")
            again = lines([f"> {first}", *(f". {typed}" for typed in more)], style=QUIET)
            texts.append((render.as_text(Stack(*again), look), ""))
        inner_texts, inner = shown(part, as_error, look, aside)
        texts += inner_texts
        inner_answers.append(inner)
    return texts, answer.changed(inner=tuple(inner_answers))


def pieces(answer: Answer, look: Look, aside: Look) -> Iterator[Shown]:
    """The texts of one answer, notes first."""
    if answer.notes:
        yield "", render.as_text(Stack(*lines(answer.notes, style=QUIET)), aside)
    if answer.error is not None:
        yield "", error_text(answer, aside)
        return
    remark = render.as_text(line((answer.remark, QUIET)), aside) if answer.remark else ""
    if answer.known:
        meanings = [known.changed(meaning=to_digits(known.meaning, answer.digits)) for known in answer.known]
        yield render.as_text(Stack(*(known_row(known, look) for known in meanings)), look), remark
    if answer.value is not None:
        value = to_digits(answer.value, answer.digits)
        yield render.as_text(value_row(value, answer.number, look), look), remark
    if answer.text:
        yield within(answer.text, look), ""
    if answer.record is not None:
        findings = () if answer.as_json else getattr(answer.record, "findings", ())
        yield record_text(answer, look), render.findings_text(findings, aside)
    if answer.draw is not None and answer.number and look.terminal and not (answer.as_json or answer.as_table):
        is_tape = isinstance(answer.record, TapeListing)
        nodes = f", its nodes as %0 to %{len(answer.record.nodes) - 1}" if is_tape else ""
        yield render.as_text(line((f"the value is stored as _{answer.number}{nodes}", QUIET)), look), ""


def within(text: str, look: Look) -> str:
    """A text with long lines wrapped on a terminal; coloured lines already have the right width."""
    if not (look.terminal and look.width):
        return text
    return "".join(line if "\x1b" in line else broken(line, look.width) for line in text.splitlines(keepends=True))


def broken(line: str, width: int) -> str:
    """A line wrapped to a width at spaces, with continuation lines indented."""
    if len(line.rstrip("\n")) <= width:
        return line
    import textwrap

    indent = " " * (len(line) - len(line.lstrip(" ")) + 2)
    wrapper = textwrap.TextWrapper(width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return wrapper.fill(line) + "\n"


def error_text(answer: Answer, look: Look) -> str:
    """The error of an answer, with its place in a script."""
    assert answer.error is not None
    return render.error_text(answer.error, look, before=f"{place(*answer.origin)}: " if answer.origin else "")


def record_text(answer: Answer, look: Look) -> str:
    """The record as rendered by its command, or the short view of an expression."""
    as_data = answer.as_json or answer.as_table
    record = answer.record if as_data else to_digits(answer.record, answer.digits)
    if answer.draw is not None:
        return answer.draw(record, look)
    from gradcli.terminal.render import gradient

    rest = gradient.rest(count(record.gradient), look)
    return render.as_text(
        Stack(value_row(record.value, answer.number, look), gradient.sheet(record, look), *rest), look
    )


def to_digits(shown: Any, digits: int | None) -> Any:
    """A record or a structure with its numbers rounded to so many significant digits; unchanged for None."""
    if digits is None:
        return shown
    if isinstance(shown, float):
        return float(f"{shown:.{digits}g}")
    if isinstance(shown, Frozen):
        return shown.changed(**{name: to_digits(part, digits) for name, part in shown.items()})
    if isinstance(shown, Mapping):
        return {key: to_digits(part, digits) for key, part in shown.items()}
    return type(shown)(to_digits(part, digits) for part in shown) if type(shown) in (list, tuple) else shown


def value_row(value: Any, number: int, look: Look) -> Row:
    """A value as `= 5.0`, with the name that refers to it later."""
    name = [(f"  _{number}", QUIET)] if number else []
    return line(("= ", QUIET), (in_a_line(value, look.terminal), RESULT), *name)


def known_row(known: Binding, look: Look) -> Row:
    """A name and its meaning as it would be typed, with the file of a loaded function."""
    if known.kind == "value":
        return line((known.name, NAME), f" = {in_a_line(known.meaning, look.terminal)}")
    whence = [(f"  {known.file}", QUIET)] if known.file else []
    return line((known.name, NAME), str(known.meaning).removeprefix(known.name), *whence)


def answer_objects(answer: Answer) -> Iterator[dict[str, Any]]:
    """The objects of an answer and of its inner answers; the object of an error has the key `error`.

    `command` is that of the record, `value` for an expression without inputs, `names` for names and their meanings, and
    `text` for a help page.
    """
    origin = dict(zip(("input_file", "input_line"), answer.origin or (), strict=False))
    for item in parts(answer):
        yield {**item, "input": answer.line, **origin}
    for inner in answer.inner:
        yield from answer_objects(inner)


def parts(answer: Answer) -> Iterator[dict[str, Any]]:
    """The objects of an answer without its inner answers."""
    if answer.error is not None:
        item = error_as_json(answer.error)
        if answer.origin and answer.error.file is None:
            item["error"]["file"], item["error"]["line"] = answer.origin
        yield item
        return
    texts = [*answer.notes, *([answer.remark] if answer.remark else [])]
    notes = {"notes": texts} if texts else {}
    if answer.known:
        names = [plain(known) for known in answer.known]
        yield {"schema": SCHEMA, "command": "names", "names": names, **notes}
    if answer.value is not None:
        yield {"schema": SCHEMA, "command": "value", "value": plain(answer.value), **notes}
    if answer.text:
        yield {"schema": SCHEMA, "command": "text", "text": answer.text, **notes}
    if answer.record is not None:
        yield {**as_json(answer.record), **notes}
