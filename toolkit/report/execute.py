"""Notebooks executed with papermill, in parallel under one progress bar.

Each has a kernel of the running interpreter, a process of its own: one that hangs can
be ended, one that crashes takes nothing else with it, and its numbers of threads are
set before any library is loaded.

The limit is in processor time of a notebook with all that it starts, so that a loaded
machine fails nothing. A notebook that uses no processor time at all for long waits for
something that does not come, and is ended too. A signal ends them all, and the finished
ones stay.
"""

import os
import re
import subprocess
import sys
import traceback
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .processes import POLL_SECONDS, Family

# One thread for every numerical library: some results have other bytes with two threads
# than with one. How much that changes is what `make matrix` looks at, by
# TOOLKIT_THREADS.
LIBRARIES = (
    "OMP_NUM OPENBLAS_NUM MKL_NUM BLIS_NUM NUMEXPR_NUM VECLIB_MAXIMUM".split()
)
THREADS = {
    f"{name}_THREADS": os.environ.get("TOOLKIT_THREADS", "1")
    for name in LIBRARIES
}


def _kernels(processor=Path("/proc/cpuinfo")):
    """Variables by which OpenBLAS and NumPy compute alike on all x86-64 with AVX2.

    On those with AVX-512 they would take other kernels, which add in another order:
    errors of maps differ in the third digit. Older processors do not have what is asked
    for here, others take no notice of it: they get nothing.
    """
    try:
        words = processor.read_text("ascii").split()
    except (OSError, UnicodeError):
        return {}
    if not {"avx2", "fma"} <= set(words):
        return {}
    newest = "AVX512_ICL AVX512_SPR"
    groups = f"X86_V4 {newest}"
    # they had other names
    if np.lib.NumpyVersion(np.__version__) < "2.4.0":
        groups = f"AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL {newest}"
    return {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": groups}


KERNELS = _kernels()

FIXED = {
    "PYTHONHASHSEED": "0",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    # silences a warning of the debugger that every kernel would print
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}

# Seconds without an answer of a kernel that lives. The runner ends what hangs, and a
# loaded machine is not to.
MAX_SILENCE = 24 * 3600

# Notebooks hold no international addresses, and the checker of those takes a second to
# import, nbformat with it.
sys.modules.setdefault("rfc3987_syntax", None)

# without progress, after which a notebook counts as hanging
IDLE_SECONDS = 600.0
# part of a core below which that is no progress: kernels at rest poll their channels
MIN_LOAD = 0.005


def kernel_environment(**extra):
    """Environment in which kernels give the same numbers and pictures everywhere.

    A copy of this process's, with one thread and the same kernels of each library, a
    fixed hash seed and inline pictures, and with `extra` on top (a value of None takes
    the variable away).
    """
    merged = os.environ | THREADS | KERNELS | FIXED | extra
    return {name: value for name, value in merged.items() if value is not None}


def execute(run):
    """Execute the notebook of an `Execution`; sets `nb`, `family`, `cell`, `error`."""
    import papermill
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    _register_engine()
    try:
        papermill.execute_notebook(
            str(run.notebook),
            None,
            parameters=run.parameters,
            engine_name="toolkit",
            kernel_name="python3",
            language="python",
            progress_bar=False,
            autosave_cell_every=0,
            run=run,
        )
    except PapermillExecutionError as error:
        # without colours
        text = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(error.traceback))
        run.fail(error.ename, error.evalue, error.cell_index, text.splitlines())
    except DeadKernelError:
        says = "the kernel died; perhaps there was no memory left"
        run.fail("DeadKernelError", says, run.cell)
    except Exception as error:
        # no memory for a process, a file that is no notebook
        lines = traceback.format_exc().splitlines()
        run.fail(type(error).__name__, str(error), run.cell, lines)


def _register_engine():
    from papermill.engines import NBClientEngine, papermill_engines

    class Engine(NBClientEngine):
        """papermill's own, with a kernel as `run` wants it."""

        @classmethod
        def execute_managed_notebook(cls, nb_man, *_, run, **__):
            run.nb = nb_man.nb
            try:
                _run_kernel(nb_man, run)
            except RuntimeError as error:
                if "died before replying" not in str(error):
                    raise
                # Ports that were free when they were chosen were taken when the kernel
                # asked for them.
                _run_kernel(nb_man, run)

    papermill_engines.register("toolkit", Engine)


