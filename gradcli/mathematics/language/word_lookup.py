"""The meaning of a word in a formula, an input, a constant or a function, and the error if it has none."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Mapping, Sequence

from gradcli.errors import ExpressionError
from gradcli.mathematics.language import special_functions, vocabulary
from gradcli.mathematics.language.tokens import Token
from gradcli.mathematics.language.vocabulary import Signature

_VALUES = {"True": "Type 1.", "False": "Type 0.", "None": "Type nan for a missing value."}
_SHORTEST_FUNCTION = 3  # letters; a shorter unknown word before a bracket is more often a factor
_HINTS = {
    "is": "Type == to compare.",
    "in": "Type comparisons joined with or: x == 1 or x == 2.",
    "lambda": "Type the expression alone; its names are the inputs.",
    "for": "Type the array function itself: sum(x), mean(x), prod(x), dot(x, y).",
}


def refuse_keyword(token: Token, text: str) -> None:
    """Refuse a Python keyword that formulas do not have.

    Raises:
        ExpressionError: the word is such a keyword.
    """
    if token.text in _VALUES:
        message = f"{token.text} is not a number."
        raise ExpressionError(message, text, token.start, token.end, hint=_VALUES[token.text])
    if keyword.iskeyword(token.text):
        message = f"The word {token.text} is not allowed {'here' if token.text in _GRAMMAR else 'in formulas'}."
        raise ExpressionError(message, text, token.start, token.end, hint=_HINTS.get(token.text))


_GRAMMAR = frozenset({"and", "or", "not", "if", "else"})


def check_name(token: Token, following: Token, text: str, functions: Mapping[str, Signature]) -> None:
    """Refuse a name that can be neither an input nor a constant.

    Raises:
        ExpressionError: it is a function without brackets, or a name with two leading underscores.
    """
    _refuse_private(token, text)
    name = vocabulary.canonical(token.text)
    least = None
    before_word = following.kind == "name" and not keyword.iskeyword(following.text)
    if users := functions.get(token.text):
        least = None if users.may_be_input and not before_word else max(users.least, users.may_be_input)
    elif name and name not in special_functions.WORDS:
        least = vocabulary.FUNCTIONS[name][0]
    if least is not None:
        if before_word and least == 1:
            hint = f"Type {token.text}({following.text})."
        else:
            hint = f"Type {token.text}(…); an input needs another name."
        message = f"The function {token.text} needs brackets."
        raise ExpressionError(message, text, token.start, token.end, hint=hint)


def _refuse_private(token: Token, text: str) -> None:
    if token.text.startswith("__"):
        message = "A name with two leading underscores is not allowed in formulas."
        raise ExpressionError(message, text, token.start, token.end, hint="Choose another name.")


def check_function(token: Token, text: str, functions: Mapping[str, Signature]) -> str:
    """The canonical name of the function in a call, a built-in one or one of `functions`.

    Raises:
        ExpressionError: there is no such function.
    """
    _refuse_private(token, text)
    name = token.text if token.text in functions else vocabulary.canonical(token.text)
    if name is None:
        message, hint = _no_function(token.text, functions)
        opening = text.index("(", token.start)
        if text.count("(", opening) > text.count(")", opening):
            message, hint = f"{message} Its bracket is never closed either.", f"{hint} Type a ) where it ends."
        raise ExpressionError(message, text, token.start, token.end, hint=hint)
    return name


def word_of_module(token: Token, word: str, is_call: bool, text: str) -> Token:
    """The token of a function or a constant that was typed with its module: `sin` for `np.sin`.

    A function that a user may redefine keeps the module: `numpy.norm` for `np.linalg.norm`.

    Raises:
        ExpressionError: formulas have no such constant.
    """
    if is_call:
        return token.changed(text=word if vocabulary.canonical(word) else f"numpy.{word}")
    if word in vocabulary.CONSTANTS:
        return token.changed(text=word)
    typed = text[token.start : token.end]
    hint = f"Type {word}(…)." if vocabulary.canonical(word) else "Type a number, or write a function: def f(x): …"
    raise ExpressionError(f"{typed} is not a number.", text, token.start, token.end, hint=hint)


def _no_function(word: str, functions: Mapping[str, Signature]) -> tuple[str, str]:
    if word in vocabulary.CONSTANTS:
        return f"{word} is a number, not a function.", f"To multiply, type {word}*(…)."
    from gradcli.shared.message_wording import nearest_name

    known = [name for name in (*functions, *vocabulary.FUNCTIONS, *vocabulary.ALIASES) if "." not in name]
    # Short names resemble everything: `x(3)` is more often meant as a product than a misspelt function.
    is_pythons = hasattr(builtins, word)
    near = nearest_name(word.removeprefix("numpy."), known, 0.81 if is_pythons else 0.7) if len(word) > 1 else None
    if near:
        return f"There is no function {word[:40]}.", f"Did you mean {near}?"
    if is_pythons:
        return f"Formulas have no function {word}.", f"Write a Python function: def f(x): return {word}(x)"
    if len(word) < _SHORTEST_FUNCTION:
        hint = f"To multiply, type {word}*(…); to define a function, {word}(x) = …"
        return f"{word} is not a function.", hint
    hint = "`gradcli help operations` lists the functions; write others in a file: file.py:f."
    return f"There is no function {word[:40]}.", hint


def check_arity(token: Token, count: int, text: str, end: int, functions: Mapping[str, Signature]) -> None:
    """Refuse a call with the wrong number of arguments.

    Raises:
        ExpressionError: the function named by `token` does not take `count` arguments.
    """
    name = vocabulary.canonical(token.text) or token.text
    signature = functions.get(token.text) or Signature(vocabulary.FUNCTIONS[name][0], vocabulary.most_arguments(name))
    if message_and_hint := argument_count_message(token.text, count, signature):
        raise ExpressionError(message_and_hint[0], text, token.start, end, hint=message_and_hint[1])


def argument_count_message(name: str, count: int, signature: Signature) -> tuple[str, str] | None:
    """The message and the hint for a call with a wrong number of arguments; None for a right one."""
    least, most, names = signature.least, signature.most, signature.names
    if least <= count <= most:
        return None
    return f"{name} takes {_wanted(least, most, names)}, not {count}.", f"Type {name}({_example(least, names)})."


def _wanted(least: int, most: int, names: Sequence[str]) -> str:
    """The wanted number of arguments, with their names: `2 arguments (x, y)`."""
    if most == vocabulary.MANY:
        return f"{least} or more arguments"
    number = f"{least}" if least == most else f"{least} to {most}"
    return f"{number} argument{'s' if most != 1 else ''}" + (f" ({', '.join(names)})" if names else "")


def _example(least: int, names: Sequence[str]) -> str:
    wanted = max(least, 1)
    return ", ".join(names[:wanted] or "xyz"[:wanted]) if names or wanted <= 3 else "…"
