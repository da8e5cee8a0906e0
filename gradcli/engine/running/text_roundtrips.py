"""Numbers that a program writes as text and reads back, which loses their derivative without changing a value.

Writing alone is harmless. A run that writes a recorded number as text and reads a number from a text afterwards, or
whose code names what reads numbers from texts, is refused: whether it is the same number is not known.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import FunctionType

from gradcli.engine.code.bytecode_names import names_in
from gradcli.engine.tape.number_texts import Texts
from gradcli.errors import DetachedError

# Names of functions that make numbers of texts and that gradcli does not replace, unlike `float`.
READERS = frozenset({
    "eval", "exec", "literal_eval", "Decimal", "Fraction", "create_decimal", "fromhex", "loads", "load", "loadtxt",
    "genfromtxt", "fromstring", "fromregex", "fromfile", "read_csv", "read_table", "read_json", "safe_load", "atof",
    "getfloat", "fromisoformat", "strptime", "mpf", "mpc", "sympify", "parse_expr", "execute",
})  # fmt: skip


def refuse_read(texts: Texts, functions: Iterable[FunctionType]) -> None:
    """Refuse a run that may have read a text that it has written.

    Args:
        texts: the texts of the run.
        functions: those of the program.

    Raises:
        DetachedError: it shows the line that makes the text if there is only one, else the line that reads it.
    """
    readers = READERS.intersection(name for function in functions for name in names_in(function.__code__).read)
    if not texts.read and not readers:
        return
    by = "" if texts.read else f" by {min(readers)}"
    places = texts.made if len(texts.made) == 1 else texts.read
    file, line = next(iter(places)) if len(places) == 1 else (None, None)
    raise DetachedError(
        f"a number is written as text, and numbers are read from text{by}, so its derivative would be lost",
        hint="Compute with the number itself. A text that is only shown takes `gradcli.stop_gradient(x)`, which also "
        "treats a number as a constant. `gradcli help G402` says more.",
        file=file,
        line=line,
    )
