"""G901 to G911: running the user's code."""

from __future__ import annotations

from gradcli.findings.entry import Entry

ENTRIES = (
    Entry(
        "G901",
        "random",
        "note",
        "Two calls with the same inputs gave different values, and the same value once the state of the random "
        "generators was set back: the function draws random numbers. For this check each call began with the same "
        "state of `random` and of np.random; afterwards both were as before.",
        "def f(x):\n    return x * random.random()",
        "Nothing to repair if the randomness is meant. Otherwise draw the numbers outside and pass them in.",
    ),
    Entry(
        "G902",
        "not repeatable",
        "warning",
        "Two calls with the same inputs gave different values, though the random generators were set back: the "
        "function reads a clock, a file, a generator of its own. It is no function of its inputs, so that "
        "differences mean nothing.",
        "def f(x):\n    return x * time.time()",
        "Pass what changes as an argument.",
    ),
    Entry(
        "G903",
        "many calls",
        "note",
        "Differences call the function again and again. What it does outside of the process, such as writing a file, "
        "is done as often. Where a gradient had to run the function twice, to follow a "
        "recorded value into code that nothing in its source leads to, what it keeps is put back; what cannot be, such "
        "as a generator that has gone on, is named.",
        "def f(x):\n    open('log', 'a').write('x')\n    return x * x",
        "Take the side effect out of the function that is checked.",
    ),
    Entry(
        "G904",
        "printed",
        "note",
        "The function prints. What it printed in its first run was shown; the calls after that were muted.",
        "def f(x):\n    print(x)\n    return x * x",
        "Nothing to repair.",
    ),
    Entry(
        "G905",
        "your code raised",
        "error",
        "The function, or the file it is in, raised an exception, at this point or while it was loaded. Only your "
        "own lines are shown, the one that raised last. The exit code is 5.",
        "def f(x):\n    if x < 0:\n        raise ValueError('x must not be negative')\n    return x",
        "Correct the line that is named, or choose a point that the function accepts.",
    ),
    Entry(
        "G906",
        "only plain numbers",
        "error",
        "The function runs on plain numbers, but raises when its inputs are recorded: somewhere it asks for a true "
        "float, as code written in C does, or for a key of a dictionary. The exit code is 5.",
        "TABLE = {1.0: 2.0}\ndef f(x):\n    return x * TABLE[x]",
        "Use the function of math or numpy in its place; gradcli.stop_gradient(x) is a plain number, without a "
        "derivative.",
    ),
    Entry(
        "G907",
        "slow",
        "note",
        "The function is slow, and a check calls it many times. The time is estimated from its first run, before the "
        "others begin. The rows that are finished are kept whenever you stop it.",
        "def f(x):\n    time.sleep(0.5)\n    return x * x",
        "Ctrl-C keeps the finished rows; --max-seconds 60 does so by itself.",
    ),
    Entry(
        "G908",
        "out of time",
        "error",
        "The time allowed by --max-seconds was over before anything was decided. The exit code is 7. A loop that "
        "waits for a comparison with nan never ends. The time begins before the file is loaded, and a call that waits "
        "(for a program, a queue, the clock) is ended too; on Windows some such calls are ended only when they return.",
        "def f(x):\n    while True:\n        pass",
        "Allow more time, or check fewer inputs with --wrt.",
    ),
    Entry(
        "G909",
        "long tape",
        "error",
        "The memory was used up while the program ran on the tape, which keeps the values of every step: a scalar step "
        "takes some 150 bytes, a step on an array the array. The commands stop a run, where the system tells, when a "
        "tenth is left of the memory of the machine or of the container: such as a loop without an end. The exit code "
        "is 5.",
        "def f(x):\n    for _ in range(100_000_000):\n        x = x * 1.0\n    return x",
        "Let the loop end, or compute on whole NumPy arrays: one step of the tape then does the work of a loop.",
    ),
    Entry(
        "G910",
        "higher derivatives",
        "note",
        "In other tools x**2 gives nan at 0 in its second or third derivative. Integer exponents never take a "
        "logarithm or a negative power here, at any order.",
        "gradcli.grad(gradcli.grad(gradcli.grad(lambda x: x**2)))(0.0)",
        "Nothing to do.",
        silent=True,
    ),
    Entry(
        "G911",
        "nothing checked",
        "error",
        "No component was checked, so that nothing can be said. This is not a pass. The exit code is 6.",
        "gradcli check file.py:f --at 1 --max-seconds 0",
        "Allow more time, or name inputs that the function has.",
    ),
)
