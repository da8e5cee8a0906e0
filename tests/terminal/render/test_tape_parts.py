"""Parts of a tape: what the transcripts of `gradcli tape` do not show of them."""

import time

import pytest

from gradcli.errors import UsageError
from gradcli.shared.records.tapes import Node
from gradcli.terminal.render import Look, record_text
from tests.terminal.render import samples


def test_a_tree_begins_at_the_result() -> None:
    told = record_text(samples.LOOP_TAPE, Look(width=80), part="tree")

    assert told.splitlines()[5] == "y = x#5 + 1  → 17.0  s 1.0"
    assert "x#5 * x#5" not in told


@pytest.mark.parametrize(
    ("message", "of"),
    [
        ("--path needs two names, and 't_a' came.", "t_a"),
        ("No way leads from ret to t_a.", "ret..t_a"),
        ("There is no quantity 't_aa' in this run.", "t_aa..ret"),
    ],
)
def test_no_path(message: str, of: str) -> None:
    with pytest.raises(UsageError) as raised:
        record_text(samples.TAPE, Look(), part="path", of=of)

    assert message == raised.value.message


def test_ten_thousand_nodes() -> None:
    """A deep tape is drawn without recursion, in parts, and every node once."""
    nodes = [Node(0, "x", "input", (), 1.0, 1.0)]
    nodes += [Node(n, None, "sin", (n - 1,), 1.0, 1.0, "f.py", n, "y", f"sin(%{n - 1})") for n in range(1, 10_000)]
    record = samples.TAPE.changed(nodes=tuple(nodes))
    start = time.perf_counter()
    told = record_text(record, Look(width=80), part="tree")

    assert 5.0 > time.perf_counter() - start
    assert [told.count(f"%{n} = ") for n in (1, 5000, 9999)] == [1] * 3
    assert max(map(len, told.splitlines())) <= 80
