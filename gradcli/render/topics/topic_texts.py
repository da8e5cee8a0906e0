"""The pages on what is typed and what is shown: targets, points, expressions, tables, verdicts, exit codes."""

from __future__ import annotations

from gradcli.errors import EXIT_MEANINGS
from gradcli.render.layout.theme import TIMES
from gradcli.render.topics.help_page import Examples, Page, Terms

TARGETS = Page(
    "How a TARGET is typed",
    (
        "A target is a plain Python function, or an expression.",
        Terms(
            (
                ("file.py:f", "the function f in a file; the folder of the file is importable, as if you ran it there"),
                ("file.py:object.method", "a method of an object that the file makes"),
                ("package.module:f", "a function of an installed package, or of one in the current folder"),
                ("'2*x + sin(y)'", "an expression, in quotes for the shell; see `gradcli help expressions`"),
            )
        ),
        Examples(
            (
                "gradcli grad examples/hyperbox.py:f4 --at 1,2,3,4",
                "gradcli grad scipy.optimize:rosen --at 1,2,3",
                "gradcli grad 'x**2 + sin(y)' --at x=1,y=2",
            )
        ),
        "The function needs no decorator and no special types: loops, branches, recursion, math and NumPy are "
        "followed. What it prints goes to stderr.",
    ),
)

POINTS = Page(
    "How a POINT is typed",
    (
        "The point says where the gradient is taken. Numbers are float64; the output repeats the point by name.",
        Terms(
            (
                ("--at 3", "one number, for a function of one number"),
                (
                    "--at 1,2,3,4",
                    "one number for each parameter, those with numbers as defaults counted or not; for a single "
                    "parameter, an array",
                ),
                ("--at [3]", "always an array, here of one number"),
                ("--at x=[1,2],y=3", "by name"),
                ("""--at '{"x": [1, 2], "y": 3}'""", "by name, as JSON, nested as deep as the function wants it"),
                ("--at @point.json", "from a file of JSON"),
                ("--at @point.npy", "from a file of NumPy, as one array"),
                ("--at @cases.py:make", "what a function without parameters returns: a tuple in order, a dict by name"),
                ("--at -", "from stdin, a point a line as JSON; see `gradcli help output`"),
            )
        ),
        "Where numbers could be an array or a number for each parameter, a note says which was read.",
        "`check --points-file FILE` takes a point a row from a .jsonl, .csv or .npy file; "
        "`check --points 20 --box x=0:1` draws them.",
        "A negative number may follow --at as it is:",
        Examples(("gradcli grad 'x*y' --at -1,2",)),
        "Put a point with spaces, brackets or braces in quotes: the shell would take it apart.",
    ),
)

EXPRESSIONS = Page(
    "How an expression is typed",
    (
        "The syntax is Python's, without attributes and subscripts. Names without a value are the inputs, in order "
        "of appearance; how the text was read is shown.",
        Terms(
            (
                ("+ - * / // %", "as in Python"),
                ("x**2, x^2", "both mean power, and bind as a power does"),
                ("< <= > >= == !=", "comparisons, also chained: 0 < x < 1"),
                ("and, or, not", "join comparisons"),
                ("a if c else b", "a choice; where(c, a, b) is the same"),
                ("sin(x), max(x, y)", "functions of math and NumPy; `gradcli help operations` lists them"),
                ("pi, tau, e, inf, nan", "have their values unless the point names them"),
            )
        ),
        "Always write the multiplication and the brackets: 2x and sin x are refused, with the text to type instead.",
        Examples(("gradcli grad 'exp(-x^2/2) / sqrt(tau)' --at 0.5", "gradcli symbolic 'x if x > 0 else a*x'")),
        "Text is read by a grammar of its own and never run as Python. It may have 20,000 characters and be nested "
        "100 deep. An expression that begins with a minus sign may be typed as it is, in quotes.",
    ),
)

