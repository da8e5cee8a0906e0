"""The help pages on input and output, and on conventions beside those of other libraries."""

from __future__ import annotations

from gradcli.errors import EXIT_MEANINGS
from gradcli.shared.conventions import KINKS, OTHERS, Convention
from gradcli.shared.records.checks import Verdict
from gradcli.terminal.render.layout.theme import TIMES
from gradcli.terminal.render.topics.page_parts import Examples, Grid, Page, Terms

TARGETS = Page(
    "How to write a TARGET",
    "A target is a plain Python function, or an expression.",
    Terms(
        ("file.py:f", "the function f in a file, which can import modules from its own folder"),
        ("file.py:object.method", "a method of an object that the file creates"),
        ("file.py:object", "for `check`, an object that brings a derivative, such as SciPy's `fun` with `jac`"),
        ("package.module:f", "a function of an installed package, or of one in the current folder"),
        ("'2*x + sin(y)'", "an expression, quoted for the shell; see `gradcli help expressions`"),
    ),
    Examples(
        "gradcli grad examples/hyperbox.py:f4 --at 1,2,3,4",
        "gradcli grad scipy.optimize:rosen --at 1,2,3",
        "gradcli grad 'x**2 + sin(y)' --at x=1,y=2",
    ),
    "The function needs no decorator and no special types. gradcli follows loops, branches, recursion, math, NumPy "
    "and much of SciPy. Whatever the function prints goes to stderr.",
)

POINTS = Page(
    "How to write a POINT",
    "The gradient is taken at the point. Numbers are float64, but whole numbers that --wrt leaves out stay "
    "integers. The output shows the point by parameter name.",
    Terms(
        ("--at 3", "one number, for a function of one number"),
        (
            "--at 1,2,3,4",
            "one number per parameter, where parameters with a number as default may be left out; for a single "
            "parameter, an array",
        ),
        ("--at [3]", "an array of one number"),
        ("--at x=[1,2],y=3", "by name"),
        ("""--at '{"x": [1, 2], "y": 3}'""", "by name, as JSON, nested to any depth"),
        ("--at @point.json", "from a JSON file"),
        ("--at @point.npy", "from a NumPy file, as one array"),
        (
            "--at @cases.py:make",
            "an object of a module, or what a function there returns: a tuple in order, a dict by name, or a "
            "dict as the only parameter",
        ),
        ("--at -", "from stdin, one point per line as JSON; see `gradcli help output`"),
    ),
    "Where the numbers could be one array or one number per parameter, a note says how they were read.",
    "`check --points-file FILE` reads one point per row from a .jsonl, .csv or .npy file; with --out, grad, "
    "jacobian, hessian and check write a row for each. "
    "`check --points 20 --box x=0:1` draws random points.",
    "A negative number needs no quotes:",
    Examples("gradcli grad 'x*y' --at -1,2"),
    "Quote a point that has spaces, brackets or braces: the shell may split or expand it.",
)

EXPRESSIONS = Page(
    "How to write an expression",
    "The syntax is Python's, without attributes and subscripts. Names without a value are the inputs, in order "
    "of appearance. The output shows how the expression was read.",
    Terms(
        ("+ - * / // %", "as in Python"),
        ("A @ x", "the product of matrices and vectors, as dot(A, x)"),
        ("x**2, x^2", "both mean power, with the precedence of **"),
        ("< <= > >= == !=", "comparisons, also chained: 0 < x < 1"),
        ("and, or, not", "combine comparisons"),
        ("a if c else b", "a conditional; where(c, a, b) is the same"),
        ("sin(x), max(x, y)", "functions of math and NumPy; `gradcli help operations` lists them"),
        ("pi, tau, e, inf, nan", "constants, unless the point gives them another value"),
    ),
    "Always write the multiplication sign and the brackets: 2x and sin x are refused, with a hint. "
    "At the prompt, an expression may also have lists, elements x[0], slices x[1:3], and array functions such as "
    "norm(x).",
    Examples("gradcli grad 'exp(-x^2/2) / sqrt(tau)' --at 0.5", "gradcli symbolic 'x if x > 0 else a*x'"),
    "gradcli parses expressions itself and never evaluates them as Python. An expression may have 20,000 "
    "characters, be nested 100 levels deep, and begin with a minus sign.",
)

