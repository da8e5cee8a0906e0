"""Random lines: each is answered, or refused with an error of ours; none is a fault of ours, and none raises."""

import random

import pytest

from gradcli.errors import Exit, GradcliError
from gradcli.terminal.render import Look
from gradcli.terminal.repl.completion import suggestions
from gradcli.terminal.repl.preview import preview
from gradcli.terminal.repl.text_output import shown

WORDS = """
    grad tape jacobian hessian symbolic at names forget help set load run keys vi preview off points G101
    x y z f g v _ _1 %1 %2 pi e 1 2 0 0.5 1e308 1e-320 nan inf -1 [1,2] [] {} {"a":1} x=1 y=2 f(x,y)= f(x)= g(a)= x=
    + - * / // % ^ ** < == = ( ) , ; : . @ # ' " \\ and or not if else sin( max( sum( log( where( gamma(
    --at --wrt --json --width --strict --help --nonsense -h 1,2 @nowhere.json nowhere.py nowhere.py:f x.y
    \t ² é ∂ \x00 \ud800
""".split()


def line(random_: random.Random) -> str:
    """Some words, mostly with spaces between them; now and then a line break."""
    count = random_.randint(1, 9)
    return "".join(
        random_.choice(WORDS) + random_.choice(["", " ", " ", "\n" if count > 7 else " "]) for _ in range(count)
    )


def play(session, seed, count):
    """Answer so many lines; the faults among the answers."""
    random_ = random.Random(seed)
    for text in ("x = 2", "y = 3", "f(x, y) = x * y", "v = [1, 2]"):
        session.run(text)
    for _ in range(count):
        text = line(random_)
        suggestions(text, random_.randint(0, len(text)), session)
        preview(text, session)
        answer = session.run(text)
        _, answer = shown(answer, session.shell.error, Look(width=60, terminal=True))
        if answer.exit == Exit.INTERNAL or not isinstance(answer.error, (GradcliError, type(None))):
            yield text, str(answer.error)


def test_random_lines(session):
    assert list(play(session, 1, 300)) == []


def test_a_number_has_no_gradient(session):
    session.run("1 + 1")

    assert "has no inputs, so it has no gradient" in str(session.run("grad _").error)


@pytest.mark.long
def test_very_many_random_lines(session):
    assert list(play(session, 2, 5_000)) == []
