"""A sweep as a self-contained HTML page: source lines with their sums, and loops and calls that fold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from gradcli.shared.records.explanations import ForwardSweep
from gradcli.terminal.render.file_marks import HTML_MARK, escaped
from gradcli.terminal.render.layout.numbers import by_component, count, exact, few, short
from gradcli.terminal.render.layout.styled_lines import Row, Stack
from gradcli.terminal.render.sweeps.aligned_sums import Sum
from gradcli.terminal.render.sweeps.opening_example import example, sentence
from gradcli.terminal.render.sweeps.outline import CallHead, Entry, LoopHead, SourceLine, Summary, Sweep, outline
from gradcli.terminal.render.sweeps.terminal_lines import (
    called,
    explained,
    heading,
    steps_of,
    summed_up,
    sums_of,
    values,
    which_call,
    which_iteration,
)
from gradcli.terminal.render.tapes.node_labels import place

MOST_ROWS = 200  # numbers of the gradient
NAME = re.compile(r"(?:[^\W\d]|%)[\w%.]*(?:#[\w.]+)?")
STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1c1e21; --quiet: #667; --line: #dde0e4; --name: #0b5fa5;
  --term: #8a2a8a; --number: #13612e; --lit: #ffe9a8; --box: #f6f7f9; }
@media (prefers-color-scheme: dark) { :root { --paper: #16181c; --ink: #e4e6ea; --quiet: #9aa3b2; --line: #333842;
  --name: #7cc0ff; --term: #e3a3e6; --number: #8fd8a5; --lit: #57481a; --box: #1e2127; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem;
  margin: 2rem auto; padding: 0 1rem; }
code, td, .gave { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 13px; }
h1 { font-size: 1.3rem; overflow-wrap: anywhere; } h1 code { font-size: inherit; }
h2 { font-size: 1.05rem; margin-top: 2rem; }
.line { margin: .9rem 0 0; } .line > p { margin: 0; } .source { font-weight: 600; }
.place, .gave, .remark, .said { color: var(--quiet); } .place { margin-right: .8em; font-size: 12px; }
.remark, .line > .remark, .said { font-size: 13px; margin: .1rem 0 0 1.2rem; }
table { border-collapse: collapse; margin: .25rem 0 0 1.2rem; }
td { padding: .12rem .9rem .12rem 0; vertical-align: top; border-top: 1px solid var(--line); }
td:nth-child(n+3) { color: var(--number); text-align: right; } td.sum { color: var(--quiet); text-align: left; }
td:first-child { color: var(--name); white-space: nowrap; } td.term { color: var(--term); }
th { text-align: left; font-weight: 500; color: var(--quiet); padding-right: .9rem; }
details { background: var(--box); border-left: 3px solid var(--line); margin: .6rem 0 0 1.2rem;
  padding: .3rem .8rem .6rem; border-radius: 4px; overflow-x: auto; }
summary { cursor: pointer; } b { font-weight: inherit; } b.lit { background: var(--lit); border-radius: 3px; }
"""
SCRIPT = """
document.addEventListener('mouseover', function (event) {
  var own = event.target.dataset && event.target.dataset.n;
  document.querySelectorAll('b[data-n]').forEach(function (each) {
    each.classList.toggle('lit', each.dataset.n === own);
  });
});
"""


def page(record: Sweep, expand: bool = False, iteration: Sequence[int] = ()) -> Stack:
    """The page for a sweep."""
    return Stack(*(Row([(text, "")]) for text in _lines(record, expand, iteration)))


def _lines(record: Sweep, expand: bool, iteration: Sequence[int]) -> Iterator[str]:
    title = escaped(record.target)
    yield f'<!doctype html><html lang="en"><head><meta charset="utf-8">{HTML_MARK}'
    yield '<meta name="viewport" content="width=device-width">'
    yield f"<title>{title}</title><style>{STYLE}</style></head><body>"
    point = ", ".join(f"{name} = {short(structure)}" for name, structure in record.point.items())
    yield f"<h1><code>{title}</code></h1>"
    yield f"<p>at {_code(point)}, value {_code(short(record.value))}</p>"
    yield f"<p>{escaped(sentence(example(record)))}</p>"
    backwards = "Backwards from the result, whose own sensitivity is 1"
    yield f"<h2>{'Forwards from the inputs' if isinstance(record, ForwardSweep) else backwards}</h2>"
    entries = [*outline(record, expand, iteration)]
    yield from _entries(entries)
    yield from (f'<p class="said">{escaped(text)}</p>' for text in explained(record, entries))
    yield from _end(record)
    yield f"<script>{SCRIPT}</script></body></html>"


