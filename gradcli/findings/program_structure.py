"""G401 to G416: the graph of the program, arrays that are shared or written, state, results, and points."""

from __future__ import annotations

from gradcli.findings.entry import Entry

ENTRIES = (
    Entry(
        "G401",
        "unused input",
        "note",
        "No path leads from this input to the result: it is never used, or what is made of it never arrives. Its "
        "gradient is zero, and that zero was not computed.",
        "def f(x, w):\n    t = w * w\n    return x * x        # t was meant to be here",
        "Use the input, leave it out of the parameters, or name the others with --wrt.",
    ),
    Entry(
        "G402",
        "detached",
        "error",
        "A recorded value reached code that takes its bare number, where the tape cannot follow: from there on the "
        "derivative would be lost without a word. float(x), math.sin(x) and np.array([x]) in the body of your "
        "functions are followed. Functions written in C are not, nor functions of math that a package has kept "
        "where no name leads, as in a set {math.sin}.",
        "def f(x):\n    return array.array('d', [x])[0]",
        "Use np.array or the NumPy twin of the function, and call functions of math by their own name, math.sin(x). "
        "Where the derivative is meant to stop, say so: gradcli.stop_gradient(x).",
    ),
    Entry(
        "G403",
        "stopped",
        "note",
        "The program stops the gradient here on purpose, by gradcli.stop_gradient: what is computed from this value "
        "counts as constant. Differences of the plain function see it move all the same, so that they may disagree.",
        "def f(x):\n    return x * gradcli.stop_gradient(x)",
        "Nothing to repair if the stop is meant.",
    ),
    Entry(
        "G404",
        "unsupported",
        "error",
        "The program used an operation for which gradcli has no derivative rule. The error names the operation and "
        "the line. `gradcli help operations` lists those that have one.",
        "def f(x):\n    return np.sum(np.frompyfunc(step, 1, 1)(x))  # step is your function",
        "Write the step with supported operations. For a function of numbers, add a rule: "
        'gradcli.rule("softplus(x)", "log1p(exp(x))", "1 / (1 + exp(-x))"); it is checked at once.',
    ),
    Entry(
        "G405",
        "written in place",
        "note",
        "An array that the program makes and then writes recorded values into, B = np.zeros(4); B[:2] = x, is "
        "followed: each write is a step of the tape, and what is overwritten gets no part in the gradient.",
        "def f(x):\n    b = np.zeros(4)\n    b[:2] = x\n    return np.sum(b**2)",
        "Nothing to do.",
        silent=True,
    ),
    Entry(
        "G406",
        "overwritten",
        "error",
        "A large plain array that a step had read was overwritten later. A derivative needs the values that were "
        "read, and small arrays are kept for that; large ones are not copied, so that the write is refused instead "
        "of giving a wrong gradient.",
        "def f(x):\n    y = np.sum(x * DATA)        # DATA is large\n    DATA[0] = 0.0\n    return y",
        "Write into a copy: DATA = DATA.copy().",
    ),
    Entry(
        "G407",
        "changes its argument",
        "warning",
        "The function changes an array that it was given. Here every call got a copy, so that nothing is spoilt; "
        "whoever else calls the function may be surprised, and checkers that pass the same array on get wrong "
        "numbers.",
        "def f(x):\n    x *= 2\n    return np.sum(x)",
        "Begin with a copy, x = x.copy(), or write x = x * 2.",
    ),
    Entry(
        "G408",
        "reuses its result",
        "note",
        "The function returns the same array object at every call, so that an earlier result changes when it is "
        "called again: differences of the two would be zero. Here each result was copied.",
        "def gradient(x, buffer=np.zeros(3)):\n    buffer[:] = 2 * x\n    return buffer",
        "Return a copy: return buffer.copy().",
    ),
    Entry(
        "G409",
        "same array twice",
        "note",
        "Two inputs of the point are one and the same array. The derivatives by each are shown apart, as if they were "
        "two; if both always move together, the derivative is their sum.",
        "gradcli.check(f, at=(a, a))",
        "Nothing to repair.",
    ),
    Entry(
        "G410",
        "a tape used twice",
        "note",
        "In other tools a second backward pass over one tape adds to the first, or finds it empty. A tape of "
        "gradcli's keeps no cotangents: it can be swept any number of times, from any of its nodes.",
        "tape = gradcli.trace(f, 2.0)\ntape.sensitivities() == tape.sensitivities()",
        "Nothing to do.",
        silent=True,
    ),
    Entry(
        "G411",
        "constants",
        "note",
        "The function reads numbers that are not its inputs: globals, variables of an enclosing function, defaults. "
        "They were taken as they are, and no derivative by them is computed.",
        "k = 3.0\ndef f(x):\n    return k * x",
        "To differentiate by one of them, make it a parameter.",
    ),
    Entry(
        "G412",
        "keeps state",
        "warning",
        "The function gives another value when it is called a second time with the same inputs, and something "
        "outside of it has changed meanwhile. It is no function of its inputs, so that differences mean nothing.",
        "calls = 0\ndef f(x):\n    global calls\n    calls += 1\n    return x * calls",
        "Pass the state as an argument, or set it anew at the start of the function.",
    ),
    Entry(
        "G413",
        "memoised",
        "note",
        "The function is cached by functools.lru_cache or functools.cache: a second call with the same inputs would "
        "give back what the first one gave. The function inside the cache was called.",
        "@functools.cache\ndef f(x):\n    return x * x",
        "Nothing to repair. A cached function that another one calls cannot be followed: take its cache off.",
    ),
    Entry(
        "G414",
        "structures",
        "note",
        "An input may be a number, an array, or lists, tuples and dictionaries of them, and has its numbers by name: "
        "params.w[1,2]. What is no number, such as a text or None, stays as it is.",
        'gradcli check model.py:loss --at \'{"params": {"w": [1, 2], "b": 0}}\'',
        "Nothing to do.",
        silent=True,
    ),
    Entry(
        "G415",
        "no number",
        "error",
        "The function returned something that is not one number: nothing at all, a tuple, a text, an array. A "
        "gradient is the derivative of one number.",
        "def f(x):\n    loss = x * x        # and no return",
        "Return the one number that is to be differentiated. For an array, ask for `gradcli jacobian`, or return "
        "its sum.",
    ),
    Entry(
        "G416",
        "two readings",
        "note",
        "The numbers of the point could be one array for the only parameter without a default, or one number for each "
        "parameter. Where there are as many numbers as parameters, those with numbers as defaults counted, each gets "
        "one; otherwise they are an array. The message says which of the two was done.",
        "def f(x, k=3.0): ...\ngradcli grad file.py:f --at 2,4",
        "Type [2,4] for an array, and x=2,k=4 for a number each.",
    ),
)
