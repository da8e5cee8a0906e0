"""The products of the rules of arrays as formulas: a rule is asked for one on a tape, and what that records is written.

Where a formula would be long, the product is written as what `gradcli.vjp` and `gradcli.jvp` give.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.errors import GradcliError
from gradcli.explain.formulas import written
from gradcli.explain.shapes import ONE, Term
from gradcli.explain.writer import Writer
from gradcli.language.emit import ATOM, Piece
from gradcli.rules.table import ArrayRule
from gradcli.tape.accumulate import UNTOUCHED
from gradcli.tape.compiled import ARITHMETIC
from gradcli.tape.reach import leaf
from gradcli.tape.sweep import reverse_recorded
from gradcli.tape.tape import CONSTANT, Row, Tape
from gradcli.tape.value import bare, is_recorded

LONGEST = 120  # characters of a product that is written out
# These take a matrix to be Hermitian; NumPy's functions read one triangle, so that theirs is another product.
OF_HERMITIAN = ("cholesky", "eigh")
LONGEST_OF_HERMITIAN = 4000

_FAILURES = (GradcliError, np.linalg.LinAlgError, *ARITHMETIC)


class RecordedProduct:
    """One product of a rule on a tape of its own.

    Args:
        row: the row whose rule is asked.
        operands, v: its arguments and its result as text.
    """

    def __init__(self, writer: Writer, row: Row, operands: Sequence[Piece], v: Piece) -> None:
        self.writer, self.row, self.operands, self.v = writer, row, operands, v
        self.tape = Tape()
        self.texts: dict[int, Piece] = {}
        self.arguments = [
            self.entered(value, operands[n]) if n in row[0].recorded else value for n, value in enumerate(row[3::2])
        ]
        self.result = self.entered(row[1], v)

    def entered(self, value: Any, text: Piece) -> Any:
        """A value on the tape, which is written by a text."""
        found = leaf(self.tape, np.asarray(value)[()])
        self.texts[found.index] = text
        return found

    def pulled(self, position: int, ct: Any) -> Any:
        """What the rule passes back of a recorded cotangent."""
        rule: ArrayRule = self.row[0].rule
        return rule.vjp(position, ct, self.result, tuple(self.arguments), self.row[0].static)

    def back(self, position: int, ct: Piece, value: Any) -> Term | None:
        """The product with a cotangent of the result's shape; None where it is long or cannot be asked for."""
        with np.errstate(all="ignore"):
            try:
                entered = self.entered(value, self.conjugated(self.row[1], ct))
                found = self.pulled(position, entered)
                longest = LONGEST_OF_HERMITIAN if self.row[0].name in OF_HERMITIAN else LONGEST
                term = self.formula(found, longest)
                return self.fitted(term, np.iscomplexobj(bare(found)), self.row[3 + 2 * position])
            except _FAILURES:
                return None

    def forth(self, position: int, dot: Piece, value: Any) -> Term | None:
        """The product with a tangent of the argument's shape, by the transpose of the transpose."""
        with np.errstate(all="ignore"):
            try:
                ct = self.entered(np.ones_like(self.row[1]), ("", ATOM))
                tangent = self.entered(value, dot)
                sum_of_products = np.sum(self.pulled(position, ct) * tangent)
                last = sum_of_products.index
                found = reverse_recorded(self.tape, last, np.ones_like(self.tape.rows[last][1])[()], 0)[ct.index]
                return None if found is UNTOUCHED else self.formula(found, LONGEST)
            except _FAILURES:
                return None

    def conjugated(self, value: Any, text: Piece) -> Piece:
        """The conjugate, which is what the rules pass back, of a complex sensitivity."""
        return self.writer.call("conj", text) if np.iscomplexobj(value) else text

    def fitted(self, term: Term | None, is_complex: bool, argument: Any) -> Term | None:
        """What is passed back as the sensitivity: the conjugate on a complex argument, the real part on a real one."""
        if term is None or not (is_complex or np.iscomplexobj(argument)):
            return term
        return Term(self.writer.call("conj" if np.iscomplexobj(argument) else "real", term.text), term.shape)

    def formula(self, found: Any, longest: int) -> Term | None:
        """What was recorded as text; None where it is long, or no formula."""
        if not is_recorded(found):
            return None
        text = self.text(found.index, longest)
        return None if text is None else Term(text, np.shape(self.tape.rows[found.index][1]))

    def text(self, last: int, longest: int) -> Piece | None:
        """A row of the tape as text; None where a part of it is long."""
        needed = {last}
        for index in range(last, -1, -1):
            if index in needed and index not in self.texts:
                needed.update(i for i in self.tape.rows[index][2::2] if i != CONSTANT)
        for index in sorted(needed):
            if index not in self.texts:
                piece = self.written(self.tape.rows[index])
                if piece is None or len(piece[0]) > longest:
                    return None
                self.texts[index] = piece
        return self.texts[last]

    def written(self, row: Row) -> Piece | None:
        """One row as text, factors of 1 and changes of type left out; None for what is no formula."""
        name = row[0].name
        if name == "put" or not row[0].recorded:
            return None
        operands = [
            self.writer.constant(value) if index == CONSTANT else self.texts[index]
            for index, value in zip(row[2::2], row[3::2], strict=True)
        ]
        if name == "cast":
            return operands[0]
        if name == "mul":
            for one, other in ((0, 1), (1, 0)):
                is_number = row[2 + 2 * one] == CONSTANT and np.ndim(row[3 + 2 * one]) == 0
                if operands[one] == ONE or (is_number and row[3 + 2 * one] == 1):
                    return operands[other]
        return written(self.writer, row, operands)


def by_vjp(writer: Writer, row: Row, position: int, ct: Piece, operands: Sequence[Piece]) -> Term:
    """The product with a cotangent as `gradcli.vjp` gives it."""
    function, x = _function(writer, row, position, operands), operands[position][0]
    return Term((f"{writer.call('vjp', function, x)[0]}[1]({ct[0]})[0]", ATOM), np.shape(row[3 + 2 * position]))


def by_jvp(writer: Writer, row: Row, position: int, dot: Piece, operands: Sequence[Piece]) -> Term:
    """The product with a tangent as `gradcli.jvp` gives it."""
    function, x = _function(writer, row, position, operands), operands[position][0]
    return Term((f"{writer.call('jvp', function, f'({x},)', f'({dot[0]},)')[0]}[1]", ATOM), np.shape(row[1]))


def _function(writer: Writer, row: Row, position: int, operands: Sequence[Piece]) -> str:
    """What a row computed as a function of one of its arguments: `linalg.inv`, or a lambda."""
    letter = next(letter for letter in "abcdefghijklmnopqrstuvwxyz" if letter not in writer.taken)
    arguments = [(letter, ATOM) if n == position else piece for n, piece in enumerate(operands)]
    text, _ = written(writer, row, arguments)
    head, _, rest = text.partition("(")
    return head if rest == f"{letter})" else f"lambda {letter}: {text}"