COLUMNS = Page(
    "The columns of the tables",
    (
        "gradcli tape",
        Terms(
            (
                ("node", "the number of the entry, in the order of execution; %5 refers to it"),
                ("name", "the name that your code gave it; y#2 is the y of iteration 2, or the second one"),
                ("operation", "what was done, and to which nodes"),
                ("value", "what came out"),
                ("sensitivity", "the derivative of the result by this value; a dash where none was computed"),
                ("line, source", "where in your code"),
                ("outcome", "a recorded value turned into a plain fact: a comparison, an index, a rounding"),
            )
        ),
        "gradcli check",
        Terms(
            (
                ("candidate", "the gradient under test, with --against; without it, the tape's own is tested"),
                ("reverse", "by the tape, in one backwards sweep"),
                ("symbolic", "by SymPy's derivative, evaluated with 50 digits at the exact point"),
                ("differences", "by finite differences, with their error bar"),
                ("used", "the share of the tolerance that the distance from the reference takes"),
                ("tolerance", "how far off a component may be, in the units of the component"),
                ("a dash", "a method that is not valid at this point and withdrew; the reason says why"),
            )
        ),
        "A table that does not fit leaves out whole columns, the least important first, and says which. A number is "
        "never cut. In a pipe nothing is left out; --width sets a width.",
    ),
)

SENSITIVITIES = Page(
    "Sensitivities, and how `gradcli explain` tells of them",
    (
        "The sensitivity s_cd of the result on a quantity t_cd says how the result answers a small change of t_cd: "
        "a change by e changes the result by s_cd * e. The sensitivities on the inputs are the gradient.",
        "All of them start at 0, that of the result itself at 1. Going backwards, each line adds to the sensitivities "
        "of what it used. Changing t_b by e changes t_b * t_cd by t_cd * e, and the result s_bcd times as much:",
        Examples(("f.py:17  t_bcd = t_b * t_cd  → 24.0", "  s_b  += t_cd * s_bcd   24.0 = 0.0 + 24.0")),
        Terms(
            (
                ("f.py:17", "your line, and behind the arrow the value that it gave"),
                ("s_b", "the sensitivity on t_b; on any other name x it is called s_x"),
                ("+= ...", "what the line adds: its derivative in your names, times the sensitivity on its result"),
                ("24.0 = 0.0 + 24.0", "the sensitivity after the line, before it, and what was added"),
                ("x#3", "the x of iteration 3, or of call 3; without loops the third x"),
                (f"{TIMES}17", "a loop of 17 turns: the last one is shown, then what all came to; --expand shows all"),
            )
        ),
        Terms(
            (
                ("--node t_cd", "only what the sensitivity on t_cd comes from"),
                ("--perturb t_cd", "moves t_cd a little, and shows whether the result follows"),
                ("--along x", "the forward sweep: how fast each line moves with x"),
            )
        ),
        "A quantity that is used twice gets two additions. By the time a line has its turn, all uses of its result "
        "have had theirs, so that the sensitivity on it is complete.",
    ),
)

VERDICTS = Page(
    "The verdicts of `gradcli check`",
    (
        "Each component of the gradient gets one verdict, the first that applies:",
        Terms(
            (
                ("NONFINITE", "the candidate or its reference is nan or infinite"),
                ("JUMP", "the value itself jumps at the point; nothing can be said"),
                ("KINK", "the slopes on both sides differ and the candidate lies between them; passes"),
                (
                    "CUT",
                    "the input acts only through comparisons and the like, and the candidate is zero, or the slope "
                    "over steps wider than the recorded path; passes",
                ),
                ("ROUNDOFF", "the rounding in the candidate's own computation exceeds the tolerance; undecided"),
                ("DISPUTED", "the exact derivative and differences contradict each other; undecided"),
                ("PASS", "within the tolerance of the reference"),
                ("FAIL", "outside the tolerance: the gradient is wrong"),
                ("NOISY, VACUOUS", "no reference had the power to decide"),
                ("SKIPPED", "not asked for, or out of time; counts as nothing"),
            )
        ),
        "The overall verdict, the first that applies:",
        Terms(
            (
                ("fail", "a component is wrong, or alone is not finite; exit 1"),
                ("nonfinite", "the value or a derivative is not finite; exit 4"),
                ("unchecked", "no component was checked; exit 6"),
                ("inconclusive", "a component is undecided; exit 3; with --strict, KINK and CUT are too"),
                ("pass", "the gradient is right; exit 0"),
            )
        ),
    ),
)

