"""Runs on a real Dask cluster, a scheduler and two workers: one is killed, and the command is killed."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import gradcli
from gradcli.errors import UsageError
from gradcli.many_points import python_api

pytestmark = [
    pytest.mark.skipif(find_spec("distributed") is None, reason="Dask is not installed"),
    pytest.mark.filterwarnings("ignore"),
]

ROOT = Path(__file__).parents[2]
SLOWLY = "import time\n\n\ndef f(x, y):\n    time.sleep(0.0001)\n    return x * x * y\n"


class Cluster:
    """A scheduler with two workers, in a folder of their own."""

    def __init__(self, folder):
        self.folder, self.file = folder, str(folder / "scheduler.json")
        self.processes = [self.started("scheduler", "--port", "0", "--no-dashboard")]
        self.address = self.waited_for()
        for _ in range(2):
            self.add_worker()

    def started(self, kind, *arguments):
        command = [sys.executable, "-m", "distributed.cli.dask_" + kind, "--scheduler-file", self.file, *arguments]
        log = (self.folder / f"{kind}.log").open("ab")
        with log:
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            return subprocess.Popen(command, cwd=self.folder, env=environment, stdout=log, stderr=log)

    def waited_for(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if os.path.exists(self.file):
                return json.loads(Path(self.file).read_text())["address"]
            time.sleep(0.1)
        raise TimeoutError((self.folder / "scheduler.log").read_text())

    def add_worker(self):
        worker = self.started("worker", "--nthreads", "1", "--no-nanny", "--no-dashboard")
        self.processes.append(worker)

    def end(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.end()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with three hundred points and a function that is not compiled."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(python_api, "SLOW", 10)
    (tmp_path / "slowly.py").write_text(SLOWLY)
    np.save("points.npy", np.random.default_rng(0).uniform(1, 2, (300, 2)))
    return tmp_path


def lines_of(file):
    return sorted(Path(file).read_text().splitlines())


def wait_for_lines(file, count):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if os.path.exists(file) and Path(file).read_bytes().count(b"\n") >= count:
            return
        time.sleep(0.02)
    raise TimeoutError(file)


@pytest.mark.long
def test_a_worker_is_killed_in_the_middle(cluster, folder):
    expected = gradcli.evaluate_points("slowly.py:f", "points.npy", "here.jsonl")
    victim = cluster.processes[-1]

    def kill():
        wait_for_lines("rows.jsonl", 50)
        victim.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    run = gradcli.evaluate_points("slowly.py:f", "points.npy", "rows.jsonl", client=cluster.address)
    killer.join()
    cluster.add_worker()

    assert victim.wait(10) == -signal.SIGKILL
    assert [json.loads(line)["index"] for line in Path("rows.jsonl").read_text().splitlines()] != [*range(300)]
    assert lines_of("rows.jsonl") == lines_of("here.jsonl")
    assert run.verdicts == expected.verdicts == {"ok": 300}
    assert run.quantiles == expected.quantiles


@pytest.mark.long
def test_a_worker_ends_after_it_has_sent_a_result(cluster, folder, monkeypatch):
    from distributed import Client

    with Client(cluster.address) as client:
        gather = client._gather

        async def gather_and_lose(*futures, **options):
            results = await gather(*futures, **options)
            for state in client.futures.values():
                if state.status == "finished":
                    state.lose()  # as the scheduler reports it
            return results

        monkeypatch.setattr(client, "_gather", gather_and_lose)

        run = gradcli.evaluate_points("slowly.py:f", "points.npy", "rows.npy", client=client)

    assert run.verdicts == {"ok": 300}


@pytest.mark.long
@pytest.mark.parametrize("out", ["rows.jsonl", "rows.npy"])
def test_the_command_is_killed_and_run_again(cluster, folder, out):
    x, y = np.random.default_rng(0).uniform(1, 2, (2, 2000))
    np.save("points.npy", np.stack([x, y], axis=1))
    command = [sys.executable, "-m", "gradcli", "grad", "slowly.py:f", "--points-file", "points.npy", "--out", out]
    command += ["--scheduler", cluster.address]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    first = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for_lines(f"{out}.journal", 2)
    first.kill()
    assert first.wait() == -signal.SIGKILL
    begun = Path(f"{out}.journal").read_bytes().count(b"\n")

    second = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)

    assert 2 <= begun < 5  # the first line says what the rows belong to, and there are four chunks
    assert second.returncode == 0, second.stderr
    assert "2,000 points: 2,000 ok" in second.stdout
    if out == "rows.jsonl":
        gradcli.evaluate_points("slowly.py:f", "points.npy", "whole.jsonl", client=cluster.address)
        assert lines_of(out) == lines_of("whole.jsonl")
        return
    rows = np.sort(np.load(out), order="index")
    assert np.array_equal(rows["index"], np.arange(2000))
    assert np.allclose([rows["value"], rows["gradient.x"], rows["gradient.y"]], [x * x * y, 2 * x * y, x * x])


@pytest.mark.long
def test_a_chunk_that_ends_its_process(folder):
    (folder / "ends.py").write_text(
        "import os\n\n\ndef f(x, y):\n    if x == 5.0:\n        os._exit(3)\n    return x * y\n"
    )

    np.save("points.npy", [(1.0, 2.0)] * 90 + [(5.0, 2.0)])

    with pytest.raises(gradcli.GradcliError, match="A worker was ended while it computed"):
        gradcli.evaluate_points("ends.py:f", "points.npy", "rows.jsonl", client=2)


@pytest.mark.long
def test_a_module_that_the_workers_lack(cluster, folder):
    (folder / "helper.py").write_text("FACTOR = 2.0\n")
    (folder / "helped.py").write_text("import helper\n\n\ndef f(x, y):\n    return helper.FACTOR * x * y\n")

    with pytest.raises(UsageError, match=r"cannot import .*helped\.py.*helper"):
        gradcli.evaluate_points("helped.py:f", "points.npy", "rows.jsonl", client=cluster.address)


@pytest.mark.long
def test_no_scheduler_answers(folder, monkeypatch):
    monkeypatch.setattr("gradcli.many_points.executors.CONNECTING", 1.0)

    with pytest.raises(UsageError, match="No Dask scheduler answers at tcp:"):
        gradcli.evaluate_points("slowly.py:f", "points.npy", "rows.jsonl", client="tcp://127.0.0.1:9")


@pytest.mark.long
def test_functions_of_a_notebook_travel(cluster, folder):
    run = gradcli.evaluate_points(lambda x, y: x * y, "points.npy", "rows.npy", client=cluster.address)

    _, y = np.load("points.npy").T
    assert run.verdicts == {"ok": 300}
    assert np.allclose(np.sort(np.load("rows.npy"), order="index")["gradient.x"], y, rtol=1e-14)


@pytest.mark.long
def test_verify_on_the_cluster(cluster, folder):
    """The verdicts and the reports are those of processes of this machine; a crash is a case's own."""
    (folder / "cases.py").write_text(
        "import os\nimport gradcli\n\n\ndef f(x):\n    return x * x\n\n\ndef crash(x):\n    os._exit(3)\n\n\n"
        "@gradcli.gradient_of(f, at=3.0)\ndef right(x):\n    return 2 * x\n\n\n"
        "@gradcli.gradient_of(f, at=3.0)\ndef wrong(x):\n    return 3 * x\n\n\n"
        "@gradcli.gradient_of(crash, at=3.0)\ndef crashed(x):\n    return 3 * x\n"
    )

    here = gradcli.verify("cases.py")
    there = gradcli.verify("cases.py", client=cluster.address)

    assert [case.outcome for case in there.cases] == ["pass", "fail", "crashed"]
    assert [(case.outcome, case.message) for case in there.cases] == [
        (case.outcome, case.message) for case in here.cases
    ]
    assert there.cases[1].comparison == here.cases[1].comparison