def _entries(entries: Sequence[Entry]) -> Iterator[str]:
    """The entries, with the content of loops and calls nested so that it can be folded."""
    folds: list[int] = []
    for entry in entries:
        is_inner = isinstance(entry, Summary) and entry.kind == "loop"
        while folds and folds[-1] >= entry.depth + is_inner:
            folds.pop()
            yield "</details>"
        yield from WRITERS[type(entry)](entry)
        if isinstance(entry, (LoopHead, CallHead)):
            folds.append(entry.depth)
    yield from ("</details>" for _ in folds)


def _line(entry: SourceLine) -> Iterator[str]:
    gave = values(entry)
    yield f'<div class="line"><p>{_source(heading(entry), entry.first.file, entry.first.line)}'
    yield (f' <span class="gave">→ {escaped(gave)}</span>' if gave else "") + "</p>"
    yield from (f'<p class="remark">{escaped(remark.text)}</p>' for remark in entry.remarks)
    yield from (f'<p class="remark">{_code(step)}</p>' for step in steps_of(entry))
    if entry.statements:
        yield "<table>" + "".join(map(_row, sums_of(entry))) + "</table>"
    if entry.more:
        yield f'<p class="said">{entry.more} more of this line</p>'
    yield "</div>"


def _row(total: Sum) -> str:
    after, before, amount = total.numbers
    sum_ = f"= {before} {total.sign} {amount}" if before else ""
    return (
        f'<tr><td>{_named(total.name)}</td><td class="term">+= {_named(total.term)}</td>'
        f'<td>{escaped(after)}</td><td class="sum">{escaped(sum_)}</td></tr>'
    )


def _loop(entry: LoopHead) -> Iterator[str]:
    scope = entry.scope
    which = escaped(which_iteration(entry))
    yield f"<details open><summary>{_source(scope.source or 'a loop', scope.file, scope.line)}"
    yield f'<span class="said">{which}</span></summary>'


def _call(entry: CallHead) -> Iterator[str]:
    scope = entry.scope
    if not entry.is_below:
        yield f'<div class="line"><p>{_source(scope.source or "", scope.file, scope.line)}</p></div>'
    yield f"<details open><summary>in {_code(called(entry))}{escaped(which_call(entry))}</summary>"


def _summary(entry: Summary) -> Iterator[str]:
    totals = ", ".join(f"{name} = {few(after)}" for name, after in entry.totals)
    yield f'<p class="said">{escaped(summed_up(entry))}: {_named(totals) or "nothing"}</p>'


def _end(record: Sweep) -> Iterator[str]:
    if isinstance(record, ForwardSweep):
        yield f"<p>The derivative in this direction is {_code(exact(record.derivative))}.</p>"
        return
    yield "<h2>The gradient</h2><table>"
    for number, (name, value) in enumerate(by_component(record.gradient)):
        if number < MOST_ROWS:
            yield f"<tr><td>{escaped(name)}</td><td></td><td>{exact(value)}</td></tr>"
    more = count(record.gradient) - MOST_ROWS
    yield "</table>" + (f'<p class="said">{more} more</p>' if more > 0 else "")


def _source(text: str, file: str | None, line: int | None) -> str:
    where = place(file, line)
    shown = f'<span class="place">{escaped(where)}</span>' if where else ""
    return f'{shown}<code class="source">{escaped(text)}</code>'


def _named(text: str) -> str:
    """A term with every name marked, so that its uses can be highlighted."""
    marked, at = "", 0
    for match in NAME.finditer(text):
        name = escaped(match[0])
        marked += escaped(text[at : match.start()]) + f'<b data-n="{name}">{name}</b>'
        at = match.end()
    return marked + escaped(text[at:])


def _code(text: str) -> str:
    return f"<code>{escaped(text)}</code>"


WRITERS: dict[type[Entry], Callable[..., Iterator[str]]] = {
    SourceLine: _line,
    LoopHead: _loop,
    CallHead: _call,
    Summary: _summary,
}
