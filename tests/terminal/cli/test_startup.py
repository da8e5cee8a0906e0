"""What starting costs: each command imports what it needs, and help needs nothing heavy."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HEAVY = {"numpy", "sympy", "mpmath", "cupy", "scipy", "rich", "prompt_toolkit"}

PROGRAM = """
import sys
from gradcli.terminal.cli import main
code = main(sys.argv[1:])
print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
sys.exit(code)
"""


# What a gradient needs none of: rare libraries, and our own modules for what a program has not done.
NEEDLESS = {
    *("bisect", "cmath", "copy", "dataclasses", "decimal", "difflib", "json", "locale", "signal", "string", "zlib"),
    *("numpy.fft", "numpy.polynomial", "numpy.random", "rich.cells", "rich.console"),
}
NEEDLESS_HERE = {
    *(f"gradcli.terminal.cli.{part}" for part in ("exit_errors", "out_file")),
    *(
        f"gradcli.methods.diagnose.{part}"
        for part in ("dependent_nodes", "finite_run_findings", "input_paths", "masked_elements")
    ),
    *(f"gradcli.methods.diagnose.{part}" for part in ("isolated_points", "nonfinite_backward", "step_elements")),
    *("gradcli.mathematics.language.numpy_like_functions", "gradcli.methods.numerics.coordinates"),
    *(f"gradcli.engine.patching.shims.{part}_functions" for part in ("cmath", "math", "numpy")),
    *(
        f"gradcli.shared.records.{kind}"
        for kind in (
            "checks",
            "closed_form",
            "derived_source",
            "environment",
            "json_form",
            "plots",
            "precision",
            "tapes",
        )
    ),
    *("gradcli.methods.transforms.argnums", "gradcli.engine.running.error_translation"),
    *("gradcli.engine.traces.library_call_log", "gradcli.engine.traces.names_and_source_lines"),
    *(f"gradcli.mathematics.rules.{part}" for part in ("library_values", "linalg", "numpy", "products")),
    *(
        f"gradcli.engine.tape.{part}"
        for part in ("recomputed_masks_and_indices", "buffer_reusing_pullbacks", "concretization_hints", "pushforwards")
    ),
    *(f"gradcli.engine.tape.{part}" for part in ("memory.reachable_views", "memory.read_only_operands")),
    *(f"gradcli.engine.tape.values.{part}" for part in ("array_function", "complex", "conversion_methods")),
    *("gradcli.engine.tape.data_outcome_handle", "gradcli.engine.tape.values.flat_and_in_place_methods"),
    *("gradcli.engine.tape.sweeps.masked_reverse", "gradcli.engine.tape.values.array_creation"),
    *(f"gradcli.answers.targets.{part}" for part in ("modules", "session_definitions", "tracebacks")),
    *(
        f"gradcli.engine.traces.{part}"
        for part in ("library_folding", "number_systems", "scopes", "straight_line_program", "trace_replay")
    ),
    *(f"gradcli.methods.transforms.{part}" for part in ("derivative_warnings", "gradients", "jacobians")),
    *(f"gradcli.answers.{part}" for part in ("checks", "derivation", "explain")),
    *(f"gradcli.methods.{part}" for part in ("exact", "symbolic")),
    *("gradcli.terminal.repl", "gradcli.verification"),
    *("gradcli.engine.patching.marked_code", "gradcli.engine.patching.rewritten_code"),
    *("gradcli.engine.running.program_state", "gradcli.engine.tape.values.compiled_operators"),
    "gradcli.engine.tape.solver_notes",
    *("gradcli.mathematics.language.unsupported_syntax", "gradcli.engine.tape.values.in_place_writes"),
    *("gradcli.engine.traces.altered_rows", "gradcli.engine.traces.argument_forms", "gradcli.shared.findings.catalogue",
        "gradcli.terminal.render.markdown_csv"),
}  # fmt: skip
PARTS_OF_ARRAYS = (
    "array", "array_function", "installed_operators", "array_ufunc", "getitem", "in_place_writes", "compiled_operators",
)  # fmt: skip
OF_ARRAYS = {f"gradcli.engine.tape.values.{part}" for part in PARTS_OF_ARRAYS}

ADDED = """
import sys
import click, numpy, rich
before = set(sys.modules)
from gradcli.terminal.cli import main
main(sys.argv[1:])
print(*sorted(set(sys.modules) - before), file=sys.stderr)
"""


def imported(*arguments: str) -> set[str]:
    """The packages that a run of the program has imported at its end."""
    return printed_by(PROGRAM, *arguments)


def printed_by(program: str, *arguments: str) -> set[str]:
    """The words of the last line that a program writes to stderr."""
    command = [sys.executable, "-c", program, *arguments]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return set(run.stderr.splitlines()[-1].split())


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "words", ["--help", "--version", "grad --help", "help check", "help points", "help G402", "gard", "grad"]
)
def test_help_and_usage_errors_import_nothing_heavy(words: str) -> None:
    """None of the libraries that compute, nor those that draw: where there is no colour, rich is not needed."""
    assert imported(*words.split()) & HEAVY == set()


def test_what_is_not_imported_exists() -> None:
    """A module that has another name by now would never be found among the imported ones."""
    assert [module for module in NEEDLESS_HERE | OF_ARRAYS if not find_spec(module)] == []


def test_a_gradient_imports_what_it_needs() -> None:
    """Beside NumPy, click and rich, whose import takes most of the time, only what every gradient of arrays takes."""
    added = printed_by(ADDED, "grad", "examples/hyperbox.py:f4", "--at", "1,2,3,4")

    assert "gradcli.engine.tape.values.array" in added
    assert "gradcli.mathematics.language.float_functions" not in added
    assert added & (NEEDLESS | NEEDLESS_HERE) == set()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("most", "arguments"),
    [
        (139, ("grad", "examples/hyperbox.py:f4", "--at", "1,2,3,4")),
        (132, ("grad", "x * y", "--at", "1,2")),
        (41, ("--help",)),
        (11, ("--version",)),
        (9, ("__complete", "fish", "gradcli", "grad", "examples/h")),
    ],
)
def test_modules_of_ours(most: int, arguments: tuple[str, ...]) -> None:
    """Each takes 50 microseconds even if it is empty, so a few more need a reason."""
    ours = [name for name in printed_by(ADDED, *arguments) if name.partition(".")[0] == "gradcli"]

    assert 0 < len(ours) <= most


def test_numbers_need_no_arrays() -> None:
    added = printed_by(ADDED, "grad", "x * y", "--at", "1,2")

    assert "gradcli.engine.tape.values.scalar" in added
    assert added & (NEEDLESS | NEEDLESS_HERE | OF_ARRAYS) == set()


AT_FORK = """
import os, sys
before = set(sys.modules)

