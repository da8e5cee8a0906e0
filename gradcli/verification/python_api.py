"""The library's `verify`: every gradient of files, or of the functions of a notebook, in one report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from gradcli.errors import UsageError
from gradcli.file_replacement import replace_file
from gradcli.records.verification import GradientCase, Verification
from gradcli.verification.case_collection import collected
from gradcli.verification.gradient_marks import Mark, mark_of
from gradcli.verification.reports import FORMATS, from_root, is_report, report_text, root_of
from gradcli.verification.worker_pool import run


class Report(Verification):
    """What became of every case: `.verdict`, `.counts`, `.cases`, `.failures`, `.exit`; drawn in a notebook.

    Each case is a result with `.outcome`, `.message`, `.comparison` (as `check` returns it) and `.command`, which
    reproduces it.
    """

    def __repr__(self) -> str:
        counts = ", ".join(f"{number} {outcome}" for outcome, number in reversed(self.counts.items()))
        return f"<gradcli report: {self.verdict}; {len(self.cases)} cases: {counts or 'none'}>"

    def _repr_html_(self) -> str:
        from gradcli.verification.reports.html import fragment

        return fragment(from_root(self))

    def text(self, form: str = "markdown") -> str:
        """The report in a form: junit, sarif, gitlab, json, markdown or html.

        Raises:
            UsageError: there is no such form.
        """
        if form not in FORMATS:
            raise UsageError(f"There is no form {form!r}.", hint=f"There are {', '.join(FORMATS)}.")
        return report_text(self, form)

    def save(self, path: str | os.PathLike[str], form: str) -> None:
        """Write the report in a form into a file; only over one of that form, or an empty one.

        Raises:
            UsageError: there is no such form, or another file lies there.
        """
        text, place = self.text(form), os.path.expanduser(os.fspath(path))
        if os.path.isfile(place) and not is_report(place, form):
            said = f"{os.fspath(path)!r} exists and is no {form} report of gradcli, so it was not written over."
            raise UsageError(said, hint="Choose another name.")
        replace_file(place, text.encode("utf-8", "backslashreplace"))


Asked = str | os.PathLike[str] | Callable[..., Any]


def verify(
    *paths: Asked | Iterable[Asked],
    config: str | None = None,
    select: str | None = None,
    workers: int = 1,
    stops_early: bool = False,
) -> Report:
    """Check the gradients that files list, mark or name with a point, or functions that are marked.

    Args:
        paths: files, folders and targets as text, or functions that are marked, as with
            `gradient_of`; several or a list of them.  The whole project without any.
        config: the path of the configuration; the nearest upwards without it.
        select: a text that the name, the target or the derivative of a case has to hold.
        workers: how many processes judge the cases of files; 0 for one a processor.
        stops_early: whether the first failure ends the run.

    Returns:
        A Report.  Nothing that a case does raises here: it is that case's outcome.

    Raises:
        UsageError: there is no such path, a function has no mark, or something is wrong with the configuration.

    The cases of files run in worker processes; functions run in this one, so that those of a notebook can be checked.
    """
    asked = list(_flat(paths))
    functions = [each for each in asked if callable(each)]
    texts = [os.fspath(each) for each in asked if not callable(each)]
    live = [_judged_here(each) for each in functions]
    if functions and not texts:
        return Report(tuple(live), sum(each.seconds for each in live), root_of("."))
    found = collected(texts, config, select)
    done = run(
        found.cases,
        workers=workers,
        stops_early=stops_early,
        root=root_of(found.configuration.folder),
        require_points=found.configuration.require_points,
    )
    if done.interrupted:
        raise KeyboardInterrupt
    report = Report(**dict(done.items()))
    return report.changed(cases=(*live, *report.cases))


def _flat(asked: Iterable[Any]) -> Iterable[Asked]:
    for each in asked:
        if isinstance(each, (str, os.PathLike)) or callable(each):
            yield each
        else:
            yield from _flat(each)


def _judged_here(derivative: Callable[..., Any]) -> Any:
    """The result of a function that is marked, in this process."""
    from gradcli.verification.case_judgement import judged, options_of
    from gradcli.verification.check_options import InputPlace

    mark = mark_of(derivative)
    name = getattr(derivative, "__name__", repr(derivative))
    if mark is None or mark.derivative is not derivative:
        hint = f"Write @gradcli.gradient_of(f, at=…) above def {name}, or call gradcli.check(f, at=…, against={name})."
        raise UsageError(f"{name} has no mark that says what it is the gradient of.", hint=hint)
    options_of(mark, InputPlace(f"the mark of {name}"))
    return judged(_case(name, mark), live=mark, stays=True)


def _case(name: str, mark: Mark) -> GradientCase:
    """The case of a mark in this process."""
    function = mark.function if isinstance(mark.function, str) else getattr(mark.function, "__name__", "f")
    code = getattr(mark.derivative, "__code__", None)
    has = any(mark.options.get(key) is not None for key in ("at", "box", "points_file"))
    skip, allow = mark.options.get("skip"), mark.options.get("allow", ())
    return GradientCase(
        mark.options.get("name") or f"{function} by {name}",
        function,
        name,
        {"of": mark.of, **{key: value for key, value in mark.options.items() if key not in ("name", "skip", "allow")}},
        "marked",
        os.getcwd(),
        code.co_filename if code else None,
        code.co_firstlineno if code else None,
        (allow,) if isinstance(allow, str) else tuple(allow),
        skip,
        None if has else "no point",
        "",
    )