COLUMNS = Page(
    "The columns of the tables",
    "gradcli tape",
    Terms(
        ("node", "the number of the step, in order of execution; %5 refers to node 5"),
        ("name", "the name in your code; y#2 is the y of iteration 2, or the second y"),
        ("operation", "the operation and its operands"),
        ("value", "the result of the operation"),
        ("sensitivity", "the derivative of the result with respect to this value, or a dash"),
        ("line, source", "the place in your code"),
        ("outcome", "a plain value taken from recorded ones: a comparison, an index, a rounding"),
    ),
    "gradcli check",
    Terms(
        ("candidate", "the gradient under test, from --against; without --against, column reverse is tested"),
        ("reverse", "the tape's gradient, from one reverse sweep"),
        ("symbolic", "SymPy's derivative, evaluated at the point with 50 digits"),
        ("differences", "finite differences, with an error bar"),
        ("used", "the distance from the reference, as a fraction of the tolerance"),
        ("tolerance", "the allowed distance from the reference, in the units of the component"),
        ("a dash", "a method that is not valid at this point; column reason says why"),
    ),
    "A table that is too wide leaves out whole columns, the least important first, and says which. Numbers are "
    "never truncated. In a pipe, no column is left out; --width sets a width.",
)

SENSITIVITIES = Page(
    "Sensitivities, and the notation of `gradcli explain`",
    "The sensitivity s_cd of the result to a quantity t_cd is the derivative of the result with respect to t_cd: "
    "changing t_cd by a small e changes the result by s_cd * e. The sensitivities to the inputs are the gradient.",
    "The sensitivity to the result itself is 1, and all others start at 0. Going backwards, each line adds a term "
    "to the sensitivity to each of its operands. Changing t_b by e changes t_b * t_cd by t_cd * e, and the result "
    "by s_bcd times that:",
    Examples("f.py:17  t_bcd = t_b * t_cd  → 24.0", "  s_b  += t_cd * s_bcd   24.0 = 0.0 + 24.0"),
    Terms(
        ("f.py:17", "your line; its value follows the arrow"),
        ("s_b", "the sensitivity to t_b; the sensitivity to any other name x is s_x"),
        ("+= ...", "the term: the line's partial derivative, times the sensitivity to its result"),
        ("24.0 = 0.0 + 24.0", "the sensitivity after the line, before it, and the term"),
        ("x#3", "the x of iteration 3 or of call 3; without loops, the third x"),
        (f"{TIMES}17", "a loop of 17 iterations: the last one, then the sum of all; --expand shows each"),
    ),
    Terms(
        ("--node t_cd", "explains the sensitivity to t_cd only"),
        ("--perturb t_cd", "changes t_cd slightly and compares the change of the result"),
        ("--along x", "the forward sweep: the derivative of each line with respect to x"),
    ),
    "A quantity that is used twice receives two terms. The sweep reaches a line after all uses of its result, so "
    "the sensitivity to that result is complete by then.",
)

_IN_ORDER = (
    Verdict.NONFINITE,
    Verdict.JUMP,
    Verdict.KINK,
    Verdict.CUT,
    Verdict.ROUNDOFF,
    Verdict.DISPUTED,
    Verdict.PASS,
    Verdict.FAIL,
)
VERDICTS = Page(
    "The verdicts of `gradcli check`",
    "Each component of the gradient gets one verdict, the first that applies:",
    Terms(
        *((verdict.value, verdict.meaning) for verdict in _IN_ORDER),
        ("NOISY, VACUOUS", Verdict.NOISY.meaning),
        ("SKIPPED", Verdict.SKIPPED.meaning),
    ),
    "The overall verdict is the first that applies:",
    Terms(
        ("fail", "exit 1: a component is wrong, or only the candidate is not finite"),
        ("nonfinite", "exit 4: the value or a derivative is not finite"),
        ("unchecked", "exit 6: no component was checked"),
        (
            "inconclusive",
            "exit 3: a component is undecided; with --strict, also KINK, CUT and a gradient that is wrong "
            "beside a point where it vanishes, which counts without --strict if --box reaches there",
        ),
        ("pass", "exit 0: the gradient is right"),
    ),
)

