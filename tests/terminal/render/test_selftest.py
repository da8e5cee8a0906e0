"""How a self-test is shown."""

from gradcli.shared.records.checks import Mutant, SelfTest
from gradcli.terminal.render import Look, record_text

CAUGHT = Mutant("sin", "x", "sign", "-(cos(x))", "caught", "0.3")
SAME = Mutant("clip", "high", "exchanged arguments", "0", "equivalent", None)
MISSED = Mutant("det", "", "factor", "in det", "missed", "[[2.0]]")


def test_all_caught() -> None:
    assert (
        "2 wrong rules made of 1, each checked where it differs from the right one\n"
        "\n"
        "pass · 2 caught, 0 equivalent, 0 missed · 3 s · exit 0\n"
    ) == record_text(SelfTest((CAUGHT, CAUGHT), (), 3.2), Look())


def test_what_was_not_caught_is_listed() -> None:
    """Missed mutants first, then those that are equivalent, then the rules that took no part."""
    shown = record_text(SelfTest((CAUGHT, SAME, MISSED), ("eig",), 3.2), Look()).splitlines()

    assert [
        "missed      det   all   factor               in det         [[2.0]]",
        "equivalent  clip  high  exchanged arguments  0",
    ] == [line for line in shown if line.startswith(("missed", "equivalent  "))]
    assert "not exercised: eig" in shown
    assert shown[-1] == "fail · 1 caught, 1 equivalent, 1 missed · 3 s · exit 1"
