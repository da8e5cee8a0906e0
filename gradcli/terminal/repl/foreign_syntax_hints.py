"""Hints for lines in the syntax of other tools, consulted when a line cannot be understood."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from keyword import iskeyword

from gradcli import queries
from gradcli.errors import ExpressionError, GradcliError, UsageError
from gradcli.queries.session_workspace import Workspace
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import nearest_name
from gradcli.terminal.repl.command_descriptions import SETTINGS
from gradcli.terminal.repl.foreign_spellings import ROWS, spelled

MOST_READ = 400  # characters; a longer line gets no hint
NEAR = 0.75  # the least similarity, up to 1, of a word and a command, such as gard and grad

_FIRST = re.compile(r"(?P<w>[^\W\d]\w*)\s+(?P<rest>(?!(?:if|else|and|or|at|in)\b)(?:[\w(\[@'\"]|--\w).*)")
_HEAD = re.compile(r"[-\w]+|\S")
_WHOLE = re.compile(r"Type (.*\*.*)\.")  # the hint at missing products
_NUMBER = re.compile(r"[-+\d.eE]+")
_WORD = re.compile(r"(?P<w>[^\W\d]\w*)")
_ASKED = re.compile(r"(?P<w>[^\W\d_]{3,})(?P<rest>\s+(?:[^\W\d]|\(|--).*)?")
_WORDS_ELSEWHERE = ("cat", "for", "read", "deriv", "derivative")  # similar to commands, but used in habits below


class Vocabulary(Frozen, eq=False):
    """The words of a session: its names, and the commands."""

    workspace: Workspace
    commands: Sequence[str]


class Habit(Frozen):
    """A syntax of another tool and its equivalent here.

    Args:
        pattern: the syntax; the names of its groups are those in `hint`.
        message: why the line is not understood here.
        hint: what to type.
        fits: whether the match applies in a session.
    """

    pattern: re.Pattern[str]
    message: str
    hint: str
    fits: Callable[[Mapping[str, str], Vocabulary], bool] = lambda parts, words: True


def _habit(pattern: str, message: str, hint: str, **more: Callable[[Mapping[str, str], Vocabulary], bool]) -> Habit:
    return Habit(re.compile(pattern), message, hint, **more)


def _is_function(parts: Mapping[str, str], words: Vocabulary) -> bool:
    return words.workspace.means_function(parts["f"])


def _is_value(parts: Mapping[str, str], words: Vocabulary) -> bool:
    return parts["c"] in words.workspace.names.values


def _is_loaded(parts: Mapping[str, str], words: Vocabulary) -> bool:
    """Whether a function of a file takes one argument."""
    signature = words.workspace.names.signatures.get(parts["f"])
    takes_one = signature is not None and (signature.least, signature.most) == (1, 1)
    return takes_one and parts["f"] in words.workspace.names.loaded


def _is_command(parts: Mapping[str, str], words: Vocabulary) -> bool:
    return parts["c"] in words.commands


def _has_inputs(parts: Mapping[str, str], words: Vocabulary) -> bool:
    try:
        return bool(words.workspace.inputs(parts["f"]))
    except GradcliError:
        return False


def _has_unknown(parts: Mapping[str, str], words: Vocabulary) -> bool:
    try:
        return bool(words.workspace.unknown(parts["f"]))
    except GradcliError:
        return False


_NO_POINT = "A point follows a command."
_NO_OPERATOR = "Derivatives have commands."
_TWO_WAYS = "grad {f}{wrt} for numbers, or symbolic {f} for the formula"
_PLACE = r"(?P<p>(?!--|-[A-Za-z]\b)[-+.\d\[({@].*|(?!at\b)\w+\s*=(?!=).*)"
_AT = r"(?:at|where|with|for|when|-at|--at)"
_SEVERAL = "at x=1,y=2 for several values"
_COMMAND = r"(?P<c>grad|jacobian|hessian|tape|explain|step|derive|symbolic|check|precision|propagate|plot)"
_FUNCTION = r"(?P<f>[^\W\d]\w*)"

HABITS = (
    # Phrases in words
    _habit(
        r"(?:(?:what\s+is|what's|find|compute|calculate|evaluate)\s+(?:the\s+)?)?"
        r"(?:tangent|slope|derivative|gradient|grad|diff)\s+(?:of|for)\s+(?P<f>.+?)(?:\s+at\s+(?P<p>.+))?",
        _NO_OPERATOR,
        "grad {f}{at}",
    ),
    _habit(
        r"plot(?:\s+|\s*\(\s*)(?P<f>(?:(?!--).)+?)(?:\s*,\s*|\s+)(?:(?:from|between|over|in|on)\s+)?"
        r"[(\[]?(?P<a>[-+]?[\d.]+)(?:\s*(?:to|and|,|:|\.\.)\s*|\s+)(?P<b>[-+]?[\d.]+)[)\]]?\s*\)?",
        "A range follows --range.",
        "plot {f} --range {a}:{b}",
    ),
    _habit(
        r"(?P<c>\w+)\s+(?P<f>[^>]+?)\s*>>?\s*(?P<x>[\w./~-]+\.\w+)",
        "-o writes a file.",
        "{c} {f} -o {x}",
        fits=_is_command,
    ),
    _habit(
        r"check\s+(?P<f>[^\W\d]\w*)\s+(?P<x>[^\W\d]\w*)",
        "The gradient to be judged follows --against.",
        "check {f} --against {x}",
        fits=_is_function,
    ),
    _habit(r"load\s+(?P<d>.*\.gradcli)", "load reads functions of Python.", "run {d}"),
    # Points
    _habit(r"[^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)+\s*=\s*[^,=]+(?:,[^,=]+)+", "A line gives one name.", _SEVERAL),
    _habit(rf"{_COMMAND}\s+(?P<f>.+?)\s+(?:at|where|with|for|when|-at)\s+{_PLACE}", _NO_POINT, "{c} {f} --at {p}"),
    _habit(
        rf"{_COMMAND}\s+(?P<f>\S+\.py:\w+|[^\W\d]\w*)(?:\s+(?:at\s*=?\s*)?|(?=\(\s*(?:[-+.\d\[{{@]|\w+\s*=)))(?:{_PLACE})",
        _NO_POINT,
        "{c} {f}{at}",
        fits=lambda parts, words: ":" in parts["f"] or _is_function(parts, words),
    ),
    _habit(
        rf"{_COMMAND}\s+{_FUNCTION}\s+(?:at\s+)?(?P<p>[^\W\d]\w*)",
        _NO_POINT,
        "{c} {f}{at}",
        fits=lambda parts, words: _is_function(parts, words) and parts["p"] in words.workspace.names.values,
    ),
    _habit(
        rf"(?P<f>[^=]+?)\s+{_AT}\s+{_PLACE}",
        _NO_POINT,
        "grad {f} --at {p}",
        fits=lambda parts, words: parts["f"].partition(" ")[0] not in words.commands,
    ),
    _habit(r"(?P<f>[^=]+?)\s*[,|;]\s*(?P<p>[^\W\d]\w*\s*=(?!=).*)", _NO_POINT, "grad {f} --at {p}", fits=_has_inputs),
    _habit(r"(?P<c>at)\s+(?P<p>\w+\s*=\s*[^\s,=]+(?:\s+\w+\s*=\s*[^\s,=]+)+)", "Commas separate values.", "{c} {p}"),
    _habit(
        rf"{_FUNCTION}\((?P<p>[-+.\d][^()\[\]]*,.*)\)",
        "{f} takes one argument.",
        "{f}([{p}]) for an array, or grad {f} --at {p}",
        fits=_is_loaded,
    ),
    # Arrays
    _habit(rf"(?P<d>.*\[(?:{ROWS})\].*?);?", "Lists have commas, and a matrix is a list of rows.", "{d}"),
    _habit(r"(?P<d>.*[^\W\d]\w*\.T\b.*)", "Formulas have no attributes.", "{d}"),
    _habit(r"(?P<c>[^\W\d]\w*)'(?P<a>[^'(]*)", "transpose is a function.", "transpose({c}){a}", fits=_is_value),
    _habit(
        r"(?P<c>[^\W\d]\w*)\([\d:,\s]*\)",
        "Elements stand in square brackets, counted from 0.",
        "{c}[0] for the first",
        fits=lambda parts, words: hasattr(words.workspace.names.values.get(parts["c"]), "__len__"),
    ),
    _habit(r"(?P<c>\w+)\[.*\]\s*=(?!=).*", "An element cannot be set alone.", "edit {c} to change it", fits=_is_value),
    _habit(r"(?P<c>[^\W\d]\w*)\((?P<n>[\d.]+)\)", "{c} is a number.", "{c}*{n}", fits=_is_value),
    # Derivatives
    _habit(
        rf"{_FUNCTION}\s*'+(?:\s*\(.*\))?",
        "{f} has no meaning yet.",
        "{f}(x) = x^2, for example",
        fits=lambda parts, words: not is_known(parts["f"], words),
    ),
    _habit(rf"{_FUNCTION}\s*''(?:\s*\({_PLACE}\)|\s*\(.*\))?", _NO_OPERATOR, "hessian {f}{at}"),
    _habit(rf"{_FUNCTION}\s*'+\s*\({_PLACE}\)", _NO_OPERATOR, "grad {f}{at}"),
    _habit(rf"{_FUNCTION}\s*'+(?:\s*\(.*\))?", _NO_OPERATOR, _TWO_WAYS),
    _habit(rf"[d∂]{_FUNCTION}\s*/\s*[d∂](?P<x>[^\W\d]\w*)", _NO_OPERATOR, _TWO_WAYS),
    _habit(r"[d∂]\s*/\s*[d∂](?P<x>[^\W\d]\w*)\s*(?P<f>.+)", _NO_OPERATOR, _TWO_WAYS),
    _habit(
        r"(?:diff|D|deriv|derivative|differentiate|gradient|nabla)(?:\s*[(\[]\s*|\s+)(?P<f>[^,]+?)(?:\s*,.*)?[)\]]?",
        _NO_OPERATOR,
        _TWO_WAYS,
    ),
    _habit(r"(?P<c>check)\(\s*(?P<f>[^,]+?)\s*,\s*(?P<x>.+?)\s*\)", "{c} is a command.", "{c} {f} --against {x}"),
    _habit(r"(?P<c>compare)\(\s*(?P<f>[^,]+?)\s*,\s*(?P<x>.+?)\s*\)", "{c} is a command.", "{c} '{f}' '{x}'"),
    _habit(rf"{_COMMAND}\(\s*(?P<f>.+?)(?:\s*,\s*\w+)?\s*\)(?:\(\s*(?P<p>.*)\))?", "{c} is a command.", "{c} {f}{at}"),
    _habit(r"(?P<c>[^\W\d]\w*)\(\s*(?P<a>.*)\)", "{c} is a command.", "{c} {a}", fits=_is_command),
    _habit(
        r"(?:minimi[sz]e|maximi[sz]e|optimi[sz]e|fmin\w*|descend)(?:\s*\(\s*|\s+)(?P<f>[^,]+?)"
        r"(?:\s*,\s*(?:x0\s*=\s*)?(?:\[(?P<p>[^\[\]]*)\])?.*)?\)?",
        "gradcli computes gradients; an optimiser uses them.",
        "derive {f} --value --vector{at} -o grad_f.py for a function of a vector, which scipy.optimize.minimize takes "
        "with jac=True",
    ),
    _habit(
        r"(?P<w>integrate|int|integral|quad|solve|fsolve|roots?|limit|simplify|expand|factor|taylor|series)"
        r"(?:\s*\(\s*|\s+)(?P<f>[^,=]+?)(?:\s*[,=].*)?\)?",
        "gradcli differentiates; it has no {w}.",
        "symbolic {f} for the formulas of its derivatives",
    ),
    _habit(r"(?:graph|draw|curve)(?:(?:\s*\(\s*|\s+)(?P<f>.+?)\)?)?", "plot draws a function.", "plot {f}"),
    _habit(
        r"(?P<x>[^\W\d]\w*)(?:\s*,\s*\w+)*\s*=\s*(?:\w+\.)?(?:symbols|var|Symbol|sym)\(.*\)"
        r"|(?:syms|symbols|var)\s+(?P<y>[^\W\d]\w*).*",
        "Names need no declaration.",
        "{x}{y}^2 or another formula, or {x}{y} = 1 for a value",
    ),
    _habit(
        r"(?P<f>(?:.*\W)?(?P<c>[A-Z]\w*)\[.*\].*)",
        "Arguments stand in round brackets.",
        "{f}",
        fits=lambda parts, words: all(parts["c"] != known.name for known in words.workspace.known()),
    ),
    _habit(r"(?P<a>.+?)\s+mod\s+(?P<b>.+)", "The remainder is %.", "{a} % {b}"),
    # Names
    _habit(
        r"(?P<d>[^\W\d]\w*)\s*=\s*(?:lambda\s+(?P<x>[\w\s,]+):|@\s*\((?P<y>[\w\s,]+)\)|(?P<z>\w+)\s*[-=]>)\s*(?P<v>.+)",
        "A function is defined with its parameters.",
        "{d}({x}{y}{z}) = {v}",
    ),
    _habit(r"(?P<x>[^\W\d]\w*)\s*(?P<o>[-+*/])=\s*(?P<v>[\w.]+)", "Formulas have no {o}=.", "{x} = {x} {o} {v}"),
    _habit(r"(?P<x>[^\W\d]\w*)\s*(?P<o>[-+*/])=\s*(?P<v>[^=].*)", "Formulas have no {o}=.", "{x} = {x} {o} ({v})"),
    _habit(r"(?P<f>[^'\"]*\.[\^*/].*)", "Every operator is elementwise.", "{f}"),
    _habit(r"lambda\s+(?P<x>[\w\s,]+):\s*(?P<v>.+)", "A function has a name.", "f({x}) = {v}"),
    _habit(r"ans(?P<r>.*)|%", "The last result is _.", "_{r}"),
    _habit(
        r"(?P<p>[^\W\d]\w*\s*=(?!=)[^;=]+(?:;\s*[^\W\d]\w*\s*=(?!=)[^;=]+)+);?",
        "A line holds one thing.",
        "at {p} for several values",
    ),
    _habit(
        r"(?P<d>[^\W\d]\w*\s*=(?!=)[^;=]+);.*",
        "A line holds one thing.",
        "{d} and Enter",
    ),
    _habit(
        r"[^\W\d]\w*\s*=\s*[^=,\s]+\s*,?\s*[^\W\d]\w*\s*=\s*[^=].*",
        "A line holds one thing.",
        _SEVERAL,
    ),
    _habit(r"(?:let|var|const|define|assign)\s+(?P<d>\w+(?:\([\w\s,]*\))?)\s*:?=\s*(?P<v>.+)", "", "{d} = {v}"),
    _habit(
        rf"set\s+(?P<d>(?!(?:{'|'.join(SETTINGS)})\b)[^\W\d]\w*)(?:\s*:?=\s*(?P<v>.+)|\s+(?P<e>[-+.\d\[].*))",
        f"There is no setting {{d}}; the settings are {', '.join(SETTINGS)}.",
        "{d} = {v}{e} to give {d} a value",
    ),
    _habit(r"(?P<d>\w+(?:\([\w\s,]*\))?)\s*(?::=|<-|->)\s*(?P<v>.+)", "A definition has one =.", "{d} = {v}"),
    _habit(r"(?P<d>[^\W\d]\w*)\s*=\s*(?P<f>[^=].*)", "", "", fits=_has_unknown),
    _habit(rf"(?P<v>{_NUMBER.pattern})\s*=\s*(?P<d>[^\W\d]\w*)", "A definition begins with its name.", "{d} = {v}"),
    _habit(r"clear\s+all|clearvars|forget\s+(?:all|everything)", "", "forget x y, with the names; `names` lists them"),
    _habit(r"(?:del|delete|unset|rm|remove|clear)\s+(?P<d>[\w\s,]+)", "", "forget {d}"),
    _habit(r"vars|variables|vars\(\)|who|whos|ls|dir|dir\(\)|list", "", "names"),
    _habit(r"reset|restart|new", "", "undo to take back the last definition, or forget x to remove x"),
    _habit(rf"(?P<c>{'|'.join(SETTINGS)})", "{c} is a setting.", "set to list the settings"),
    # Commands of a terminal or of Python
    _habit(r"clear\(?\)?|cls|clc|reset", "", "Ctrl-L to clear the screen, or forget x to take a name back"),
    _habit(r"history\(?\)?|hist", "", "Up or Ctrl-R for earlier lines; save session.gradcli keeps them"),
    _habit(r"(?:q|bye|end|leave|stop|logout)(?:\(\))?!?", "", "quit"),
    _habit(r"(?:-+)?version(?:\(\))?|-V", "", "env"),
    _habit(r"-h|--help|man|info", "", "help"),
    _habit(r"(?:man|info)\s+(?P<d>\w+)", "", "help {d}"),
    _habit(r"(?:print|echo|show|display|disp)(?:\s*\(\s*(?P<f>.+)\)|\s+(?P<v>.+))", "", "{f}{v}"),
    _habit(r"(?:import|open|source|include|read|from)?\s*(?P<d>[^\s:]+\.py)", "", "load {d}"),
    _habit(r"load\s+(?P<d>[^\s:]+\.py)::?\w+", "load takes a file.", "load {d}"),
    _habit(r"(?:import|from)\s.*", "That is not a Python import.", "import numpy as np, or load file.py"),
    _habit(
        r"(?:class|for|while|if|try|with|return|assert)\b.*",
        "A session accepts functions, but no other Python statements.",
        "def f(x): and the lines of the function, or load file.py",
    ),
    _habit(
        r"(?P<c>watch|repl|completion|verify)(?:\s+[-\w@(.].*)?",
        "{c} is a command of the shell, not of a session.",
        "gradcli {c} … in a shell",
    ),
    _habit(r"[!%](?:[a-z].*)|(?:cd|ls|cat|pwd)(?:\s.*)?", "A session runs no commands of a shell.", "help"),
)


def advice(text: str, words: Vocabulary) -> UsageError | None:
    """The error for a line that could not be understood; None if no known habit matches."""
    if len(text) > MOST_READ or "\n" in text:
        return None
    if slip := misspelt(text, words):
        return slip
    for habit in HABITS:
        match = habit.pattern.fullmatch(text)
        parts = {name: part or "" for name, part in match.groupdict().items()} if match else {}
        if match and balanced(parts.values()) and habit.fits(parts, words):
            return suggestion(habit, parts, text, words)
    return unknown(text, words)


def mended(formula: str, words: Vocabulary) -> str:
    """The formula in a suggestion, in gradcli's syntax and with missing products.

    Raises:
        ExpressionError: it cannot be read; a suggestion with it would lead to this error.
    """
    formula = spelled(formula)
    if ":" in formula or words.workspace.means_function(formula):
        return formula
    if formula in queries.prompt_functions():  # no target without its argument
        return f"{formula}(x)"
    try:
        words.workspace.names.parse(formula)
    except ExpressionError as error:
        match = _WHOLE.fullmatch(error.hint or "")
        if match is None or error.text != formula:
            raise
        words.workspace.names.parse(match[1])
        return match[1]
    return formula


def misspelt(text: str, words: Vocabulary) -> UsageError | None:
    """The error for a first word that is similar to a command or abbreviates one; None otherwise."""
    match = _FIRST.fullmatch(text) or _WORD.fullmatch(text)
    if match is None or is_known(match["w"], words):
        return None
    near, rest = near_commands(match["w"], words.commands), match.groupdict().get("rest")
    if not near:
        return None
    if rest is None:
        message = f"There is no command {match['w']}, and no value of that name."
        return UsageError(message, hint=f"Did you mean {near[0]}? A value is given by {match['w']} = 1.")
    return UsageError(f"There is no command {match['w']}.", hint=f"Did you mean {near[0]} {rest}?")


def unknown(text: str, words: Vocabulary) -> UsageError | None:
    """The error for an unknown word, alone or before further words; None otherwise."""
    match = _ASKED.fullmatch(text)
    if match is None or is_known(match["w"], words):
        return None
    if match["rest"]:
        return UsageError(f"There is no command {match['w']}.", hint="`help` lists what can be typed.")
    message = f"There is no command {match['w']}, and no value of that name."
    return UsageError(message, hint=f"`help` lists what can be typed; {match['w']} = 1 gives a value.")


def is_known(word: str, words: Vocabulary) -> bool:
    """Whether a word has a meaning here or in a known habit."""
    known = word in _WORDS_ELSEWHERE or iskeyword(word) or word in {*queries.prompt_functions(), *words.commands}
    return known or any(word == definition.name for definition in words.workspace.known())


def near_commands(word: str, commands: Sequence[str]) -> list[str]:
    """The commands that a word abbreviates or resembles, the nearest first."""
    word = word.lower()
    begun = [command for command in commands if len(word) > 2 and command.startswith(word)]
    near = nearest_name(word, commands, NEAR) if len(word) > 2 else None
    return begun or ([near] if near else [])


def suggestion(habit: Habit, parts: dict[str, str], text: str, words: Vocabulary) -> UsageError:
    """A habit as an error with a hint."""
    if not habit.hint:
        names = words.workspace.unknown(parts["f"])
        function = f"{parts['d']}({', '.join(names)}) = {parts['f']} for a function, or first "
        message = f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'} no value yet."
        return UsageError(message, hint=f"Type {'' if parts['d'] in names else function}{names[0]} = 1.")
    missing: Sequence[str] = ()
    if parts.get("p"):
        parts["p"] = point(parts["p"])
        parts["p"], missing = completed(parts["p"], parts.get("f", ""), words)
    try:
        parts = {name: mended(part, words) if part and name in "fv" else spelled(part) for name, part in parts.items()}
    except ExpressionError as error:
        return error
    parts["at"] = f" --at {parts['p']}" if parts.get("p") else ""
    parts["wrt"] = f" --wrt {parts['x']}" if parts.get("x") else ""
    message = habit.message.format(**parts) or f"There is no command {_HEAD.match(text)[0]}."  # type: ignore[index]
    added = f", with your own number{'s' if missing[1:] else ''} for {' and '.join(missing)}" if missing else ""
    return UsageError(message, hint=f"Type {habit.hint.format(**parts).strip()}{added}.")


def completed(typed: str, function: str, words: Vocabulary) -> tuple[str, Sequence[str]]:
    """A point with too few numbers for a function, by name and with a 1 for each of the missing names."""
    signature = words.workspace.names.signatures.get(function)
    numbers = typed.split(",")
    if signature is None or not all(map(_NUMBER.fullmatch, numbers)) or len(numbers) >= signature.least:
        return typed, ()
    missing = signature.names[len(numbers) : signature.least]
    pairs = zip(signature.names, [*numbers, *("1" for _ in missing)], strict=False)
    return ",".join(f"{name}={value}" for name, value in pairs), missing


def balanced(parts: Collection[str]) -> bool:
    """Whether the brackets in each part are balanced."""
    return all(part.count(opening) == part.count(closing) for part in parts for opening, closing in ("()", "[]", "{}"))


def point(text: str) -> str:
    """A point in the syntax of `--at`: `(1, 2)` is `1,2`, `x=1 y=2` is `x=1,y=2`."""
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    return re.sub(r"\s*[,;]\s*|\s+(?=[^\W\d]\w*\s*=)|(?<=[\d.])\s+(?=[-.\d])", ",", text)
