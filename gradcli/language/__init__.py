"""The formula language: parsing of text, evaluation, and output as text."""

from gradcli.language.evaluation import evaluate
from gradcli.language.formula_text import emit
from gradcli.language.parser import parse
from gradcli.language.syntax import Apply, Name, Number, Syntax, input_names

__all__ = ["Apply", "Name", "Number", "Syntax", "emit", "evaluate", "input_names", "parse"]
