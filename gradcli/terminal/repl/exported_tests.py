"""Export of a session as a pytest file: the definitions, and one test for each result."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gradcli.errors import UsageError
from gradcli.queries.session_workspace import Binding, is_function, is_import
from gradcli.shared.records.checks import Comparison
from gradcli.shared.records.derivatives import Gradient, Hessian, Jacobian
from gradcli.shared.records.tapes import TapeListing

if TYPE_CHECKING:
    from gradcli.terminal.repl.answers import Answer

HEAD = '''"""What was seen in a session of gradcli, asserted; written by `export`."""

import math
from pathlib import Path

import numpy as np

from gradcli import Workspace, queries

HERE = Path(__file__).parent
inf, nan = math.inf, math.nan


def near(expected, found):
    """Whether every number is what it was, up to rounding."""
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
'''

_REFERENCE = re.compile(r"(?<!\w)_\d*(?!\w)|(?:^|[-+*/(,<>=])\s*%\d")


def exported(answers: Sequence[Answer], folder: str) -> tuple[str, int]:
    """The text of a test file to be placed in `folder`, and its number of tests."""
    definitions: list[str] = []
    tests: list[str] = []
    for answer in flattened(answers):
        if made := defining(answer, folder):
            definitions.append(made)
        elif body := asserting(answer):
            tests.append(test(len(tests) + 1, answer.line, definitions, body))
    return "\n\n".join([HEAD, *tests]), len(tests)


def nothing(entered: Collection[str], known: Sequence[Binding], at: str | None, path: str) -> UsageError:
    """The error for a session without results to assert; its hint shows what to type.

    Args:
        entered: the lines that ran without an error.
        known: the names of the session.
        at: the current point, if it is given in order.
        path: the path of the test file.
    """
    function = next((definition for definition in known if definition.kind != "value"), None)
    if function is not None:
        first = f"grad {function.name}" + ("" if at else f" --at {example(function)}")
    elif known:
        first = f"{known[0].name}^2"
    else:
        first = "grad x^2 --at 3"
    seen = "lines above gave" if entered else "session has"
    return UsageError(
        f"The {seen} nothing yet that a test can assert: no value, gradient, jacobian, hessian, tape or check.",
        hint=f"Type {first}, and then export {path}",
    )


def example(function: Binding) -> str:
    """An example point for a function: a number per input for a formula, and a placeholder for other functions."""
    inside = re.search(r"\((.*?)\)", str(function.meaning))
    if function.kind != "formula" or not inside:
        return "POINT"
    return ",".join(str(number + 1) for number, _ in enumerate(inside[1].split(",")))


def flattened(answers: Sequence[Answer]) -> Iterator[Answer]:
    """All answers, including those to the lines of scripts."""
    for answer in answers:
        yield answer
        yield from flattened(answer.inner)


def defining(answer: Answer, folder: str) -> str | None:
    """The line of a test that repeats a definition of the session; None if the answer defines nothing."""
    if is_function(answer.line):
        return f"session.define({answer.line!r})"
    if is_import(answer.line):
        return f"session.take({answer.line!r})"
    word, _, rest = answer.line.partition(" ")
    if answer.error is not None or not answer.known or not (rest or "=" in answer.line):
        return None
    if word == "load":
        path = os.path.relpath(os.path.expanduser(rest.strip().strip("'\"")), folder)
        return f"session.load(str(HERE / {path!r}))"
    if word == "at":
        return f"session.move({rest.strip()!r})"
    if "=" in answer.line:
        return f"session.define({answer.line!r})"
    return None


def test(number: int, line: str, definitions: Sequence[str], body: Sequence[str]) -> str:
    """One test as source text."""
    word = "_".join(re.findall(r"[A-Za-z0-9]+", line)[:4]).lower()
    quoted = line.replace("\\", "\\\\").replace('"""', "'''").replace("\n", " ")
    closing = " " if quoted.endswith('"') else ""
    lines = [f'"""`{quoted}`{closing}"""', "session = Workspace()", *definitions, *body]
    return f"def test_{number:02}_{word}():\n" + "".join(f"    {line}\n" for line in lines)


