"""The parser of formulas: Python's expression grammar without attributes, by operator precedence.

Lists and subscripts belong to the prompt alone.

Operators and open brackets wait on one stack, values on another, so depth and length are not limited by recursion.
Python's own parser fails at sums of 3,000 terms, and its error messages say less.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

from gradcli.errors import ExpressionError
from gradcli.mathematics.language import word_lookup
from gradcli.mathematics.language.constant_limits import Magnitude, combined, literal, refuse_giant, size_of
from gradcli.mathematics.language.syntax import LIST, Apply, Name, Number, Syntax, walk
from gradcli.mathematics.language.tokens import DEEPEST, Token, tokenize, too_deep
from gradcli.mathematics.language.vocabulary import FOLDED, MODULES, Signature
from gradcli.shared.frozen_record import Frozen

CHOICE, OR, AND, NOT, COMPARISON, SUM, PRODUCT, SIGN, POWER = range(1, 10)

_BINARY: dict[str, tuple[str, int]] = {
    "or": ("logical_or", OR),
    "and": ("logical_and", AND),
    "+": ("add", SUM),
    "-": ("sub", SUM),
    "*": ("mul", PRODUCT),
    "/": ("div", PRODUCT),
    "//": ("floordiv", PRODUCT),
    "%": ("mod", PRODUCT),
    "@": ("dot", PRODUCT),
    "**": ("pow", POWER),
    "^": ("pow", POWER),
}
_COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
_PREFIXES = {"-": ("neg", SIGN), "+": ("pos", SIGN), "not": ("logical_not", NOT)}

_SQUARE = ("list", "index")
_PLACE = r"(-?\d+|(-?\d+)?:(-?\d+)?(:(-?[1-9]\d*)?)?)"  # a whole number, or a slice such as 1:3 or ::2
_SLICES = rf"(?a:\[{_PLACE}(,{_PLACE})*\])"  # compiled on first use
_OF_ARRAY = {"maximum": "amax", "minimum": "amin"}  # what `max` of a single argument means


class _Operand(Frozen):
    """A parsed value: its tree, its columns including brackets, and its size if it is a constant."""

    tree: Syntax
    start: int
    end: int
    size: Magnitude | None


class _Frame:
    """An operator, bracket or call that waits for more input, with its arguments so far."""

    __slots__ = ("arguments", "binding", "function", "kind", "token")

    def __init__(self, kind: str, token: Token, function: str = "", binding: int = 0) -> None:
        self.kind = kind
        self.token = token
        self.function = function
        self.binding = binding
        self.arguments: list[_Operand] = []

    @property
    def nests(self) -> bool:
        """Whether any number of such frames may wait at once."""
        return self.kind not in ("binary", "comparison", "if") or self.binding == POWER


def parse(text: str, functions: Mapping[str, Signature] = MappingProxyType({}), *, at_prompt: bool = False) -> Syntax:
    """Parse a formula.

    Args:
        text: the formula.
        functions: additional functions by name, with their arguments.
        at_prompt: also read nodes of the last tape such as `%7`, lists, elements such as `x[0]`, and functions and
            constants of modules such as `np.sin`.

    Raises:
        ExpressionError: the text is not in the formula language. The error has the position and the text to type
            instead.
    """
    return _Parser(text, functions, at_prompt).run()


class _Parser:
    def __init__(self, text: str, functions: Mapping[str, Signature], at_prompt: bool) -> None:
        self.text = text
        self.functions = functions
        self.at_prompt = at_prompt
        self.tokens = tokenize(text)
        self.index = 0
        self.operands: list[_Operand] = []
        self.frames: list[_Frame] = []
        self.depth = 0
        self.shared: set[int] = set()

    def run(self) -> Syntax:
        wanted = True
        while self.index < len(self.tokens):
            token = self.tokens[self.index]
            wanted = self.value(token) if wanted else self.operator(token)
            self.index += 1
        return self.operands[0].tree

    # States where a value is expected. Each method returns whether a value is expected next.

    def value(self, token: Token) -> bool:
        if token.text in _PREFIXES:
            return self.prefix(token)
        if self.at_prompt and token.text == "[":
            self.push(_Frame("list", token, LIST))
            return True
        match token.kind:
            case "number":
                return self.number(token)
            case "name":
                return self.name(token)
            case "wrong" if token.text != "]" or not self.at_prompt:
                raise self.unknown_symbol(token)
        if token.text == "(":
            self.push(_Frame("group", token))
            return True
        if token.text == "%" and self.at_prompt and self.tokens[self.index + 1].text.isdecimal():
            return self.node(token)
        if self.may_end(token):
            return self.end(self.pop(), token)
        raise self.unsupported.misplaced_symbol_error(token, self.tokens, self.index, self.text)

    @property
    def unsupported(self) -> Any:
        """The module that words what is not in the language, imported for the first error."""
        return import_module("gradcli.mathematics.language.unsupported_syntax")

    def unknown_symbol(self, token: Token) -> Any:
        if token.text == ":" and self.frames and self.frames[-1].kind == "index":
            return self.unsupported.no_index(token.start, token.end, self.text)
        return self.unsupported.unknown_symbol_error(token, self.tokens, self.index, self.text)

    def may_end(self, token: Token) -> bool:
        """Whether brackets may close here without a further value: `f()`, `f(x,)`, `[x,]`."""
        before = self.tokens[self.index - 1].text
        kind = self.frames[-1].kind if self.frames and before in ("(", ",") else ""
        return kind == "call" if token.text == ")" else token.text == "]" and kind in _SQUARE

    def number(self, token: Token) -> bool:
        value = literal(token, self.text)
        return self.leaf(Number(value, token.start, token.end), size_of(value))

    def leaf(self, tree: Number | Name, size: Magnitude | None = None) -> bool:
        self.operands.append(_Operand(tree, tree.start, tree.end, size))
        return False

    def node(self, token: Token) -> bool:
        """A node of the last tape, such as `%7`."""
        self.index += 1
        number = self.tokens[self.index]
        return self.leaf(Name(f"%{number.text}", token.start, number.end))

    def name(self, token: Token) -> bool:
        word_lookup.refuse_keyword(token, self.text)
        following = self.tokens[self.index + 1]
        if self.at_prompt and following.text == "." and token.text in MODULES:
            token = self.of_module(token)
            following = self.tokens[self.index + 1]
        if following.text == "(":
            function = word_lookup.check_function(token, self.text, self.functions)
            self.push(_Frame("call", token, function))
            self.index += 1
            return True
        if following.text not in ("'", '"'):
            word_lookup.check_name(token, following, self.text, self.functions)
        return self.leaf(Name(token.text, token.start, token.end))

    def of_module(self, token: Token) -> Token:
        """The function or constant `np.linalg.norm` as one token; skip the others."""
        while self.tokens[self.index + 1].text == "." and self.tokens[self.index + 2].kind == "name":
            self.index += 2
        word = self.tokens[self.index]
        is_call = self.tokens[self.index + 1].text == "("
        return word_lookup.word_of_module(token.changed(end=word.end), word.text, is_call, self.text)

    def prefix(self, token: Token) -> bool:
        function, binding = _PREFIXES[token.text]
        if token.text == "not" and self.frames and self.frames[-1].binding > NOT:
            raise self.refused("Brackets are needed around not here.", token, "Type (not …).")
        self.push(_Frame("prefix", token, function, binding))
        return True

    # States where an operator is expected.

    def operator(self, token: Token) -> bool:
        if token.text in _BINARY:
            return self.binary(token)
        if token.text in _COMPARISONS:
            self.reduce(COMPARISON + 1)
            self.push(_Frame("comparison", token, _COMPARISONS[token.text], COMPARISON))
            return True
        match token.text:
            case "if":
                return self.choice_if(token)
            case "else":
                return self.choice_else(token)
            case ")" | "]" if token.text == ")" or self.at_prompt:
                return self.close(token)
            case ",":
                return self.comma(token)
            case "[" if self.at_prompt:
                if self.slice(token):
                    return False
                self.push(_Frame("index", token))
                self.frames[-1].arguments.append(self.operands.pop())
                return True
        return self.no_operator(token)

    def no_operator(self, token: Token) -> bool:
        if token.kind == "end":
            return self.finish()
        if token.kind == "wrong":
            raise self.unknown_symbol(token)
        if token.text == "not" or keyword.iskeyword(token.text):
            word_lookup.refuse_keyword(token, self.text)
        raise self.unsupported.side_by_side(self.tokens, self.index, self.text, self.functions)

    def binary(self, token: Token) -> bool:
        function, binding = _BINARY[token.text]
        self.reduce(binding + 1 if binding == POWER else binding)
        self.push(_Frame("binary", token, function, binding))
        return True

    def choice_if(self, token: Token) -> bool:
        self.reduce(CHOICE + 1)
        if self.frames and self.frames[-1].kind == "if":
            message = "A conditional inside a condition needs brackets."
            raise self.refused(message, token, "Type a if (b if c else d) else e.")
        self.frames.append(_Frame("if", token, binding=CHOICE))
        return True

    def choice_else(self, token: Token) -> bool:
        self.reduce(CHOICE + 1)
        if not self.frames or self.frames[-1].kind != "if":
            raise self.refused("This else has no if before it.", token, "Type a if c else b.")
        self.frames.pop()
        self.push(_Frame("else", token, "where", CHOICE))
        return True

    def close(self, token: Token) -> bool:
        """Close the last open bracket."""
        self.reduce_to_bracket()
        if not self.frames:
            hint = f"Leave the {token.text} out."
            raise ExpressionError("No bracket is open here.", self.text, token.start, hint=hint)
        needed = "]" if self.frames[-1].kind in _SQUARE else ")"
        if token.text != needed:
            raise ExpressionError("Another bracket is open here.", self.text, token.start, hint=f"Type {needed} first.")
        frame = self.pop()
        frame.arguments.append(self.operands.pop())
        return self.end(frame, token)

    def end(self, frame: _Frame, token: Token) -> bool:
        """Read what stood in brackets."""
        match frame.kind:
            case "group":
                self.operands.append(frame.arguments[0].changed(start=frame.token.start, end=token.end))
            case "list":
                self.apply(LIST, frame.arguments, frame.token.start, token.end)
            case "index":
                array, *indices = frame.arguments
                index = f"[{', '.join(str(self.index_of(operand)) for operand in indices)}]"
                self.apply(index, [array], array.start, token.end)
            case _:
                self.call(frame, token)
        return False

    def slice(self, token: Token) -> bool:
        """Read an index with a colon, such as `[1:3]` or `[0, ::2]`, whose numbers are written out."""
        end = self.index + 1
        while self.tokens[end].text in ("-", ":", ",") or self.tokens[end].text.isdecimal():
            end += 1
        index = "".join(token.text for token in self.tokens[self.index : end + 1])
        if ":" not in index or not re.fullmatch(_SLICES, index):
            return False
        array = self.operands.pop()
        self.index = end
        self.apply(index.replace(",", ", "), [array], array.start, self.tokens[end].end)
        return True

    def index_of(self, operand: _Operand) -> int:
        """The whole number of an index."""
        tree, sign = operand.tree, 1
        if isinstance(tree, Apply) and tree.function == "neg":
            tree, sign = tree.arguments[0], -1
        if isinstance(tree, Number) and isinstance(tree.value, int):
            return sign * tree.value
        raise self.unsupported.no_index(operand.start, operand.end, self.text)

    def comma(self, token: Token) -> bool:
        self.reduce_to_bracket()
        if not self.frames or self.frames[-1].kind not in ("call", *_SQUARE):
            raise self.unsupported.comma(token, self.text)
        self.frames[-1].arguments.append(self.operands.pop())
        return True

    def finish(self) -> bool:
        self.reduce_to_bracket()
        if self.frames:
            token = self.frames[-1].token
            start = token.start if token.text == "[" else self.text.index("(", token.start)  # in a call behind the name
            hint = f"Type a {']' if token.text == '[' else ')'} where it ends."
            raise ExpressionError("This bracket is never closed.", self.text, start, start + 1, hint=hint)
        return False

    def refused(self, message: str, where: Token | _Operand, hint: str) -> ExpressionError:
        return ExpressionError(message, self.text, where.start, where.end, hint=hint)

    # The stacks

    def push(self, frame: _Frame) -> None:
        self.depth += frame.nests
        if self.depth > DEEPEST:
            raise too_deep(self.text, frame.token.start)
        self.frames.append(frame)

    def pop(self) -> _Frame:
        frame = self.frames.pop()
        self.depth -= frame.nests
        return frame

    def reduce_to_bracket(self) -> None:
        self.reduce(CHOICE)
        if self.frames and self.frames[-1].kind == "if":
            raise self.refused("This if has no else.", self.frames[-1].token, "Type a if c else b.")

    def reduce(self, binding: int) -> None:
        """Apply the waiting operators that bind at least as tightly as `binding`."""
        while self.frames and self.frames[-1].binding >= binding:
            if self.frames[-1].kind == "if":
                return
            if self.frames[-1].kind == "comparison":
                self.reduce_comparisons()
                continue
            frame = self.pop()
            count = {"prefix": 1, "binary": 2, "else": 3}[frame.kind]
            arguments = self.operands[-count:]
            del self.operands[-count:]
            start = frame.token.start if frame.kind == "prefix" else arguments[0].start
            if frame.kind == "else":
                arguments = [arguments[1], arguments[0], arguments[2]]
            self.apply(frame.function, arguments, start, max(argument.end for argument in arguments))

    def reduce_comparisons(self) -> None:
        frames: list[_Frame] = []
        while self.frames and self.frames[-1].kind == "comparison":
            frames.append(self.pop())
        frames.reverse()
        operands = self.operands[-len(frames) - 1 :]
        del self.operands[-len(frames) - 1 :]
        for middle in operands[1:-1]:
            self.share(middle)
        pairs = zip(frames, operands, operands[1:], strict=False)
        for count, (frame, one, other) in enumerate(pairs):
            self.apply(frame.function, [one, other], one.start, other.end)
            if count:
                pair = [self.operands.pop(-2), self.operands.pop()]
                self.apply("logical_and", pair, pair[0].start, pair[1].end)

    def share(self, operand: _Operand) -> None:
        """Note that a tree is used in two comparisons. In nested chains its size would double with every level."""
        if any(id(node) in self.shared for node in walk(operand.tree)):
            message = "A chain of comparisons cannot contain another."
            raise self.refused(message, operand, "Join the comparisons with and.")
        self.shared.add(id(operand.tree))

    def apply(self, function: str, arguments: list[_Operand], start: int, end: int) -> None:
        size = combined(function, [argument.size for argument in arguments])
        refuse_giant(function, size, self.text, start, end)
        tree = Apply(function, tuple(argument.tree for argument in arguments), start, end)
        self.operands.append(_Operand(tree, start, end, size))

    def call(self, frame: _Frame, token: Token) -> None:
        if self.at_prompt and len(frame.arguments) == 1 and frame.function in _OF_ARRAY:
            return self.apply(_OF_ARRAY[frame.function], frame.arguments, frame.token.start, token.end)
        word_lookup.check_arity(frame.token, len(frame.arguments), self.text, token.end, self.functions)
        if frame.function not in FOLDED:
            return self.apply(frame.function, frame.arguments, frame.token.start, token.end)
        first, *others = frame.arguments
        self.operands.append(first)
        for other in others:
            self.apply(frame.function, [self.operands.pop(), other], frame.token.start, token.end)
        return None
