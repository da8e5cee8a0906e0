"""A worker: reads cases from stdin, runs each in a process of its own, and writes their results to stdout, in lines.

The worker runs no code of the user. It is the parent of all processes of its cases, and ends them when a case or the
run ends: stdin ends with the run, however that ends. A case runs in a child of a process that has imported its file
(`warm_parent`), or, where that cannot be forked and on systems other than Linux, in a fresh child of the worker.
Without `fork`, as on Windows, a worker runs one case, in its own process.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import threading
from importlib import import_module
from typing import Any

from gradcli.shared.process_control import adopt_orphans, end_with_parent
from gradcli.verification.worker_messages import line, output_mark, read_line


def main(max_memory: str, run: str) -> int:
    """Run the cases from stdin until it ends; what they print goes to stderr.

    Args:
        max_memory: the limit of the memory of a case in bytes; 0 for none.
        run: the process of the run.
    """
    asked, answers = os.dup(0), os.dup(1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # a case may be killed after what it printed
    if not hasattr(os, "fork"):
        return _only_case(asked, answers)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    adopt_orphans()
    if sys.platform == "linux":
        end_with_parent(int(run))  # nothing is read from stdin meanwhile
        _warm()
        end_with_parent(int(run), 0)
    from gradcli.verification.case_process import CaseProcess

    cases = Cases(CaseProcess((asked, answers), int(max_memory) or None), asked)
    _write(answers, line({"ready": True}))
    try:
        while text := read_line(asked):
            case = cases.result(json.loads(text))
            _write(2, output_mark(case["token"]))
            _write(answers, line(case))
    except BrokenPipeError:  # the run has ended
        return 1
    finally:
        cases.end()
    return 0


class Cases:
    """Runs cases, each in a process of its own.

    Args:
        process: what runs a case.
        life: a descriptor that becomes readable when the run ends, while a case runs.
    """

    def __init__(self, process: Any, life: int) -> None:
        self._process = process
        self._life = life
        self._module: tuple[str, str | None] | None = None
        self._parent: Any = None
        self._late = 0.0  # seconds in which the import of the module has not ended

    def result(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The answer, exit code and stack dump of a case."""
        code = None
        if not self._late or asked["seconds"] > self._late or self._module != _module_of(asked):
            self._process.clear()
            code = self._warm_code(asked) if sys.platform == "linux" else self._fresh_code(asked)
        return {**self._process.outcome(asked["token"]), "code": code}

    def end(self) -> None:
        """End the processes."""
        if self._parent is not None:
            self._parent.end()
            self._parent = None

    def _warm_code(self, asked: dict[str, Any]) -> int | None:
        """The exit code of a child of the process that has imported the file of the case, if that can be forked."""
        from gradcli.verification.warm_parent import WarmParent

        if (module := _module_of(asked)) != self._module or self._late:
            self.end()
            self._module, self._parent = module, WarmParent(asked, self._process, asked["seconds"], self._life)
            self._late = asked["seconds"] if self._parent.is_late else 0.0
            if not self._parent.is_warm:
                self.end()
            if self._late:
                self._process.show_printed(2)
                return None
        if self._parent is None:
            self._process.clear()
            return self._fresh_code(asked)
        code: int | None = self._parent.code(asked, asked["seconds"])
        if not self._parent.is_warm:
            self.end()
            self._module = None
        return code

    def _fresh_code(self, asked: dict[str, Any]) -> int | None:
        from gradcli.verification.forked_child import ForkedChild

        child = ForkedChild(lambda: self._process.run(asked))
        code = child.code(asked["seconds"], self._life)
        child.end()
        return code


def _module_of(asked: dict[str, Any]) -> tuple[str, str | None]:
    """The folder and the module of a case."""
    from gradcli.answers.targets.target_resolution import module_of

    case = asked["case"]
    return case["folder"], module_of(case["marked"] or case["target"])


def _warm() -> None:
    """Import what every case uses, and keep the collector from copying it in the children."""
    from gradcli import queries
    from gradcli.engine.patching.replacement_table import replacement_table
    from gradcli.shared.records.verification import GradientCase
    from gradcli.verification.case_judgement import run_case

    queries.warm_symbolic()
    following = map("gradcli.engine.patching.{}".format, ("code_links", "marked_code", "rewritten_code"))
    for module in ("gradcli.verification.warm_parent", "gradcli.shared.findings.catalogue", *following):
        import_module(module)
    replacement_table()
    sample = import_module("gradcli.verification.sample_gradient")
    for name, by in (("value", None), ("value", "value_gradient"), ("total", None), ("total", "total_gradient")):
        run_case(GradientCase(name, f"{sample.__file__}:{name}", by, {"at": "2,3"}, folder=os.sep))
    gc.collect()
    gc.freeze()


def _only_case(asked: int, answers: int) -> int:
    """Run a case in this process, which ends with stdin."""
    from gradcli.verification.case_judgement import run_case
    from gradcli.verification.worker_messages import case_of

    _write(answers, line({"ready": True}))
    case = json.loads(read_line(asked) or b"null")
    threading.Thread(target=lambda: os._exit(len(read_line(asked))), daemon=True).start()
    answer = line(run_case(case_of(case["case"]))).decode()
    _write(2, output_mark(case["token"]))
    _write(answers, line({"token": case["token"], "answer": answer, "dump": "", "code": 0}))
    return 0


def _write(number: int, data: bytes) -> None:
    while data:
        data = data[os.write(number, data) :]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
