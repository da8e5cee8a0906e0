"""A graph in the languages of Graphviz and Mermaid."""

import pytest

from gradcli.terminal.render import Look, form_text
from tests.terminal.render import samples

GAP = "\N{NO-BREAK SPACE}" * 3
DOT = f'  n0 [label="side_lengths\\n[4]{GAP}s = 52 … 94", shape=box, style="rounded,filled,bold", fillcolor="#ea8c48", '
MERMAID = f"""\
flowchart TB
  n0(["side#95;lengths<br/>[4]{GAP}s = 52 … 94"])
  n1["t#95;a<br/>index side#95;lengths<br/>2{GAP}s = 94"]
  n2["t#95;b<br/>index side#95;lengths<br/>3{GAP}s = 76"]
  n5[["ret<br/>add •, t#95;ab<br/>308{GAP}s = 1"]]
  subgraph g0["area(a=t#95;a, b=t#95;b)"]
    n3["t#95;ab<br/>mul t#95;a, t#95;b<br/>6{GAP}s = 18"]
    n4["neg t#95;ab<br/>-6"]
  end
  n0 -->|"1"| n1
  n0 -->|"1"| n2
  n1 -->|"3"| n3
  n2 -->|"2"| n3
  n3 -->|"-1"| n4
  n4 -->|"1"| n5
  n3 -->|"1"| n5
"""


@pytest.mark.parametrize("expected", [
    DOT, '  subgraph "cluster_0" {\n    label="area(a=t_a, b=t_b)"; color="#9aa3b2"; margin=10;\n    n3 [',
    '  n1 -> n3 [label="  3 "];\n',
])  # fmt: skip
def test_graphviz(expected: str) -> None:
    """Boxes with their shades, calls as clusters, partials on the edges."""
    assert expected in form_text(samples.GRAPH, "dot", Look())


def test_quotes_are_escaped() -> None:
    node = samples.GRAPH.nodes[3].changed(name='a"b\\c')
    record = samples.GRAPH.changed(nodes=(*samples.GRAPH.nodes[:3], node, *samples.GRAPH.nodes[4:]))

    assert r'label="a\"b\\c\nmul' in form_text(record, "dot", Look())


def test_mermaid() -> None:
    assert form_text(samples.GRAPH, "mermaid", Look()) == MERMAID
