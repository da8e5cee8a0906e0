"""Python functions typed in a session: executed like those of a file, with their lines kept for display."""

from __future__ import annotations

import ast
import linecache
import re
import sys
import unicodedata
from itertools import count
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from gradcli.answers.targets.python_file_errors import SourceError
from gradcli.answers.targets.python_files import first_on_path, user_code
from gradcli.answers.targets.tracebacks import exception_message
from gradcli.errors import UsageError, with_article
from gradcli.shared.message_wording import sentence, shortened

if TYPE_CHECKING:
    from gradcli.answers.targets.session_definitions import Names

_FUNCTION = re.compile(
    r"(?:[ \t]*(?:\#.*|(?:import|from)[ \t].*)?\n)*[ \t]*(?:@[ \t]*[^\W\d]|(?:async[ \t]+)?def[ \t]+[^\W\d])"
)
_NAME = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+([^\W\d]\w*)", re.MULTILINE)
_IMPORT = re.compile(r"[ \t]*(?:import|from)[ \t]")
_NUMBERS = count(1)
_GIVEN = "import math, numpy\nimport numpy as np\n"  # imports that most functions copied from a file need


def is_function(text: str) -> bool:
    """Whether a text begins with a Python function: `def` or a decorator, after any imports."""
    return _FUNCTION.match(text) is not None


def is_import(text: str) -> bool:
    """Whether a text consists of Python imports only; `import file.py` does not count."""
    if not _IMPORT.match(text) or text.rstrip().endswith(".py"):
        return False
    try:
        tree = ast.parse(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return all(isinstance(statement, (ast.Import, ast.ImportFrom)) for statement in tree.body)


def function_name(text: str) -> str:
    """The name in the text of a function; an empty string if the text ends before it."""
    match = _NAME.search(text)
    return unicodedata.normalize("NFKC", match[1]) if match else ""  # Python normalises names in this way


class Written:
    """The module of the functions typed in a session. They see one another, `math`, `np` and the session's names."""

    def __init__(self) -> None:
        self._module: ModuleType | None = None
        self._shared: set[str] = set()

    def define(self, text: str) -> tuple[str, Any]:
        """Execute the text of one function; return its name and the function.

        Raises:
            UsageError: the name cannot be used, or the text contains more than the function.
            SourceError: the text does not parse.
            UserCodeError: a decorator, a default value or an import raises.
        """
        from gradcli.answers.targets.session_definitions import check_name

        name = function_name(text)
        if name:
            check_name(name)
        file = _kept(name or "function", text)
        code = _compiled(text, name or "The function", file)
        module = self._begun()
        with user_code(f"while {name} is defined"):
            exec(code, module.__dict__)
        function = module.__dict__[name]
        if not callable(function):
            message = f"{name} is {with_article(type(function).__name__)}, not a function: its decorator made it one."
            raise UsageError(message, hint="Leave the decorator out.")
        return name, function

    def take(self, text: str) -> list[str]:
        """Execute imports for the functions typed in the session; return the names that they define.

        Raises:
            TargetError: a module does not exist.
            UserCodeError: an import raises, or a module lacks the imported name.
        """
        from gradcli.answers.targets.modules import CURRENT_FOLDER, no_module

        imported: dict[str, Any] = {}
        with first_on_path(CURRENT_FOLDER), user_code(f"in {shortened(text)}"):
            try:
                exec(compile(text.strip(), "import", "exec", dont_inherit=True), {**self._begun().__dict__}, imported)
            except ModuleNotFoundError as error:
                missing = error.name
                asked = next((name for name in _modules(text) if f"{name}.".startswith(f"{missing}.")), None)
                if asked is None or missing is None:
                    raise  # an existing module fails to import another one
            else:
                self._begun().__dict__.update(imported)
                return list(imported)
        raise no_module(asked, missing)

    def share(self, names: Names, *imported: str) -> None:
        """Give the functions the session's current names and imports, and remove forgotten names."""
        if self._module is None:
            return
        functions = {name: names.function(name) for name in names.formulas}
        known = {**names.values, **functions, **names.loaded}
        self._shared -= set(imported)
        held = names.globals = self._module.__dict__
        for name in self._shared - set(known):
            held.pop(name, None)
        held.update(known)
        if self._shared - set(known):
            exec(_GIVEN, held)  # a removed name may have hidden one of these
        self._shared = set(known)

    def _begun(self) -> ModuleType:
        if self._module is None:
            module = ModuleType(f"gradcli_session_{next(_NUMBERS)}")
            exec(_GIVEN, module.__dict__)
            sys.modules[module.__name__] = self._module = module  # so that annotations can be resolved
        return self._module


def _modules(text: str) -> list[str]:
    """The modules named in imports."""
    tree = ast.parse(text.strip())
    plain = [alias.name for statement in tree.body if isinstance(statement, ast.Import) for alias in statement.names]
    return plain + [statement.module or "" for statement in tree.body if isinstance(statement, ast.ImportFrom)]


def _kept(name: str, text: str) -> str:
    """The file name for displays: `def f`, or `def f 2` if a different f was typed before."""
    lines = [f"{line}\n" for line in text.split("\n")]
    names = (f"def {name}{f' {number}' * (number > 1)}" for number in count(1))
    file = next(name for name in names if linecache.getlines(name) in ([], lines))
    linecache.cache[file] = len(text), None, lines, file
    return file


def _compiled(text: str, name: str, file: str) -> CodeType:
    try:
        tree = ast.parse(text, file)
        code = compile(tree, file, "exec", dont_inherit=True)  # rejects what parses but cannot run, such as f(x, x)
    except SyntaxError as error:
        at = error.lineno or 1
        wrong = SourceError(sentence(f"{name} does not parse: {error.msg}"), file, at, error.offset or 1)
        if error.msg.startswith("expected an indented block"):
            wrong.hint = "The body of a function is indented: begin its lines with four spaces, at the prompt by Tab."
        elif at == 1 and error.msg.startswith("expected"):
            wrong.hint = f"A function is typed def {name}(x): return x**2, or as a formula, {name}(x) = x^2."
        raise wrong from None
    except (ValueError, RecursionError, MemoryError) as error:
        why = exception_message(error) if isinstance(error, ValueError) else "it is nested too deeply"
        raise UsageError(f"{name} does not parse: {why}.") from None
    *before, last = tree.body
    if not isinstance(last, (ast.FunctionDef, ast.AsyncFunctionDef)) or not all(
        isinstance(statement, (ast.Import, ast.ImportFrom)) for statement in before
    ):
        raise UsageError(f"{name} and something else were typed together.", hint="Type one function at a time.")
    return code
