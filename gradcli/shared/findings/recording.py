"""G401 to G418: the graph of the program, arrays that are shared or written, state, results, and points."""

from __future__ import annotations

from gradcli.shared.findings.entry import Entry

ENTRIES = (
    Entry(
        "G401",
        "unused input",
        "note",
        "No path leads from this input to the result: it is never used, or the values computed from it are not. "
        "Its gradient is zero by definition, not by computation.",
        "def f(x, w):\n    t = w * w\n    return x * x        # t was meant to be here",
        "Use the input, remove it from the parameters, or name the others with --wrt.",
    ),
    Entry(
        "G402",
        "detached",
        "error",
        "A recorded value reached code that needs a plain number, where the tape cannot follow, so the derivative "
        "would be lost silently. float(x), math.sin(x) and np.array([x]) in the body of your functions are "
        "followed. C functions are not, nor are functions of math that a package stores without a name, as in a "
        "set {math.sin}. A run that writes such a value as text and then reads a number from a text is refused too, as "
        "it may be the same number.",
        "def f(x):\n    return array.array('d', [x])[0]",
        "Use np.array or the NumPy version of the function, and call functions of math by name, math.sin(x). If "
        "the derivative should stop there, write gradcli.stop_gradient(x).",
    ),
    Entry(
        "G403",
        "stopped",
        "note",
        "The program stops the gradient here on purpose, by gradcli.stop_gradient: values computed from this one "
        "count as constant. Finite differences of the plain function still see them change, so they may disagree.",
        "def f(x):\n    return x * gradcli.stop_gradient(x)",
        "Nothing to fix if the stop is intended.",
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
        "G406",
        "overwritten",
        "error",
        "A large plain array that a step had read was overwritten later. The derivative of the step, or a command that "
        "shows it, needs the values that were read, and small arrays are copied for that purpose. Large ones are not "
        "copied, so the write is refused rather than giving a wrong gradient.",
        "def f(x):\n    y = np.sum(x * DATA)        # DATA is large\n    DATA[0] = 0.0\n    return y",
        "Write into a copy: DATA = DATA.copy().",
    ),
    Entry(
        "G407",
        "changes its argument",
        "warning",
        "The function modifies an array that it was given. gradcli passed a copy to each call, so nothing is "
        "lost. Other callers may be surprised, and checkers that pass the same array again get wrong numbers.",
        "def f(x):\n    x *= 2\n    return np.sum(x)",
        "Begin with a copy, x = x.copy(), or write x = x * 2.",
    ),
    Entry(
        "G408",
        "reuses its result",
        "note",
        "The function returns the same array object at every call, so the next call changes an earlier result, "
        "and differences of the two would be zero. gradcli copied each result.",
        "def gradient(x, buffer=np.zeros(3)):\n    buffer[:] = 2 * x\n    return buffer",
        "Return a copy: return buffer.copy().",
    ),
    Entry(
        "G409",
        "same array twice",
        "note",
        "Two inputs of the point are the same array. Their derivatives are shown separately, as if they were two "
        "arrays; if both always change together, the derivative is the sum.",
        "gradcli.check(f, at=(a, a))",
        "Nothing to fix.",
    ),
    Entry(
        "G411",
        "constants",
        "note",
        "The function reads numbers that are not its inputs: globals, variables of an enclosing function, "
        "defaults. They count as constants, and no derivative by them is computed.",
        "k = 3.0\ndef f(x):\n    return k * x",
        "To differentiate by one of them, make it a parameter.",
    ),
    Entry(
        "G412",
        "keeps state",
        "warning",
        "A second call with the same inputs gives a different value, or differences contradict the derivative, and "
        "something outside the function has changed meanwhile. It is not a function of its inputs alone, so "
        "differences are meaningless.",
        "calls = 0\ndef f(x):\n    global calls\n    calls += 1\n    return x * calls",
        "Pass the state as an argument, or reset it at the start of the function.",
    ),
    Entry(
        "G413",
        "memoised",
        "note",
        "The function is cached by functools.lru_cache or functools.cache: a second call with the same inputs "
        "would return the first result again. gradcli called the function inside the cache.",
        "@functools.cache\ndef f(x):\n    return x * x",
        "Nothing to fix. A cached function that another function calls cannot be followed: remove its cache.",
    ),
    Entry(
        "G415",
        "no number",
        "error",
        "The function returned something other than one number: nothing at all, a tuple, a string, an array. A "
        "gradient is the derivative of one number.",
        "def f(x):\n    loss = x * x        # and no return",
        "Return the number to differentiate. For an array, use `gradcli jacobian`, or return its sum.",
    ),
    Entry(
        "G416",
        "two readings",
        "note",
        "The numbers of the point could be one array for the only parameter without a default, or one number for "
        "each parameter. If there are as many numbers as parameters, including those with numeric defaults, each "
        "gets one; otherwise they are an array. The message says which reading was used.",
        "def f(x, k=3.0): ...\ngradcli grad file.py:f --at 2,4",
        "Type [2,4] for an array, and x=2,k=4 for separate numbers.",
    ),
    Entry(
        "G417",
        "its own derivative",
        "note",
        "The target is an object of another library that computes its own derivative, such as the backward of a custom "
        "operation of PyTorch. The other library computes the value, so that differences judge the derivative; several "
        "numbers of a result are added up with fixed weights that differ.",
        "class Square(torch.autograd.Function): ...\ngradcli check file.py:Square --at 2",
        "Nothing is needed. A gradient given with --against is judged in its place.",
    ),
    Entry(
        "G418",
        "opaque",
        "note",
        "The program calls a function that gradcli.opaque has marked, whose inside no rule knows. Finite differences "
        "measure its derivative, at the cost of some 36 calls for each number of its arguments. A check adds their "
        "error to that of gradcli's own gradient.",
        "simulate = gradcli.opaque(library.simulate)\ndef f(x): return simulate(x)**2",
        "Write the function in plain Python, or give it a derivative by gradcli.custom_vjp.",
    ),
)
