"""Threads are those of the container, in both versions of cgroups."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from it import cpus

V1 = "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n"
CASES = {
    "v2": ("0::/\n", {"cpu.max": "150000 100000\n"}, 2),
    "v2 without a limit": ("0::/\n", {"cpu.max": "max 100000\n"}, None),
    "v2, a group around it": ("0::/a/b\n", {"a/cpu.max": "9 10", "a/b/cpu.max": "max 9"}, 1),
    "v2, outside its namespace": ("0::/../../x\n", {"cpu.max": "300000 100000"}, 3),
    "v1": (
        V1,
        {
            "cpu,cpuacct/cpu.cfs_quota_us": "250000\n",
            "cpu,cpuacct/cpu.cfs_period_us": "100000\n",
        },
        3,
    ),
    "v1 without a limit": (V1, {"cpu,cpuacct/docker/abc/cpu.cfs_quota_us": "-1\n"}, None),
    "no cgroups": ("", {}, None),
}


@pytest.mark.parametrize("case", CASES)
def test_promised_are_the_cpus_of_the_cgroup(tmp_path: Path, monkeypatch, case):
    groups, files, expected = CASES[case]
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(8))
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text(groups)
    for name, text in files.items():
        path = tmp_path / "sys/fs/cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert cpus.promised(tmp_path) == expected


def test_affinity_is_a_promise_too(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(3))
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert cpus.promised(tmp_path) == 3


@pytest.mark.parametrize(
    ("promised", "wanted", "threads"), [(None, 0, 1), (1, 0, 1), (4, 0, 3), (4, 8, 8)]
)
def test_threads_leave_one_cpu_to_the_server_and_what_is_set_wins(
    monkeypatch, promised, wanted, threads
):
    monkeypatch.setattr(cpus, "promised", lambda: promised)
    monkeypatch.setattr(os, "environ", {"NPROC": "7"})
    assert cpus.use(wanted, spare=1) == threads
    assert os.environ["OMP_NUM_THREADS"] == str(threads)
    assert os.environ["NPROC"] == "7"
