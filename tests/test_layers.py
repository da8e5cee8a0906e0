"""The house of the package: imports run upwards only, and each half keeps to its own libraries."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

import gradcli

PACKAGE = Path(gradcli.__file__).parent
ROOT = PACKAGE.parent

# From bottom to top, by the folder of the storey: a layer may import itself and what stands before it.
STOREYS = {
    "": ("run_stack", "errors"),
    "shared": (
        *("lazy_imports", "lazy_tables", "frozen_record", "temporary_settings"),
        *("ignored_warnings", "notebook_display", "message_wording", "latex_formulas"),
        *(
            "file_replacement",
            "regular_files",
            "file_completion",
            "process_control",
            "process_endings",
            "records",
            "findings",
        ),
        *("conventions", "pytree", "float_errors", "devices", "module_finder", "memory_limit"),
    ),
    "mathematics": ("language", "rules"),
    "engine": ("code", "tape", "solvers", "patching", "running", "traces"),
    "methods": ("numerics", "exact", "diagnose", "symbolic", "transforms", "adapters"),
    "of the library": ("tensorflow", "numpy"),
    "answers": (
        "targets",
        "custom_elementwise_rules",
        "explain",
        "derivation",
        "compilation",
        "compilable_transforms",
        "checks",
        "selftest",
    ),
    "of commands": ("queries", "many_points", "verification"),
    "terminal": ("render", "repl", "cli"),
    "of pytest": ("pytest_plugin",),
}
ORDER = tuple(layer for layers in STOREYS.values() for layer in layers)
PRESENTING = (*STOREYS["terminal"], *STOREYS["of pytest"])
WORDS = tuple({*STOREYS[""], *STOREYS["shared"]} - {"float_errors", "devices"})
COMPUTING = tuple(layer for layer in ORDER if layer not in (*WORDS, *PRESENTING))

# The most statements of each package. A figure is raised by a commit of its own, which says why.
STATEMENTS = {
    "run_stack": 50, "errors": 190,
    "lazy_imports": 30, "lazy_tables": 60, "frozen_record": 70,
    "temporary_settings": 60, "ignored_warnings": 30, "notebook_display": 30, "message_wording": 70,
    "latex_formulas": 230, "file_replacement": 80, "process_control": 30,
    "process_endings": 30, "records": 965, "findings": 60, "conventions": 30, "pytree": 140, "float_errors": 30,
    "devices": 220, "module_finder": 60, "memory_limit": 125, "regular_files": 20, "file_completion": 30,
    "language": 1595, "rules": 5670,
    "code": 660, "tape": 4470, "solvers": 660, "patching": 1930, "running": 1020, "traces": 1900,
    "numerics": 1550, "exact": 1420, "diagnose": 1380, "symbolic": 290, "transforms": 1890, "adapters": 675,
    "tensorflow": 680, "numpy": 10,
    "targets": 2250, "custom_elementwise_rules": 130, "explain": 2000, "derivation": 13110, "checks": 5730,
    "selftest": 250, "compilation": 2140,
    "queries": 2045, "many_points": 830, "verification": 2130,
    "render": 4370, "repl": 1870, "cli": 2165,
    "pytest_plugin": 110,
}  # fmt: skip

# What the presenting half may use of the computing half: the waist, which is what a user of the library has.
WAIST = ("gradcli", "queries", "many_points", "verification", *WORDS)
# The doors: they import lazily whatever is behind them.
DOORS = ("__init__", "__main__")

# How a row of a tape is laid out is the tape's own affair, and that of the traces: nobody further down knows it.
# What differentiates hands tapes about and has them swept; all others read runs as traces.
DIFFERENTIATING = ("transforms", "tensorflow")
READING = COMPUTING[COMPUTING.index("traces") + 1 :]
SWEEPS = {"gradcli.engine.tape.tape", "gradcli.engine.tape.sweeps.reverse_and_forward"}
INDEXED = {"row", "rows", "outcome"}
HANDED_ABOUT = {"Tape", "active_tape", "foreign"}  # what other packages may import from the module of the tape
LOOKED_AT = (ast.Import, ast.ImportFrom, ast.Call, ast.If, ast.ClassDef, ast.Attribute, ast.Subscript)

DRAWING_LIBRARIES = {"rich", "click", "prompt_toolkit"}
NUMBER_LIBRARIES = {"numpy", "sympy", "mpmath", "cupy", "scipy"}


@dataclass(frozen=True)
class Import:
    """One imported module, as an absolute dotted name, and where it is imported."""

    module: str
    line: int

    @property
    def library(self) -> str:
        return self.module.split(".")[0]

    @property
    def layer(self) -> str:
        """The layer of the package, or `gradcli` for the package itself."""
        parts = [part for part in self.module.split(".") if part not in STOREYS]
        return parts[1] if len(parts) > 1 else parts[0]


def files() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def layer_of(path: Path) -> str:
    """The package or module below the storey."""
    *folders, file = path.relative_to(PACKAGE).parts
    return next((folder for folder in folders if folder not in STOREYS), file.removesuffix(".py"))


def storey_of(layer: str) -> str:
    return next((storey for storey, layers in STOREYS.items() if layer in layers and (PACKAGE / storey).is_dir()), "")


def imports(nodes: Iterable[ast.AST], path: Path) -> Iterator[Import]:
    """Every import of a module among some nodes of a file."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = absolute(node, path)
            yield from (Import(member(source, alias.name), node.lineno) for alias in node.names)
        elif isinstance(node, ast.Call) and called(node) in {"import_module", "__import__"}:
            yield from (Import(argument.value, node.lineno) for argument in node.args[:1] if is_text(argument))


