"""G701 to G911: devices, SymPy's side of a check, and runs of the user's code."""

from __future__ import annotations

from gradcli.shared.findings.entry import Entry

ENTRIES = (
    Entry(
        "G701",
        "device differs",
        "note",
        "A number computed on the device differs from that on the CPU: sums are added in another order, and "
        "products may be fused. The finding says whether the order of addition explains the difference.",
        "gradcli grad file.py:f --at @point.npy --device gpu",
        "Nothing to fix while the difference stays within the named bound.",
    ),
    Entry(
        "G702",
        "run to run",
        "note",
        "The same computation on the device gave slightly different numbers twice, because the order of its "
        "additions varies.",
        "gradcli grad file.py:f --at @point.npy --device gpu",
        "Nothing to fix while the spread is small for your purpose.",
    ),
    Entry(
        "G703",
        "mixed devices",
        "error",
        "An array on the CPU met one on the device. Nothing is copied automatically, because that is slow and "
        "hides mistakes.",
        "def f(x):\n    return np.sum(x * DATA)        # DATA is a NumPy array, x is on the device",
        "Move the data once, before the function runs, or run on the CPU: --device cpu.",
    ),
    Entry(
        "G704",
        "no device",
        "error",
        "A GPU was requested, but CuPy finds none that it can use, or CuPy is not installed.",
        "gradcli grad 'x*x' --at 1 --device gpu",
        "Install CuPy with pip install 'gradcli[cuda12]' or 'gradcli[cuda13]', or omit --device.",
    ),
    Entry(
        "G803",
        "not a function",
        "note",
        "SymPy's derivative of a step that jumps contains DiracDelta, which has no numeric value. It is never "
        "shown as a number: the derivative is compared only away from the jump.",
        "gradcli check 'x * sign(x)' --at 0",
        "Nothing to fix.",
    ),
    Entry(
        "G806",
        "recorded path",
        "note",
        "The program branches, loops or selects by the values of its inputs. The symbolic form follows the path "
        "taken at this point, so it holds only where the program takes the same path.",
        "def f(x):\n    return x if x < 1 else x * x",
        "Nothing to fix. Ask again at a point on the other path to see the other form.",
    ),
    Entry(
        "G901",
        "random",
        "note",
        "Two calls with the same inputs gave different values, and equal values once the random generators were "
        "reset: the function draws random numbers. In this check each call started from the same state of "
        "`random` and np.random; afterwards both were restored.",
        "def f(x):\n    return x * random.random()",
        "Nothing to fix if the randomness is intended. Otherwise draw the numbers outside and pass them in.",
    ),
    Entry(
        "G902",
        "not repeatable",
        "warning",
        "Two calls with the same inputs gave different values, although the random generators were reset: the "
        "function reads a clock, a file or a generator of its own. It is not a function of its inputs, so "
        "differences are meaningless.",
        "def f(x):\n    return x * time.time()",
        "Pass the changing value as an argument.",
    ),
    Entry(
        "G903",
        "many calls",
        "note",
        "Finite differences call the function many times, and its effects outside the process, such as writing a "
        "file, happen each time. State that cannot be restored, such as an advanced generator, is named.",
        "def f(x):\n    open('log', 'a').write('x')\n    return x * x",
        "Remove the side effect from the checked function.",
    ),
    Entry(
        "G904",
        "printed",
        "note",
        "The function prints. The output of its first run was shown; later calls were muted.",
        "def f(x):\n    print(x)\n    return x * x",
        "Nothing to fix.",
    ),
    Entry(
        "G905",
        "your code raised",
        "error",
        "The function, or its file, raised an exception or ended the process, at this point or while it was loaded. "
        "Only your own lines are shown, the one that raised last. The exit code is 5.",
        "def f(x):\n    if x < 0:\n        raise ValueError('x must not be negative')\n    return x",
        "Correct the named line, or choose a point that the function accepts.",
    ),
    Entry(
        "G906",
        "only plain numbers",
        "error",
        "The function runs on plain numbers, but raises when its inputs are recorded: it needs a true float "
        "somewhere, as C code does, or uses the value as a dictionary key. The exit code is 5.",
        "TABLE = {1.0: 2.0}\ndef f(x):\n    return x * TABLE[x]",
        "Use a function of math or numpy instead; gradcli.stop_gradient(x) is a plain number, without a derivative.",
    ),
    Entry(
        "G907",
        "slow",
        "note",
        "The function is slow, and a check calls it many times. The time is estimated from its first run, before "
        "the others begin. The finished rows are kept whenever you stop the check.",
        "def f(x):\n    time.sleep(0.5)\n    return x * x",
        "Ctrl-C keeps the finished rows; --max-seconds 60 does the same automatically.",
    ),
    Entry(
        "G908",
        "out of time",
        "error",
        "The time allowed by --max-seconds ran out before any component was decided. The exit code is 7. The time "
        "includes loading the file. A loop that waits for a comparison with nan never ends. A blocking call (on a "
        "program, a queue, the clock) is ended too. Code that ignores the interrupt, as os.system and `except "
        "BaseException` in a loop do, and C code that computes, such as sum(range(10**10)), ends with the process "
        "some four seconds later in `gradcli check`, as in `gradcli verify`, without a verdict. A session and the "
        "library wait for it, as does `gradcli check` on Windows.",
        "def f(x):\n    while True:\n        pass",
        "Allow more time, or check fewer inputs with --wrt.",
    ),
    Entry(
        "G909",
        "long tape",
        "error",
        "The memory was used up while the program ran on the tape, which keeps the values of every step: a scalar "
        "step takes some 150 bytes, an array step the size of the array. Where the system reports its memory, the "
        "commands stop a run, such as an endless loop, when a tenth of the memory of the machine or container is "
        "left. The exit code is 5.",
        "def f(x):\n    for _ in range(100_000_000):\n        x = x * 1.0\n    return x",
        "End the loop, or compute on whole NumPy arrays: one step of the tape then does the work of a loop.",
    ),
    Entry(
        "G911",
        "nothing checked",
        "error",
        "No component was checked, so there is no result. This is not a pass. The exit code is 6.",
        "gradcli check file.py:f --at 1 --max-seconds 0",
        "Allow more time, or name inputs that the function has.",
    ),
)
