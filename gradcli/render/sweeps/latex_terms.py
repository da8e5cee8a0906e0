r"""Terms of a sweep as LaTeX: names with subscripts, and their versions as superscripts."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection

from gradcli.latex_formulas import GREEK, LETTERS, SPECIAL, LatexFormulas, typed

NAME = re.compile(r"(?<![\w.])(?:[^\W\d]|%)[\w%]*(?:\.(?!m?T\b)[^\W\d]\w*)*(?:#\w+(?:\.\w+)*)?")
KEYWORDS = {"None", "True", "False", "and", "or", "not", "if", "else", "in", "lambda", "for"}


def maths(text: str, arrays: Collection[str] = ()) -> str:
    """A term as a formula; `arrays` holds the names of arrays, whose products are elementwise."""
    names: dict[str, str] = {}

    def plain(found: re.Match[str]) -> str:
        before, after = found.string[: found.start()], found.string[found.end() :]
        if found[0] in KEYWORDS or before.endswith(("'", '"')) or re.match(r"=(?!=)", after):
            return found[0]
        return names.setdefault(found[0], f"n{len(names)}")

    readable = NAME.sub(plain, text)
    try:
        tree = ast.parse(readable, mode="eval").body
    except SyntaxError:
        return typed(text)
    originals = {short: name for name, short in names.items()}
    return LatexFormulas(symbol, lambda name: name in arrays, originals).text(tree)


def symbol(name: str) -> str:
    """A name with the part after its first underscore as a subscript, and its version as a superscript."""
    stem, _, version = name.partition("#")
    letter, _, below = stem.partition("_")
    written = _letters(letter) if letter or not below else ""
    if below:
        written += rf"_{{{_letters(below)}}}"
    return written + (rf"^{{({version})}}" if version else "")


def _letters(text: str) -> str:
    """A single letter in italics, a Greek letter by name, a letter with a subscript number, or a word upright."""
    if text in GREEK or text in LETTERS:
        return GREEK.get(text) or LETTERS[text]
    match = re.fullmatch(r"([^\W\d_])(\d*)", text)
    if match:
        return match[1] + (f"_{{{match[2]}}}" if match[2] else "")
    return rf"\{'mathrm' if text.isascii() else 'text'}{{{text.translate(SPECIAL)}}}"