def fork():
    print(*sorted(set(sys.modules) - before), file=sys.stderr)
    os._exit(0)

os.fork = fork
from gradcli.terminal.cli import main
main()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a command runs in gradcli's own process")
def test_little_is_copied_into_the_process_of_a_command() -> None:
    """Each page of memory that is in use before a fork is copied when the new process writes to it: 4 microseconds."""
    modules = (
        "shared",
        "shared.lazy_imports",
        "shared.module_finder",
        "shared.notebook_display",
        "terminal",
        "terminal.cli",
        "terminal.cli.command_names",
        "terminal.cli.command_process",
        "terminal.cli.garbage_collection",
    )
    added = printed_by(AT_FORK, "grad", "x * y", "--at", "1,2")

    ours = {"gradcli", *(f"gradcli.{module}" for module in modules)}
    assert ours == added - {"__future__", "_signal", "atexit", "faulthandler", "gc", "time"}


TIMEOUT = """
import ctypes, os
library = ctypes.CDLL(None)
library.getenv.restype = ctypes.c_char_p

def f(x):
    print(library.getenv(b"OPENBLAS_THREAD_TIMEOUT").decode(), os.environ.get("OPENBLAS_THREAD_TIMEOUT"))
    return x
"""


@pytest.mark.skipif(os.name != "posix", reason="asks the C library of POSIX")
@pytest.mark.parametrize(("users", "seen"), [({}, "16 None"), ({"OPENBLAS_THREAD_TIMEOUT": "20"}, "20 20")])
def test_threads_of_openblas_sleep_soon(tmp_path: Path, users: dict[str, str], seen: str) -> None:
    """They spin on processors that a command needs at its start; a value of the user's stays."""
    (tmp_path / "timeout.py").write_text(TIMEOUT, encoding="utf-8")
    command = [sys.executable, "-m", "gradcli", "grad", "timeout.py:f", "--at", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **users}
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, env=environment)

    assert seen in run.stdout + run.stderr


DEEPER_AND_DEEPER = """
import resource

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def call_at(depth):
    if depth:
        return call_at(depth - 1)
    before = faults()
    for _ in range(300):
        faults()
    return faults() - before

def f(x):
    print(max(map(call_at, range(300))))
    return x
"""


@pytest.mark.skipif(sys.platform == "win32", reason="counts page faults by `resource`")
def test_frames_share_one_piece_of_memory(tmp_path: Path) -> None:
    """At no depth does a call map memory anew, which would be a page fault a call."""
    tmp_path.joinpath("deep.py").write_text(DEEPER_AND_DEEPER, encoding="utf-8")
    command = [sys.executable, "-m", "gradcli", "grad", "deep.py:f", "--at", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, env=environment)

    assert 100 > int(re.findall(r"^\d+$", run.stdout + run.stderr, re.M)[0])


def test_as_a_module() -> None:
    command = [sys.executable, "-m", "gradcli", "help", "exit-codes"]
    run = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": ""}
    )

    assert run.stdout.startswith("Exit codes\n")


def test_a_reader_who_leaves() -> None:
    """A pipe that is closed early leaves no complaint, not even at the end of the process."""
    command = f"{sys.executable} -m gradcli help conventions | head -n 1"
    run = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=True)

    assert (run.stdout, run.stderr) == ("Conventions: gradcli's choices where there is no derivative\n", "")


OF_A_CHECK = """
import sys
import gradcli
from examples.hyperbox import f4, grad_f4
assert gradcli.check(f4, at=[1.0, 2.0, 3.0, 4.0], against=grad_f4).verdict == "pass"
print(*sys.modules, file=sys.stderr)
"""


@pytest.mark.long
def test_a_check_of_a_gradient_imports_nothing_for_matrices() -> None:
    imported_modules = printed_by(OF_A_CHECK)

    assert "gradcli.answers.checks.comparison" in imported_modules
    assert not {f"gradcli.answers.checks.{part}" for part in ("jacobian_rows", "candidate_matrix")} & imported_modules


def test_a_derivative_without_findings_does_not_read_their_catalogue() -> None:
    imported_modules = printed_by(
        "import sys, gradcli; gradcli.grad(lambda x: x * x)(2.0); print(*sys.modules, file=sys.stderr)"
    )

    assert "gradcli.methods.transforms.derivative_warnings" in imported_modules
    assert "gradcli.shared.findings.catalogue" not in imported_modules