def at_run_time(nodes: Iterable[ast.AST]) -> list[ast.AST]:
    """Those of some nodes that are not there for types only."""
    nodes = list(nodes)
    guards = [node for node in nodes if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)]
    typed = {id(inner) for guard in guards for each in guard.body for inner in ast.walk(each)}
    return [node for node in nodes if id(node) not in typed]


def absolute(node: ast.ImportFrom, path: Path) -> str:
    """The module that a `from` names, without leading dots."""
    if not node.level:
        return node.module or ""
    parts = path.relative_to(ROOT).parts[: -node.level]
    return ".".join((*parts, node.module) if node.module else parts)


def member(source: str, name: str) -> str:
    """`from gradcli import language` imports a module, `from gradcli import grad` imports from the package itself."""
    inside = f"{source}.".startswith("gradcli.")
    path = ROOT.joinpath(*source.split("."), name)
    return f"{source}.{name}" if inside and (path.is_dir() or path.with_suffix(".py").is_file()) else source


def called(node: ast.Call) -> str:
    """The last part of the name of what is called."""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def breaches(path: Path) -> list[str]:
    """What a file imports and must not, one line each."""
    layer, where = layer_of(path), path.relative_to(ROOT)
    return [f"{where}:{each.line} imports {each.module}" for each in facts_of(path).imports if breaks(layer, each)]


def breaks(layer: str, each: Import) -> bool:
    """Whether an import may not stand in the layer."""
    if layer in DOORS:
        return False
    if each.library != "gradcli":
        return each.library in (NUMBER_LIBRARIES if layer in PRESENTING else DRAWING_LIBRARIES)
    if each.layer in (layer, "gradcli"):
        return each.layer == "gradcli" and layer not in PRESENTING
    if layer in PRESENTING and each.layer not in (*WAIST, *PRESENTING):
        return True
    return ORDER.index(each.layer) > ORDER.index(layer)


def looks_at_rows(nodes: Iterable[ast.AST], path: Path) -> Iterator[str]:
    """Where a module reads what only the package of the tape knows, one line each."""
    nodes, where = list(nodes), path.relative_to(ROOT)
    imported = list(imports(nodes, path))
    is_near = any(each.layer in {"tape", "traces"} for each in imported)  # rows of other kinds are tables
    if layer_of(path) not in DIFFERENTIATING:
        yield from (f"{where}:{x.line} imports {x.module}" for x in imported if x.module in SWEEPS)
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module == "gradcli.engine.tape.tape":
            yield from (f"{where}:{node.lineno} imports {x.name}" for x in node.names if x.name not in HANDED_ABOUT)
        elif isinstance(node, ast.Attribute) and node.attr == "rows":
            yield f"{where}:{node.lineno} reads .rows"
        elif is_near and isinstance(node, ast.Subscript) and getattr(node.value, "id", "") in INDEXED:
            yield f"{where}:{node.lineno} indexes {ast.unparse(node.value)}"


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def needed(nodes: Iterable[ast.AST], path: Path) -> set[str]:
    """What a module, given by its nodes, imports at any time but for types."""
    return {each.module for each in imports(at_run_time(nodes), path)} - {module_of(path)}


def public_classes(nodes: Iterable[ast.AST]) -> list[str]:
    """The names of the public classes of a module, given by its nodes."""
    return [node.name for node in nodes if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]


class Facts(NamedTuple):
    """What the tests ask of a module. Its syntax tree is not kept: a million nodes would slow all later tests."""

    has_docstring: bool
    statements: int
    imports: list[Import]
    needed: set[str]
    looks_at_rows: list[str]
    public_classes: list[str]


