"""The formula language: parsing of text, evaluation, and output as text."""

from gradcli.mathematics.language.formula_text import emit
from gradcli.mathematics.language.parser import parse
from gradcli.mathematics.language.syntax import Apply, Name, Number, Syntax, input_names

__all__ = ["Apply", "Name", "Number", "Syntax", "emit", "input_names", "parse"]
