"""Which commands of the page on published gradients can run here: each needs a library, in the release shown."""

import os
import re
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "published"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RELEASES = dict(pinned.partition(";")[0].split("==") for pinned in PROJECT["optional-dependencies"]["wild"])
# What each file needs; neurolab's formulas are written anew and need nothing.
LIBRARIES = {
    "ahrs_ekf": "ahrs",
    "dymos_components": "dymos",
    "lsml": "metric-learn",
    "mathieu": "scipy",
    "openmdao_tests": "openmdao",
    "pvlib_bishop": "pvlib",
    "pyglmnet_softplus": "pyglmnet",
    "pyproximal_quadratic": "pyproximal",
    "scipy_benchmarks": "scipy",
    "scipy_tests": "scipy",
    "smt_kriging": "smt",
    "statsmodels_counts": "statsmodels",
    "statsmodels_frank": "statsmodels",
    "tsne": "scikit-learn",
}
WRITTEN_ANEW = "neurolab_anew"
FROM_SOURCE = "scipy_benchmarks"


def files_run(text: str) -> list[str]:
    """The files of the folder that commands run."""
    return re.findall(r"examples/published/(\w+)\.py:", text)


def why_not_run(text: str) -> str:
    """Why the commands in a text cannot run here; empty where they can."""
    return next(filter(None, map(_why_not_run, files_run(text))), "")


def _why_not_run(file: str) -> str:
    if file == WRITTEN_ANEW:
        return ""
    library = LIBRARIES[file]
    try:
        installed = version(library)
    except PackageNotFoundError:
        return f"{library} is not installed"
    if installed != RELEASES[library]:
        return f"the page shows {library} {RELEASES[library]}, and {installed} is installed"
    if file == FROM_SOURCE and not Path(os.environ.get("SCIPY_SOURCE", ""), "benchmarks", "benchmarks").is_dir():
        return "SCIPY_SOURCE names no unpacked source distribution of SciPy"
    return ""