@cache
def facts_of(path: Path) -> Facts:
    """The facts about a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    nodes = [*ast.walk(tree)]
    statements = sum(isinstance(node, ast.stmt) for node in nodes)
    nodes = [node for node in nodes if isinstance(node, LOOKED_AT)]
    looks = list(looks_at_rows(nodes, path)) if layer_of(path) in READING else []
    titled = bool(ast.get_docstring(tree))
    return Facts(titled, statements, list(imports(nodes, path)), needed(nodes, path), looks, public_classes(nodes))


def imported_here() -> dict[str, set[str]]:
    """Each module of gradcli, with what it imports."""
    return {module_of(path): facts_of(path).needed for path in files()}


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Modules of which each imports the next, and the last is the first again; empty where there are none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as found:
        return found.args[1][::-1]
    return []


def parts(graph: Mapping[str, set[str]], package: str) -> dict[str, set[str]]:
    """The modules and sub-packages that a package is made of, each with those of them that it imports."""
    found: dict[str, set[str]] = defaultdict(set)
    for module, others in graph.items():
        if inner := part_of(module, package):
            found[inner] |= {part for other in others if (part := part_of(other, package))} - {inner}
    return found


def part_of(module: str, package: str) -> str:
    """The part of a package that a module belongs to; empty for the package itself and for all others."""
    return module.removeprefix(f"{package}.").split(".")[0] if module.startswith(f"{package}.") else ""


def doubled(classes: Mapping[Path, Iterable[str]]) -> dict[str, list[str]]:
    """The names of public classes that several modules have."""
    places: dict[str, list[str]] = defaultdict(list)
    for path, names in classes.items():
        for name in names:
            places[name].append(module_of(path))
    return {name: modules for name, modules in places.items() if len(modules) > 1}


def named(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def test_a_module_imports_only_what_stands_above_it():
    """Imports run upwards in the list of layers, and each half keeps to its own libraries."""
    assert [breach for path in files() for breach in breaches(path)] == []


def test_a_reader_knows_nodes_and_no_rows():
    """Traces are read by the names of their fields."""
    assert [look for path in files() for look in facts_of(path).looks_at_rows] == []


def test_a_look_at_a_row_is_found():
    """By import, by attribute and by index; the indices of other things are nobody's business."""
    text = "from gradcli.engine.tape.tape import Row\ntape.rows\nrow[0].rule\noutcome[1]\ncells[0] + node.operands[1]\n"
    found = looks_at_rows(ast.walk(ast.parse(text)), PACKAGE / "methods" / "exact" / "gradient.py")

    assert {int(line.split(":")[1].split()[0]) for line in found} == {1, 2, 3, 4}


def test_what_differentiates_hands_tapes_about():
    """It may say that something is a tape, and nothing of what is in it."""
    text = (
        "from gradcli.engine.tape.tape import Tape\n"
        "from gradcli.engine.tape.sweeps.reverse_and_forward import reverse\ntape.rows\n"
    )
    tree = ast.parse(text + "from gradcli.engine.tape.tape import INPUT\n")
    found = looks_at_rows(ast.walk(tree), PACKAGE / "methods" / "transforms" / "gradients.py")

    assert {int(line.split(":")[1].split()[0]) for line in found} == {3, 4}


def test_no_modules_import_each_other_in_a_circle():
    """A circle is cut where the dependency points the wrong way, not by an import inside a function or for types."""
    imported = {module_of(path): {each.module for each in facts_of(path).imports} for path in files()}

    assert circle({module: others - {module} for module, others in imported.items()}) == []


def test_no_parts_of_a_package_import_each_other_in_a_circle():
    """A sub-package counts as one part, so that its modules may be read without those that stand above it."""
    packages = {module_of(path.parent / "__init__.py") for path in files()}

    assert {package: found for package in packages if (found := circle(parts(imported_here(), package)))} == {}


LARGEST = 25  # modules that a reader still takes in at a glance


def test_no_folder_holds_more_modules_than_a_reader_takes_in():
    """The registry of NumPy's functions is a table that goes on: a family of functions a module."""
    sizes = Counter(path.parent for path in files() if path.name != "__init__.py")

    assert {named(folder) for folder, size in sizes.items() if size > LARGEST} == {"mathematics/rules/numpy"}


def test_no_package_grows_beyond_its_budget():
    sizes = Counter[str]()
    for path in files():
        sizes[layer_of(path)] += facts_of(path).statements

    assert {layer: size for layer, size in sizes.items() if size > STATEMENTS.get(layer, 100)} == {}


def test_no_public_class_name_stands_twice():
    assert doubled({path: facts_of(path).public_classes for path in files()}) == {}


