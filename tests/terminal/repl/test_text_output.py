"""Answers as text."""

from gradcli.errors import Exit
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.repl.text_output import shown


def texts(session, answer):
    """What is written, and the answer after it was drawn."""
    drawn, answer = shown(answer, session.shell.error, Look(width=80))
    return "".join(map("".join, drawn)), answer


def test_an_answer_that_cannot_be_drawn_is_an_error(session):
    session.run("f(x) = x^2")

    text, answer = texts(session, session.run("tape f --at 3 --format csv --tree"))

    assert "csv has the whole tape, not --tree." in text
    assert Exit.USAGE == answer.exit
    assert session.run("2 + 2").value == 4.0


def test_a_fault_while_drawing_is_an_error(session):

    def draw(record, look):
        raise ZeroDivisionError("of ours")

    text, answer = texts(session, session.run("grad x^2 --at 3").changed(draw=draw))

    assert "This is a bug in gradcli: ZeroDivisionError: of ours" in text
    assert Exit.INTERNAL == answer.worst


def test_the_other_answers_of_a_script_are_drawn(session, tmp_path):
    (tmp_path / "s.gradcli").write_text("1 + 1\ntape x^2 --at 3 --format csv --tree\n2 + 2\n")

    text, answer = texts(session, session.run("run s.gradcli"))

    assert [line[:5] for line in text.splitlines() if line.startswith("=")] == ["= 2.0", "= 4.0"]
    assert "not --tree" in text
    assert Exit.USAGE == answer.worst