DERIVED = Page(
    "Derived programs: the gradient as source code",
    "`gradcli derive` reads the source of a function and writes a function that computes its gradient without "
    "gradcli. Your names are kept. The sensitivity to t_cd is called s_cd, and the sensitivity to any other x is "
    "s_x; t_1, t_2 are subexpressions. A comment with your line precedes its part of the reverse sweep.",
    Examples(
        "gradcli derive examples/hyperbox.py:f4 --at 1,2,3,4",
        "gradcli derive file.py:f --at x=[1,2],y=3 -o grad_f.py",
    ),
    "Loops stay loops, and branches stay branches. A value that the reverse sweep needs again is saved on a stack "
    "inside a loop, and in a variable elsewhere. The point defines the type of each input: a number, a list, or an "
    "array with a number of axes. The sizes may differ later.",
    Terms(
        ("--value", "returns the value as well, before the gradient"),
        ("--vector", "adds a function from one vector to an array, as optimisers need it"),
        ("--forward", "the derivative along a direction, passed after the inputs as d_x"),
        ("--jacobian", "the Jacobian of a function with several results; not in C or LaTeX"),
        ("--hessian", "the second derivatives by one input: the gradient, derived again; in Python alone"),
        ("--straight", "the path recorded at the point, not the source; each branch is asserted"),
        ("--lang c", "one C99 function, with arrays of the point's sizes"),
        ("--lang latex", "the derivation: the lines of the function, then the chain rule for each line"),
        ("--lang numba", "Python with Numba's decorator"),
        ("-o FILE", "writes a .py, .c or .tex file; replaces only a file that gradcli derived"),
    ),
    "Before it is printed, the program is compared with the tape and with differences at the point, at nearby "
    "points on both sides of each branch, and with other sizes. If it disagrees, nothing is written.",
    "A `try` is replaced by what every run does of it, and a generator function returns a list. "
    "Refused by name and line: a `try` whose handler runs at some points only, a `with` that changes values, an object "
    "of a library that the function makes and calls, a function that is chosen while the program runs, a second name "
    "for an array or list that is written into, and functions that have no derivative in source form.",
)

# Until the tests marked `gpu` have passed on hardware; then the card, the version of CuPy and the date.
TESTED_DEVICES = (
    "gradcli has not been tested on a GPU yet, only on a stand-in for CuPy's arrays; "
    "`pytest -m gpu` in its repository tests it on yours."
)

DEVICES = Page(
    "Devices: arrays on a GPU",
    "With CuPy and a device, the same rules run on the GPU. Data moves between host and device only as listed.",
    Terms(
        ("--device gpu", "for grad, jacobian, hessian, tape and check; copies the point to the device"),
        ("--device gpu:1", "the second device"),
        (
            "with gradcli.device('gpu'):",
            "the same in Python; gradients are CuPy arrays, and g.get() copies one back",
        ),
        ("constants", "NumPy arrays that meet a recorded value are copied to the device at each use"),
        ("np.zeros(n) and the like", "are created on the device if recorded values are written into them"),
        ("Python numbers", "stay Python numbers; a point of plain numbers is computed on the host"),
        ("float(x), if x > 0:", "wait for the device and copy one number back"),
    ),
    Examples("gradcli grad model.py:loss --at @weights.npy --device gpu", "pip install 'gradcli[cuda12]'"),
    "Without --device, operations on CuPy arrays run on their device, and an operation that mixes host and device "
    "arrays is refused by line. `check --device gpu` checks the gradient that the GPU computes; the references run "
    "on the host. CuPy wraps an out-of-range index in an index array around, without an error.",
    TESTED_DEVICES,
)