DERIVED = Page(
    "Derived programs: the gradient as source code",
    (
        "`gradcli derive` reads the source of a function and writes the function of its gradient, which needs no "
        "gradcli. Your names stay; the sensitivity on t_cd is called s_cd, that on any other x is s_x, and t_1, t_2 "
        "are parts of your expressions. Above each part of the way back stands your line.",
        Examples(
            (
                "gradcli derive examples/hyperbox.py:f4 --at 1,2,3,4",
                "gradcli derive file.py:f --at x=[1,2],y=3 -o grad_f.py",
            )
        ),
        "Loops stay loops and branches branches. What the way back needs again goes on a stack inside a loop, under a "
        "name of its own outside. The point says what the inputs are, numbers, lists or arrays of how many axes; their "
        "sizes may be others later.",
        Terms(
            (
                ("--value", "the value too, before the gradient"),
                ("--vector", "a second function, of one vector, that returns an array, as optimisers want it"),
                ("--forward", "how fast the value changes along a direction, given after the inputs as d_x"),
                ("--jacobian", "the matrix of a function with many results"),
                ("--hessian", "the second derivatives, by one input: the derived gradient, derived again"),
                ("--straight", "the path of the run at the point, whatever the source is; it asserts each branch"),
                ("--lang c", "one function of C99, with arrays of the sizes of the point"),
                ("--lang latex", "the derivation: the lines of the function, then the chain rule line by line"),
                ("--lang numba", "Python with Numba's decorator"),
                ("-o FILE", "into a .py, .c or .tex file; only one that gradcli derived is replaced"),
            )
        ),
        "Before it is printed, the program is run against the tape and against differences at the point, at points "
        "beside it on both sides of the branches, and on other sizes. If it disagrees, nothing is written.",
        "Refused by name and line: try, with, generators, lambda and functions inside a function, objects and "
        "dictionaries, a second name of an array or list that is written into, append to a parameter, functions "
        "without a written derivative.",
    ),
)

DEVICES = Page(
    "Devices: arrays on a GPU",
    (
        "With CuPy and a device the same rules run on the GPU. Nothing moves between host and device unasked.",
        Terms(
            (
                ("--device gpu", "for grad, jacobian, hessian, tape and check: the point is copied to the device"),
                ("--device gpu:1", "the second device"),
                (
                    "with gradcli.device('gpu'):",
                    "the same in Python; gradients are CuPy arrays, g.get() copies one back",
                ),
                ("constants", "NumPy arrays that meet a recorded value are copied there, at each use"),
                ("np.zeros(n) and its like", "are made on the device where recorded values are written into them"),
                ("Python's numbers", "stay Python's; a point of plain numbers is computed on the host as ever"),
                ("float(x), if x > 0:", "wait for the device and fetch one number"),
            )
        ),
        Examples(("gradcli grad model.py:loss --at @weights.npy --device gpu", "pip install 'gradcli[cuda12]'")),
        "Without a device chosen, CuPy arrays are computed with where they are, and an operation on arrays of both "
        "places is refused by line. `check --device gpu` judges the gradient that the GPU computes; the references run "
        "on the host. CuPy reads an index in an array that is out of range from the other end, without an error.",
    ),
)

OUTPUT = Page(
    "What is written where",
    (
        "Results go to stdout; findings, errors and whatever your function prints go to stderr.",
        Terms(
            (
                ("--json", "one line of strict JSON on stdout; errors as JSON on stderr"),
                (
                    "-o FILE",
                    "the answer goes into a file, in the form of its name: -o g.csv, -o tape.svg, -o plot.png, "
                    "-o story.tex; only a file that gradcli wrote is replaced",
                ),
                ("--format md", "the tables alone, in Markdown: grad, jacobian, hessian, tape, check, precision"),
                ("--format csv", "the first of these tables for a program to read, exact, with gaps where nothing is"),
                ("--format FORM", "another form of a command, on stdout; `gradcli tape --help` lists those of tape"),
                ("--width N", "draw N columns wide, also in a pipe"),
                ("COLUMNS=N", "the same, from the environment"),
                ("NO_COLOR=1", "no colour; also where TERM is dumb, and in a pipe"),
                ("FORCE_COLOR=1", "colour also in a pipe, unless NO_COLOR is set"),
                ("GRADCLI_DEBUG=1", "the whole traceback of an error"),
            )
        ),
        "With --at - the commands grad, jacobian, hessian and check read stdin and answer each line with a line of "
        "JSON, with its input_line. A bad line is answered on stderr and passed over; the exit code is the worst.",
        'JSON holds numbers that read back as the same numbers; those that are not finite are the texts "NaN", '
        '"Infinity" and "-Infinity". The gradient mirrors the point: a list for a vector, an object by name for '
        "several inputs.",
    ),
)

EXIT_CODES = Page(
    "Exit codes",
    (Terms([(str(int(code)).rjust(3), meaning) for code, meaning in EXIT_MEANINGS.items()]),),
)
