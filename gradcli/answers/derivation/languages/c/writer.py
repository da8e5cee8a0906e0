"""What the functions that write C share: the sizes, the names, and the statements written so far."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

from gradcli.answers.derivation.function_text import Layout
from gradcli.answers.derivation.languages.c.lazy_arrays import ArrayByIndex, RunTimeLength, brackets
from gradcli.answers.derivation.languages.c.loop_tree import CArray, CBlock, CLoop, CStatement, Item
from gradcli.answers.derivation.languages.c.sizes import Sizes
from gradcli.answers.derivation.languages.c.terms import RESERVED, CTerm, number
from gradcli.answers.derivation.languages.c.value_sizes import GrowingList, SizedArray, SizedNumber, Value, type_of
from gradcli.answers.derivation.languages.c.variable_scopes import Declarations
from gradcli.answers.derivation.syntax_trees import NamesInUse, text_of
from gradcli.errors import UnsupportedError
from gradcli.mathematics.language.formula_text import ATOM, COMPARISON

# expressions that are written as a number where the sizes decide it
DECIDED = (ast.Attribute, ast.Call, ast.Compare, ast.Subscript)
_NAME = re.compile(r"[A-Za-z_]\w*")


class WritingTables(NamedTuple):
    """The functions that write expressions and statements, by the type of their node."""

    expressions: Mapping[type[ast.expr], Callable[[Any, CWriter], ArrayByIndex]]
    statements: Mapping[type[ast.stmt], Callable[[Any, CWriter], None]]


class CWriter:
    """The state of writing one function, which every function that writes a node is handed.

    Args:
        sizes: the types and sizes of its variables and expressions.
        body: its statements.
        taken: the names in use.
        layout: provides the user's comments and lines.
        tables: the functions that write nodes.

    Attributes:
        items: the statements of the function so far.
        block: those of the block that is written.
        helpers: the helper functions that it needs.
        multiplies: whether products of matrices are calls of `matrix_product`, which the file gets from elsewhere.
        uses_math, uses_assert: whether it needs <math.h> and <assert.h>.
        bound: the items that a comprehension binds.
        active: the indices of the loops of arrays around a line.
        declared: the variables declared so far.
        made: subscripts that are kept alive, because observations of an expression are found by its id.
        lengths: what the lengths of arrays were set to, where that has not changed since.
        results: the variables whose places are results of the function.
        give: writes the returned values.
    """

    def __init__(
        self, sizes: Sizes, body: list[ast.stmt], taken: Iterable[str], layout: Layout, tables: WritingTables
    ) -> None:
        self.sizes = sizes
        self.body = body
        self.layout = layout
        self.tables = tables
        self.taken = NamesInUse({*taken, *RESERVED})
        self.fresh = self.taken.fresh
        self.items: list[Item] = []
        self.block = self.items
        self._comments: list[str] = []
        self.helpers: set[str] = set()
        self.multiplies = self.uses_math = self.uses_assert = False
        self.bound: dict[str, CTerm] = {}
        self.active: tuple[str, ...] = ()
        self.names: dict[str, str] = {}
        self.declared: set[str] = set()
        self.lengths: dict[tuple[str, int], CTerm] = {}
        self.results: set[str] = set()
        self.declarations: Declarations
        self.made: list[ast.Subscript] = []
        self.give: Callable[[ast.Return], None]
        self.last_comment = ""

    def refuse(self, what: str) -> UnsupportedError:
        """The error for a construct that cannot be written in C."""
        return self.sizes.refuse(what)

    def name(self, theirs: str) -> str:
        """The name of a variable in C, distinct from reserved words."""
        if theirs not in self.names:
            plain = "".join(character if character.isascii() else f"u{ord(character):x}" for character in theirs)
            self.names[theirs] = self.fresh(plain) if plain in RESERVED or plain != theirs else theirs
        return self.names[theirs]

    def length(self, theirs: str, axis: int | None = None) -> str:
        """The variable that holds the length of an axis of an array, or of a growing list."""
        key = f"{theirs} length {axis}"
        if key not in self.names:
            self.names[key] = self.fresh(f"{self.name(theirs)}_length")
        return self.names[key]

    def place(self, theirs: str) -> ArrayByIndex:
        """A variable that holds an array, with the lengths that it has at this time."""
        kind = self.sizes.variables[theirs]
        assert isinstance(kind, SizedArray)
        own = {axis: CTerm(self.length(theirs, axis), type="int") for axis in kind.varying}
        terms = {axis: self.lengths.get((theirs, axis), term) for axis, term in own.items()}
        shape = (RunTimeLength(n, terms[axis]) if axis in terms else n for axis, n in enumerate(kind.shape))
        return lanes_of(self.name(theirs), tuple(shape), kind.type)

    def set_length(self, theirs: str, axis: int, term: CTerm, *, is_lasting: bool = True) -> None:
        """Set the length of an axis of an array, by a term that may stand for it from then on if it is `lasting`."""
        name = self.length(theirs, axis)
        if term.text == name:
            return
        self.write(f"{name} = {term.text};", name)
        self.lengths.pop((theirs, axis), None)
        self.forget_terms({name})
        if is_lasting and name not in _NAME.findall(term.text):
            self.lengths[theirs, axis] = term

    def forget_terms(self, names: set[str]) -> None:
        """Forget the lengths that were set by terms with C variables that have changed."""
        if self.lengths:
            kept = self.lengths.items()
            self.lengths = {at: term for at, term in kept if names.isdisjoint(_NAME.findall(term.text))}

    def forget_lengths(self, changed: set[str]) -> None:
        """Forget the lengths of arrays that change in a block, and those that were set by what changes there."""
        self.lengths = {at: term for at, term in self.lengths.items() if at[0] not in changed}
        kinds = {theirs: self.sizes.variables.get(theirs) for theirs in changed}
        arrays = {theirs: kind for theirs, kind in kinds.items() if isinstance(kind, SizedArray)}
        lengths = {self.length(theirs, axis) for theirs, kind in arrays.items() for axis in kind.varying}
        self.forget_terms({*map(self.name, changed), *lengths})

    def write(self, text: str, sets: str = "") -> None:
        """Write a statement."""
        self._add(CStatement(text, sets))

    def write_array(self, kind: SizedArray, name: str, sets: str = "", *, is_zero: bool = False) -> None:
        """Write the declaration of an array."""
        self._add(CArray(type_of(kind), name, tuple(max(1, int(n)) for n in kind.shape), sets, is_zero))

    def comment(self, text: str) -> None:
        """Write a comment of the user, or the user's line that a part belongs to, above the next statement."""
        if text != self.last_comment:
            self._comments.append(f"// {text.rstrip(chr(92)).replace('??', '? ?')}".rstrip())
        self.last_comment = text

    def _add(self, item: Item) -> None:
        item.comments, self._comments = self._comments, []
        self.block.append(item)

    @contextmanager
    def inside(self, block: list[Item]) -> Iterator[None]:
        """Write into another block."""
        outer = self.block, self._comments
        self.block, self._comments = block, []
        yield
        self.block, self._comments = outer

    def loop(self, variable: str, end: str) -> AbstractContextManager[None]:
        """Write a loop over the numbers below an expression, and then into it."""
        loop = CLoop(variable, CStatement(end), [], variable)
        self._add(loop)
        return self.inside(loop.body)

    def under(self, head: str, variable: str = "") -> AbstractContextManager[None]:
        """Write a block under its head, such as `if (a > b)`, and then into it; `variable` is that of a loop."""
        block = CBlock([(CStatement(f"{head} {{"), [])], variable)
        self._add(block)
        return self.inside(block.parts[0][1])

    def otherwise(self) -> AbstractContextManager[None]:
        """Write into the `else` of the last block."""
        block = self.block[-1]
        assert isinstance(block, CBlock)
        block.parts.append((CStatement("} else {"), []))
        return self.inside(block.parts[1][1])

    def kind(self, node: ast.expr) -> Value | None:
        """The type and sizes of an expression."""
        return self.sizes.kind(node)

    def known(self, node: ast.expr) -> int | None:
        """The value of a whole number that the sizes decide; None if they do not."""
        kind = self.sizes.seen.get(id(node))
        return kind.known if isinstance(kind, SizedNumber) else None

    def once(self, term: CTerm, stem: str = "part") -> CTerm:
        """A term that may be repeated: anything but a name or constant is assigned to a variable."""
        if term.binding == ATOM and "(" not in term.text:
            return term
        made = self.fresh(stem)
        type_ = "double" if term.type == "double" else "int"
        self.write(f"const {type_} {made} = {term.text};", made)
        return CTerm(made, ATOM, term.type)

    def helper(self, called: str, *terms: CTerm, type_: str = "double") -> CTerm:
        """A call of a helper function."""
        self.helpers.add(called)
        self.uses_math |= called in ("modulo", "floor_quotient", "whole")
        self.uses_assert |= called in ("place", "whole")
        return CTerm(f"{called}({', '.join(term.text for term in terms)})", ATOM, type_)

    def call(self, called: str, *terms: CTerm) -> CTerm:
        """A call of a function in <math.h>."""
        self.uses_math = True
        return CTerm(f"{called}({', '.join(term.text for term in terms)})")

    def number(self, node: ast.expr) -> CTerm:
        """An expression as a number; a growing list, which is tested, as whether it has items."""
        if isinstance(self.kind(node), GrowingList):
            return CTerm(f"{self.length(text_of(node))} > 0", COMPARISON, "truth")
        return self.lanes(node).at([])

    def lanes(self, node: ast.expr) -> ArrayByIndex:
        """An expression as an array; a number has no axes."""
        kind, known = self.kind(node), self.known(node)
        if isinstance(kind, GrowingList):
            assert isinstance(node, ast.Name)
            return lanes_of(self.name(node.id), (self.sizes.capacity[node.id],))
        if known is not None and isinstance(node, DECIDED):
            return self.single(number(known), node)
        writing = self.tables.expressions.get(type(node))
        if writing is None:
            raise self.refuse(text_of(node))
        lanes = writing(node, self)
        lengths = kind.shape if isinstance(kind, SizedArray) else ()
        varying = kind.varying if isinstance(kind, SizedArray) else ()
        if len(lanes.shape) != len(lengths):
            raise self.refuse(text_of(node))
        for axis, (own, length) in enumerate(zip(lanes.shape, lengths, strict=True)):
            if not isinstance(own, RunTimeLength) and (axis in varying or own != length):
                raise self.refuse(f"{text_of(node)}{', whose length changes,' if axis in varying else ''}")
        return lanes

    def single(self, term: CTerm, node: ast.expr) -> ArrayByIndex:
        """The term of an expression as an array without axes."""
        names = {self.name(n.id) for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in self.sizes.variables}
        return ArrayByIndex((), lambda at: term, frozenset(), frozenset(names))


def lanes_of(made: str, shape: tuple[int, ...], type_: str = "double") -> ArrayByIndex:
    """A variable as an array expression."""
    return ArrayByIndex(shape, lambda at: CTerm(f"{made}{brackets(at)}", type=type_), frozenset((made,)))