SAMPLE = {
    PACKAGE / "engine" / "tape" / "a.py": "from gradcli.engine.tape import tape\nclass Twice: ...\nclass _Own: ...\n",
    PACKAGE
    / "engine"
    / "tape"
    / "tape.py": "def f():\n    from gradcli.engine.tape.value import Value\nclass _Own: ...\n",
    PACKAGE / "engine" / "tape" / "value.py": "if TYPE_CHECKING:\n    import gradcli.engine.tape.a\nclass Twice: ...\n",
}


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ("", []),
        ("import gradcli.engine.tape.tape", ["gradcli.engine.tape.tape", "gradcli.engine.tape.value"]),
        ("def g():\n    import gradcli.engine.tape.tape", ["gradcli.engine.tape.tape", "gradcli.engine.tape.value"]),
    ],
)
def test_a_circle_is_found(last, expected):
    trees = {path: ast.parse(text) for path, text in SAMPLE.items()}
    trees[PACKAGE / "engine" / "tape" / "value.py"].body += ast.parse(last).body

    graph = {module_of(path): needed(ast.walk(tree), path) for path, tree in trees.items()}

    assert sorted(set(circle(graph))) == expected


def test_a_doubled_class_name_is_found():
    classes = {path: public_classes(ast.walk(ast.parse(text))) for path, text in SAMPLE.items()}

    assert doubled(classes) == {"Twice": ["gradcli.engine.tape.a", "gradcli.engine.tape.value"]}


def test_a_module_opens_with_a_docstring():
    """The listing of a folder reads as a table of contents."""
    assert [named(path) for path in files() if not facts_of(path).has_docstring] == []


def test_every_module_at_the_top_has_its_place():
    """A new module at the top must be given its place in the list of layers, and stands in the folder of its storey."""
    assert [path.name for path in files() if layer_of(path) not in (*ORDER, *DOORS)] == []
    homes = {layer: PACKAGE / storey_of(layer) / layer for layer in ORDER}
    assert [layer for layer, home in homes.items() if not (home.is_dir() or home.with_suffix(".py").is_file())] == []


def test_only_the_terminal_module_imports_prompt_toolkit():
    users = {path for path in files() if any(each.library == "prompt_toolkit" for each in facts_of(path).imports)}

    assert [named(path) for path in users if not named(path).startswith("terminal/repl/terminal")] == []


def test_no_module_hides_a_public_name():
    """`gradcli.check` is the function whichever module was imported first; some names are meant to be modules."""
    modules = {layer_of(path) for path in files()}

    assert modules & set(gradcli.__all__) == {"queries"}


@pytest.mark.parametrize(
    ("layer", "module", "forbidden"),
    [
        ("tape", "gradcli.mathematics.rules.rule_types", False),
        ("tape", "gradcli.methods.transforms.gradients", True),
        ("rules", "gradcli.engine.tape", True),
        ("tape", "gradcli", True),
        ("tape", "rich.table", True),
        ("tape", "numpy", False),
        ("render", "numpy", True),
        ("render", "rich.table", False),
        ("render", "gradcli.shared.records", False),
        ("render", "gradcli.engine.tape.sweeps.reverse_and_forward", True),
        ("render", "gradcli.terminal.cli", True),
        ("cli", "gradcli", False),
        ("cli", "gradcli.queries", False),
        ("cli", "gradcli.terminal.render", False),
        ("cli", "gradcli.methods.transforms.gradients", True),
    ],
)
def test_the_rules_of_the_house(layer, module, forbidden):
    """The check itself, on imports whose judgement is known."""
    assert forbidden is breaks(layer, Import(module, 1))


def test_imports_are_found_wherever_they_stand():
    """In functions, relative, for types only, and by `import_module`."""
    text = "def f():\n    from . import tape\n    from ..rules.shape import Rule\n    import_module('rich.table')\n"
    found = {each.module for each in imports(ast.walk(ast.parse(text)), PACKAGE / "engine" / "tape" / "__init__.py")}

    assert found == {"gradcli.engine.tape.tape", "gradcli.engine.rules.shape", "rich.table"}


def loaded_by(*arguments: str) -> set[str]:
    """The modules that a command has imported when it ends."""
    code = (
        "import sys; from gradcli.terminal.cli import main\n"
        "try: main()\nfinally: print(*sys.modules, sep='\\n'); sys.exit()"
    )
    command = [sys.executable, "-c", code, *arguments]
    result = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    return set(result.stdout.splitlines())


def test_help_imports_nothing_heavy():
    heavy = {"numpy", "sympy", "mpmath", "scipy", "cupy", "prompt_toolkit", "rich.table"}

    assert heavy & loaded_by("--help") == set()


def test_a_gradient_imports_no_symbolic_library():
    """SymPy costs as much time as everything else together."""
    heavy = {"sympy", "mpmath", "scipy", "cupy", "prompt_toolkit"}

    assert heavy & loaded_by("grad", "examples/hyperbox.py:f4", "--at", "1,2,3,4") == set()