def _run_kernel(nb_man, run):
    """Run all cells in a kernel of the running interpreter."""
    from papermill.clientwrap import PapermillNotebookClient

    def start(cell, cell_index):
        run.cell = cell_index
        if cell_index == 0:
            run.family = Family(client.km.provisioner.process.pid)

    client = PapermillNotebookClient(
        nb_man,
        kernel_name="python3",
        startup_timeout=MAX_SILENCE,
        iopub_timeout=MAX_SILENCE,
        on_cell_start=start,
        # while the kernel still leads to what it has started
        on_cell_executed=lambda **_: run.family.look(),
    )
    # whatever other "python3" is installed
    client.create_kernel_manager().kernel_spec_manager.kernel_dirs = []
    client.execute(
        env=run.environment,
        cwd=str(run.cwd),
        stdout=subprocess.DEVNULL,  # not over the bar
        stderr=subprocess.DEVNULL,
    )


@dataclass(eq=False)
class Execution:
    """A notebook file to be executed, and how far that came.

    Its kernel starts in `cwd` with `environment`. `nb` is the notebook as executed so
    far, `cell` the index of the cell that runs, `error` what `fail` notes, or None.
    """

    name: str
    notebook: Path
    cwd: Path
    environment: dict
    parameters: dict
    nb: dict | None = None
    cell: int = 0
    error: dict | None = None
    family: Family | None = None
    used: float = 0.0  # processor time when it was last seen to grow
    idle: int = 0  # looks since then

    def fail(self, name, says, cell=None, lines=()):
        """Note why it failed; the first reason counts.

        The exception, its message, the cell, the traceback.
        """
        self.error = self.error or {
            "name": name,
            "says": says,
            "cell": cell,
            "lines": lines,
        }

    def end(self):
        if self.family is not None:
            self.family.end()

    def watch(self, limit):
        """End it after the processor time `limit`, or a long while without any."""
        if self.family is None:
            return
        self.family.look()
        seconds = self.family.seconds
        self.idle += 1
        if seconds - self.used > MIN_LOAD * IDLE_SECONDS:
            self.used = seconds
            self.idle = 0
        if seconds > limit:
            why = (
                "Timeout",
                f"used more than the limit of {limit:g} s of processor time; allow more"
                " with TIMEOUT=SECONDS (make) or --timeout SECONDS",
            )
        elif self.idle * POLL_SECONDS > IDLE_SECONDS:
            why = (
                "Hang",
                f"used no processor time for {IDLE_SECONDS:g} s: it waits for something"
                " that does not come",
            )
        else:
            return
        self.fail(*why, self.cell)
        self.end()


def run_notebooks(runs, n_jobs, limit, stop, conclude=lambda run: None):
    """Execute `runs`, at most `n_jobs` at a time; those that came to an end.

    They end by themselves or by a limit. ``conclude(run)`` is called for each of these
    as soon as it has ended: what is done there is kept when `stop`, the signals that
    ask for an end, interrupts a later one. Its own errors are those of that notebook.
    """
    from tqdm import tqdm

    def work(run):
        if not stop:
            try:
                execute(run)
            finally:
                run.end()  # what it left behind

    ended = []
    bar = tqdm(
        total=len(runs),
        bar_format="{percentage:3.0f}% |{bar:24}| {elapsed}, {remaining} left{postfix}",
        dynamic_ncols=True,
        disable=None,
    )
    with bar, ThreadPoolExecutor(n_jobs) as pool:
        waiting = {pool.submit(work, run): run for run in runs}
        try:
            while waiting:
                done, _ = wait(waiting, POLL_SECONDS, FIRST_COMPLETED)
                for future in done:
                    run = waiting.pop(future)
                    future.result()
                    if not stop:
                        _conclude(run, conclude)
                        bar.write(
                            f"{run.name}: {'FAILED' if run.error else 'done'}",
                            file=sys.stderr,
                        )
                        ended.append(run)
                for run in waiting.values():
                    run.watch(limit)
                    if stop:
                        run.end()
                _move_bar(bar, ended, waiting.values())
        finally:
            for future, run in waiting.items():
                future.cancel()
                run.end()
    return ended


def _conclude(run, conclude):
    try:
        conclude(run)
    except Exception as error:  # it must not fail the others
        run.fail(type(error).__name__, str(error))


def _move_bar(bar, ended, waiting):
    """A notebook that runs counts by its cells."""
    running = [run for run in waiting if run.nb is not None]
    bar.n = len(ended) + sum(run.cell / len(run.nb.cells) for run in running)
    bar.set_postfix_str(
        "; ".join(
            f"{run.name} cell {run.cell + 1}/{len(run.nb.cells)}"
            for run in running
        )
    )
