"""The table of `gradcli compare --engines`."""

from gradcli.shared.records.function_comparisons import ComparedNumber, EngineComparison, EngineRun
from gradcli.terminal.render.engines import view
from gradcli.terminal.render.layout.stream_style import Look, as_text

RECORD = EngineComparison(
    "f",
    {"x": 2.0},
    "differ",
    (
        EngineRun("gradcli", "0.1", (ComparedNumber("value", 4.0, 4.0, 0.0, 0.0, "equal"),), 0.0021, 2e-5),
        EngineRun("jax", "0.10", (ComparedNumber("value", 4.0, 4.5, 1e-15, 3e15, "differ"),), 1.5, 6e-6, "compiled"),
        EngineRun("torch", "", note="torch is not installed"),
    ),
)
SHOWN = """\
f
at x=2.0

engine       first call  later calls  most ulps apart
───────────  ──────────  ───────────  ───────────────
gradcli 0.1      2.1 ms        20 µs                0
jax 0.10          1.5 s         6 µs            3e+15
torch                 —            —                —

number  gradcli  jax
──────  ───────  ───
value   4.0      4.5

jax: compiled
torch: torch is not installed
differ · the engines differ · exit 1
"""


def test_the_engines_stand_side_by_side():
    lines = as_text(view(RECORD, Look(width=80)), Look(width=80)).splitlines()

    assert "\n".join(text.rstrip() for text in lines) + "\n" == SHOWN