def asserting(answer: Answer) -> list[str]:
    """The lines that repeat a query and assert its result; empty if there is nothing to assert or `_` is used."""
    record = answer.record
    if answer.error is not None or _REFERENCE.search(answer.line):
        return []
    if record is None:
        return [f"near({answer.value!r}, session.value({answer.line!r}))"] if answer.value is not None else []
    if isinstance(record, Comparison):
        return list(of_comparison(record, answer.line))
    return [line for kind, lines in ASSERTIONS.items() if isinstance(record, kind) for line in lines(record)]


def asked(query: str, record: Any, *options: str) -> str:
    """The line that repeats a query for the target and the point of a record."""
    arguments = ", ".join((f"session.target({record.target!r})", repr(thawed(record.point)), *options))
    return f"found = queries.{query}({arguments})"


def of_gradient(record: Gradient) -> Iterator[str]:
    """Assertions on the value and the gradient."""
    yield asked("gradient", record, f"wrt={','.join(record.gradient)!r}")
    yield from compared("found.value", record.value)
    yield from compared("found.gradient", record.gradient)


def of_jacobian(record: Jacobian) -> Iterator[str]:
    """Assertions on the value and the Jacobian."""
    yield asked("jacobian", record, f"wrt={','.join(record.jacobian)!r}")
    yield from compared("found.value", record.value)
    yield from compared("found.jacobian", record.jacobian)


def of_hessian(record: Hessian) -> Iterator[str]:
    """Assertions on the value and the second derivatives."""
    yield asked("hessian", record)
    yield from compared("found.value", record.value)
    for name, row in record.hessian.items():
        for other, entries in row.items():
            yield from compared(f"found.hessian[{name!r}][{other!r}]", entries)


def of_tape(record: TapeListing) -> Iterator[str]:
    """Assertions on the value and the sensitivity to each named node."""
    yield asked("tape", record)
    yield from compared("found.value", record.value)
    named = {node.name: node.sensitivity for node in record.nodes if node.name and node.sensitivity is not None}
    if named:
        yield "sensitivities = {node.name: node.sensitivity for node in found.nodes}"
    yield from compared("sensitivities", named)


def of_comparison(record: Comparison, line: str) -> Iterator[str]:
    """An assertion on the verdict, with `--strict` if it was used; empty for checks with other options."""
    options = set(re.findall(r"--[a-z-]+", line))
    if record.stopped or options - {"--at", "--against", "--strict", "--json", "--width"}:
        return
    target = f"session.target({record.target!r})"
    against = [f"against=session.claimed({record.against!r}, {target})"] if record.against else []
    yield asked("check", record, *against, *(["strict=True"] if "--strict" in options else []))
    yield f"assert {record.verdict!r} == found.verdict"


ASSERTIONS: dict[type, Callable[[Any], Iterator[str]]] = {
    Gradient: of_gradient,
    Jacobian: of_jacobian,
    Hessian: of_hessian,
    TapeListing: of_tape,
}


def compared(result: str, structure: Any) -> Iterator[str]:
    """One comparison for each number or array in a structure."""
    if isinstance(structure, Mapping):
        for key, item in structure.items():
            yield from compared(f"{result}[{key!r}]", item)
    elif isinstance(structure, (list, tuple)) and any(isinstance(item, Mapping) for item in structure):
        for place, item in enumerate(structure):
            yield from compared(f"{result}[{place}]", item)
    elif structure is not None:
        yield f"near({thawed(structure)!r}, {result})"


def thawed(structure: Any) -> Any:
    """A structure as plain dictionaries and lists, whose repr is valid Python."""
    if isinstance(structure, Mapping):
        return {key: thawed(item) for key, item in structure.items()}
    if isinstance(structure, tuple):
        return tuple(map(thawed, structure))
    return [thawed(item) for item in structure] if isinstance(structure, list) else structure
