"""The part of a formula that is the first to have a value that is not finite."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from gradcli.answers.targets.session_definitions import Names
from gradcli.errors import GradcliError
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.ignored_warnings import ignored_warnings
from gradcli.shared.records.result_and_finding import Finding

TYPED_SO = "G110"  # a number that is not finite, but was not produced by a step


def first_nonfinite_text(
    names: Names, text: str, before: Mapping[str, Any] = MappingProxyType({})
) -> tuple[Finding, ...]:
    """The first number that is not finite in a formula without inputs; empty if code of a file would run again.

    Typed numbers and the values of names are recorded as inputs, so that the steps between them are reported like any
    others. `before` holds earlier values of names that have changed since.
    """
    from gradcli.engine.traces.trace import record_trace
    from gradcli.mathematics.language import Number, input_names
    from gradcli.mathematics.language.evaluation import evaluate
    from gradcli.mathematics.language.syntax import walk
    from gradcli.methods.diagnose.nonfinite_backward import first_nonfinite_findings

    if names.of_file(text):
        return ()
    tree = names.parse(text)
    values = {**names.values, **before}
    used = [name for name in input_names(tree) if name in values]

    def program(*inputs: Any) -> Any:
        typed = iter(inputs[len(used) :])
        known = ChainMap(dict(zip(used, inputs, strict=False)), names.constants)  # type: ignore[arg-type]
        return evaluate(tree, known, names.functions, number=lambda _: next(typed))

    try:
        numbers = [float(node.value) for node in walk(tree) if isinstance(node, Number)]
        with ignored_float_errors(), ignored_warnings():
            return tuple(
                first_nonfinite_findings(
                    record_trace(program, (*(values[name] for name in used), *numbers), names=False)
                )[:1]
            )
    except (GradcliError, ArithmeticError, ValueError, TypeError):
        return ()
