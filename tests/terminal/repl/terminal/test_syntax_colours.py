"""The colours of a line that is typed."""

import pytest
from prompt_toolkit.document import Document

from gradcli import queries
from gradcli.terminal.repl.terminal.syntax_colours import LONGEST, Words, coloured


@pytest.mark.parametrize(
    ("expected", "line"),
    [
        ([("class:command", "grad"), ("class:function", "f"), ("class:option", "--at")], "grad f --at"),
        ([("class:known", "x"), ("class:function", "sin"), ("", "y"), ("class:comment", "# x")], "x * sin(y) # x"),
        ([("class:known", "_1"), ("class:string", "'grad'")], "_1 'grad'"),
    ],
)
def test_words(expected, line, session):
    for text in ("f(a) = a", "x = 3", "x + 0"):
        session.run(text)
    parts = list(coloured(line, session))

    assert line == "".join(text for _, text in parts)
    assert [(style, text) for style, text in parts if style or text == "y"] == expected


def test_a_key_costs_little(session, monkeypatch):
    """The functions are asked for once a line, not once a word; a very long line has no colours."""
    asked = []
    functions = queries.prompt_functions
    monkeypatch.setattr(queries, "prompt_functions", lambda: asked.append(None) or functions())

    assert sum(bool(style) for style, _ in Words(session).lex_document(Document("sin(1)" * 50))(0)) == 2 * 50
    assert len(asked) == 1
    assert Words(session).lex_document(Document("x" * (LONGEST + 1)))(0) == [("", "x" * (LONGEST + 1))]
