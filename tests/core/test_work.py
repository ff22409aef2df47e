"""Long work: what does not fit is refused before it begins."""

import subprocess
import sys
from functools import partial

from pytest import importorskip, raises

from toolkit.core import memory
from toolkit.core.memory import available_memory, check_memory


def test_half_of_what_is_at_hand(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 1.6e9)
    check = partial(
        check_memory, "The matrix", 10_000, remedy="Give `n_centers`."
    )
    check()  # 0.8 GB
    says = "needs 0.9 GB for 10,000 x 11,000 numbers, more than half of the 1.6 GB of"
    with raises(ValueError, match=f"The matrix {says} available memory. Give"):
        check(11_000)
    with raises(ValueError, match="needs 2.4 GB"):
        check(arrays=3)


def test_limits_of_the_process_count():
    importorskip("resource")
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (3 * 10**9,) * 2)\n"
        "from toolkit.core.memory import available_memory; print(available_memory())"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert 0 <= int(run.stdout) < 3e9


def test_limits_of_a_container_count(tmp_path, monkeypatch):
    (tmp_path / "memory.max").write_text("5000\n")
    (tmp_path / "memory.current").write_text("2000\n")
    assert memory._of_container(tmp_path) == 3000
    (tmp_path / "memory.max").write_text("max\n")
    with raises(ValueError, match="max"):  # no limit
        memory._of_container(tmp_path)
    monkeypatch.setattr(memory, "_of_container", lambda: int("max"))
    assert available_memory() > 0
