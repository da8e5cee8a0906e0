"""Verification of every gradient in a project: cases, workers and reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.shared.lazy_imports import on_first_use

if TYPE_CHECKING:
    from gradcli.verification.baseline import accepted, baseline_text
    from gradcli.verification.case_collection import Collected, as_toml, collected
    from gradcli.verification.configuration import Configuration
    from gradcli.verification.reports import from_root, refuse_file, report_text, root_of, save_report
    from gradcli.verification.reports.github import workflow_commands
    from gradcli.verification.reports.json import cases_as_json, report_as_json
    from gradcli.verification.reproducing_commands import unrun
    from gradcli.verification.worker_pool import Watcher, run
    from gradcli.verification.worker_process import WorkerProcess

_HOMES = {
    "Collected": "case_collection",
    "Configuration": "configuration",
    "Watcher": "worker_pool",
    "WorkerProcess": "worker_process",
    "accepted": "baseline",
    "baseline_text": "baseline",
    "as_toml": "case_collection",
    "cases_as_json": "reports.json",
    "collected": "case_collection",
    "from_root": "reports",
    "refuse_file": "reports",
    "save_report": "reports",
    "report_as_json": "reports.json",
    "report_text": "reports",
    "root_of": "reports",
    "workflow_commands": "reports.github",
    "run": "worker_pool",
    "unrun": "reproducing_commands",
}

__all__ = [
    "Collected",
    "Configuration",
    "Watcher",
    "WorkerProcess",
    "accepted",
    "as_toml",
    "baseline_text",
    "cases_as_json",
    "collected",
    "from_root",
    "refuse_file",
    "report_as_json",
    "report_text",
    "root_of",
    "run",
    "save_report",
    "unrun",
    "workflow_commands",
]

__getattr__ = on_first_use(__name__, _HOMES)
