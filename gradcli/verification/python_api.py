"""The library's `verify`: a report on every gradient in files, or on functions of a notebook."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from gradcli.errors import UsageError
from gradcli.methods.transforms.public_functions import library_call
from gradcli.shared.records.verification import FORMATS, GradientCase, Verification
from gradcli.verification.case_collection import collected
from gradcli.verification.check_options import has_point
from gradcli.verification.gradient_marks import Mark, mark_of
from gradcli.verification.reports import from_root, report_text, root_of, save_report
from gradcli.verification.worker_pool import run

if TYPE_CHECKING:
    from gradcli.verification.cluster_workers import ClusterWorkers


class Report(Verification):
    """The results of all cases: `.verdict`, `.counts`, `.cases`, `.failures`, `.exit`; shown as HTML in a notebook.

    Each case has `.outcome`, `.message`, `.comparison` (as returned by `check`) and `.command`, which
    reproduces it.
    """

    def __repr__(self) -> str:
        counts = ", ".join(f"{number} {outcome}" for outcome, number in reversed(self.counts.items()))
        return f"<gradcli report: {self.verdict}; {len(self.cases)} cases: {counts or 'none'}>"

    def _repr_html_(self) -> str:
        from gradcli.verification.reports.html import fragment

        return fragment(from_root(self))

    def text(self, form: str = "markdown") -> str:
        """The report in a format: junit, sarif, gitlab, json, markdown or html.

        Raises:
            UsageError: the format is unknown.
        """
        return report_text(self, _known(form))

    def save(self, path: str | os.PathLike[str], form: str) -> None:
        """Write the report to a file; replaces only a report in the same format or an empty file.

        Raises:
            UsageError: the format is unknown, or another file exists there.
        """
        _known(form)
        try:
            save_report(self, form, os.fspath(path))
        except UsageError as error:
            error.hint = "Choose another name."
            raise


def _known(form: str) -> str:
    """The name of a format.

    Raises:
        UsageError: there is no such format.
    """
    if form not in FORMATS:
        raise UsageError(f"There is no form {form!r}.", hint=f"There are {', '.join(FORMATS)}.")
    return form


Asked = str | os.PathLike[str] | Callable[..., Any]


@library_call
def verify(
    *paths: Asked | Iterable[Asked],
    config: str | None = None,
    select: str | None = None,
    workers: int = 1,
    client: Any = None,
    stops_early: bool = False,
) -> Report:
    """Check the gradients that files list, mark or comment, or functions that are marked.

    Args:
        paths: files, folders and targets as text, or functions marked with `gradient_of` and the like; several
            arguments or a list. Without any, the whole project.
        config: the path of the configuration; by default the nearest one upwards.
        select: a text that the name, the target or the derivative of a case must contain.
        workers: the number of processes for the cases in files; 0 for one per processor.
        client: a client of Dask, or the address of a scheduler, whose workers run them; the machines share the project.
        stops_early: whether to stop at the first failure.

    Returns:
        A Report. Exceptions in a case do not propagate: they are the outcome of that case.

    Raises:
        UsageError: a path does not exist, a function has no mark, or the configuration is invalid.

    Each case in a file runs in a process of its own; functions run in this one, so that a notebook's can be checked.
    """
    asked = list(_flat(paths))
    functions = [item for item in asked if callable(item)]
    texts = [os.fspath(item) for item in asked if not callable(item)]
    live = [_judged_here(function) for function in functions]
    if functions and not texts:
        return Report(tuple(live), sum(result.seconds for result in live), root_of("."))
    collection = collected(texts, config, select)
    where: int | ClusterWorkers = workers
    if client is not None:
        from gradcli.verification.cluster_workers import ClusterWorkers

        where = ClusterWorkers(client)
    done = run(collection.cases, workers=where, stops_early=stops_early)
    if done.interrupted:
        raise KeyboardInterrupt
    report = Report(**dict(done.items()))
    return report.changed(
        cases=(*live, *report.cases),
        root=root_of(collection.configuration.folder),
        require_points=collection.configuration.require_points,
    )


def _flat(asked: Iterable[Any]) -> Iterable[Asked]:
    for item in asked:
        if isinstance(item, (str, os.PathLike)) or callable(item):
            yield item
        elif isinstance(item, Iterable):
            yield from _flat(item)
        else:
            raise UsageError(f"verify takes paths and functions, and {item!r} came.", hint='Write verify("file.py").')


def _judged_here(derivative: Callable[..., Any]) -> Any:
    """The result of a marked function, run in this process."""
    from gradcli.verification.case_judgement import options_of, run_case
    from gradcli.verification.check_options import InputPlace

    mark = mark_of(derivative)
    name = getattr(derivative, "__name__", repr(derivative))
    if mark is None or mark.derivative is not derivative:
        hint = f"Write @gradcli.gradient_of(f, at=…) above def {name}, or call gradcli.check(f, at=…, against={name})."
        raise UsageError(f"{name} has no mark that says what it is the gradient of.", hint=hint)
    options_of(mark, InputPlace(f"the mark of {name}"))
    return run_case(_case(name, mark), live=mark, stays=True)


def _case(name: str, mark: Mark) -> GradientCase:
    """The case of a marked function in this process."""
    function = mark.function if isinstance(mark.function, str) else getattr(mark.function, "__name__", "f")
    code = getattr(mark.derivative, "__code__", None)
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
        None if has_point(mark.options) else "no point",
        "",
    )
