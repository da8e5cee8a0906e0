"""The formula language: text to tree, tree to value, tree to text."""

from gradcli.language.emit import emit
from gradcli.language.evaluate import evaluate
from gradcli.language.parse import parse
from gradcli.language.syntax import Apply, Name, Number, Syntax, input_names

__all__ = ["Apply", "Name", "Number", "Syntax", "emit", "evaluate", "input_names", "parse"]
