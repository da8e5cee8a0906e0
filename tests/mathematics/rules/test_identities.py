"""A rule has one identity: its name stands for no other rule."""

import subprocess
import sys

from gradcli.mathematics.rules.rule_table import RULES

# In a program of its own, for tests make rules too.
COUNT = """
import gc, pkgutil
from collections import Counter
from importlib import import_module
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.function_registry import FUNCTIONS
from gradcli.mathematics.rules.rule_types import Elementwise
for package in ("mathematics.rules", "engine.tape", "methods", "answers.selftest"):
    package = import_module(f"gradcli.{package}")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if ".adapters." not in module.name:  # they import other libraries
            import_module(module.name)
FUNCTIONS.complete()
rules = Counter(each.name for each in gc.get_objects() if isinstance(each, (Elementwise, ArrayRule)))
print(len(rules), *(name for name, count in rules.items() if count > 1))
"""


def test_no_two_rules_share_a_name():
    """Neither two of the table nor one of it and another that is kept elsewhere."""
    found = subprocess.run([sys.executable, "-c", COUNT], check=True, capture_output=True, text=True).stdout.split()

    assert 250 < int(found[0])
    assert found[1:] == []


def test_a_rule_is_found_under_its_name():
    """The key of the table is the name of the rule."""
    assert [name for name, rule in RULES.items() if rule.name != name] == []