OUTPUT = Page(
    "Output streams, files and formats",
    "Results go to stdout. Findings, errors and whatever your function prints go to stderr.",
    Terms(
        ("--json", "one line of strict JSON on stdout; errors as JSON on stderr"),
        (
            "-o FILE",
            "write to a file in the format of its ending: -o g.csv, -o tape.svg, -o plot.png, -o explain.tex; "
            "only a file that gradcli wrote is replaced",
        ),
        (
            "--format md",
            "the tables only, as Markdown: grad, jacobian, hessian, tape, check, precision, propagate",
        ),
        (
            "--format csv",
            "the first of these tables as CSV, with exact numbers; missing ones are empty",
        ),
        ("--format FORM", "another format on stdout; `gradcli tape --help` lists the formats of tape"),
        ("--width N", "limit the output to N columns, also in a pipe"),
        ("COLUMNS=N", "the same, from the environment"),
        ("NO_COLOR=1", "no colour; the default in a pipe and with TERM=dumb"),
        ("FORCE_COLOR=1", "colour, also in a pipe, unless NO_COLOR is set"),
        ("GRADCLI_DEBUG=1", "print the full traceback of an error"),
    ),
    "With --at -, the commands grad, jacobian, hessian and check read points from stdin and print one line of JSON "
    "for each, with its input_line; the first three do so with --at @points.csv or @points.jsonl too; check has "
    "one verdict for all rows. A bad line produces a JSON error on stderr; the exit code is the most severe one "
    "seen. Without any point it is 2.",
    'Numbers in JSON read back exactly; non-finite ones are the strings "NaN", "Infinity" and "-Infinity". The '
    "gradient has the structure of the point: a list for a vector, an object by name for several inputs.",
)

EXIT_CODES = Page(
    "Exit codes",
    Terms(*[(str(int(code)).rjust(3), meaning) for code, meaning in EXIT_MEANINGS.items()]),
)


TITLES = ("", "gradcli", "JAX", "PyTorch", "TensorFlow")
INTEGERS = ("integers as the point", "float64", "refused", "refused", "None")


def _row(convention: Convention) -> tuple[str, ...]:
    return convention.title, convention.ours, convention.jax, convention.torch, convention.tensorflow


PAGE = Page(
    "Conventions: gradcli's choices where there is no derivative",
    "Where a function has a kink, or two arguments tie, there is no derivative, and every library chooses a value. "
    "`gradcli check` reports KINK there: it passes any candidate between the slopes on the two sides, whatever the "
    "convention.",
    Grid(TITLES, tuple(map(_row, KINKS))),
    "* In PyTorch, max over an axis (dim=...) gives the whole gradient to one of the tied elements. Python's own "
    "max and min are comparisons: the tape follows the argument that they return.",
    "Compositions have kinks as well: the inverse cosine at 1, the square root at 0, and functions that treat "
    "equal eigenvalues or singular values differently, or depend on a singular value of 0, such as the largest "
    "eigenvalue, the spectral norm and the nuclear norm. There the tape uses the vectors that LAPACK returns, "
    "and `check` passes every weighted mean of the gradients that meet. Where each partial derivative exists but "
    "the total derivative does not (G210), `check` passes the partial derivatives.",
    "Libraries differ elsewhere, too. The gradient of a real result with respect to a complex number is the "
    "derivative by its real part plus i times the derivative by its imaginary part, which is the direction of "
    "steepest ascent. JAX returns the conjugate.",
    Grid(TITLES, (*map(_row, OTHERS), INTEGERS)),
    "gradcli differentiates the function that the program computes. eigh, eigvalsh, cholesky and SciPy's solvers "
    "for symmetric matrices read one triangle, chosen by UPLO=, upper= or lower=: the derivative with respect to "
    "the other triangle is 0, and an off-diagonal element counts twice. JAX symmetrizes the matrix first, unless "
    "symmetrize_input=False; PyTorch symmetrizes the gradient; TensorFlow's eigh follows the triangle, and its "
    "cholesky symmetrizes. Where both triangles change together, all of them agree.",
    "Numbers are float64 unless the point has another type; float32 stays float32. Integers inside the program "
    "stay integers. An element that where, clip, a maximum, an index or a mask did not select contributes exactly "
    "zero. A cotangent that was computed as zero times an infinite partial is nan, and is reported (G102).",
    "The columns of the other libraries are from JAX 0.10, PyTorch 2.13 and TensorFlow 2.",
)
