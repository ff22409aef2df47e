"""Notebooks executed with papermill, in parallel under one progress bar.

Each has a kernel of the running interpreter, a separate process. A kernel that hangs
can be ended, one that crashes affects no other, and its numbers of threads are set
before any library is loaded.

The limit is that of nbclient, the time of one cell; it is wide, so that a loaded
machine fails nothing. A signal ends them all, and the finished ones stay.
"""

import os
import re
import subprocess
import sys
import traceback
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from .processes import POLL_SECONDS, end_group

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
    """Variables by which OpenBLAS and NumPy compute equally on all x86-64 with AVX2.

    On those with AVX-512 they would take other kernels, which add in another order:
    errors of maps differ in the third digit. Older processors lack these
    kernels, others ignore the variables: they get none. NumPy before 2.4 has other
    names.
    """
    try:
        words = processor.read_text("ascii", "ignore").split()
    except OSError:
        return {}
    if not {"avx2", "fma"} <= set(words):
        return {}
    return {
        "OPENBLAS_CORETYPE": "Haswell",
        "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    }


KERNELS = _kernels()

FIXED = {
    "PYTHONHASHSEED": "0",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    # silences a warning of the debugger that every kernel would print
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}

# Notebooks hold no international addresses, and the checker of those takes a second to
# import, nbformat with it.
sys.modules.setdefault("rfc3987_syntax", None)


def kernel_environment(**extra):
    """Environment in which kernels give the same numbers and pictures everywhere.

    A copy of this process's, with one thread and the same kernels of each library, a
    fixed hash seed and inline pictures, and with `extra` on top (a value of None takes
    the variable away).
    """
    environment = os.environ | THREADS | KERNELS | FIXED
    for name, value in extra.items():
        environment.pop(name, None)
        if value is not None:
            environment[name] = value
    return environment


def execute(run, limit):
    """Execute the notebook of an `Execution`; sets `nb`, `pid`, `cell`, `error`.

    `limit` is in seconds for each cell.
    """
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    try:
        try:
            run.nb = _executed(run, limit)
        except RuntimeError as error:
            if "died before replying" not in str(error):
                raise
            # Ports that were free when they were chosen were taken when the kernel
            # asked for them.
            run.nb = _executed(run, limit)
    except PapermillExecutionError as error:
        colours = r"\x1b\[[0-9;]*m"
        text = re.sub(colours, "", "\n".join(error.traceback))
        run.fail(error.ename, error.evalue, error.cell_index, text.splitlines())
    except TimeoutError:
        says = (
            f"took longer than {limit} s; allow more with TIMEOUT=SECONDS (make) or"
            " --timeout SECONDS"
        )
        run.fail("Timeout", says, run.cell)
    except DeadKernelError:
        says = "the kernel died; perhaps there was no memory left"
        run.fail("DeadKernelError", says, run.cell)
    except Exception as error:
        # There may be no memory for a process, or the file is no notebook.
        lines = traceback.format_exc().splitlines()
        run.fail(type(error).__name__, str(error), run.cell, lines)


def _executed(run, limit):
    """The notebook after all its cells, in a kernel of the running interpreter."""
    import papermill
    from jupyter_client import AsyncKernelManager

    class Kernel(AsyncKernelManager):
        async def start_kernel(self, **options):
            # whatever other "python3" is installed
            self.kernel_spec_manager.kernel_dirs = []
            await super().start_kernel(
                env=run.environment,
                cwd=str(run.cwd),
                stdout=subprocess.DEVNULL,  # not over the bar
                stderr=subprocess.DEVNULL,
                **options,
            )
            run.pid = self.provisioner.process.pid

    def note(cell, cell_index):
        """Keep the cell that runs and its number; papermill calls it."""
        run.cell = cell_index
        run.source = cell

    return papermill.execute_notebook(
        run.cells or str(run.notebook),
        None,
        parameters=run.parameters,
        kernel_name="python3",
        language="python",
        progress_bar=False,
        autosave_cell_every=0,
        start_timeout=limit,
        execution_timeout=limit,
        iopub_timeout=limit,
        kernel_manager_class=Kernel,
        on_cell_start=note,
    )


@dataclass(eq=False, kw_only=True)
class Execution:
    """A notebook file to be executed, and how far that came.

    What is executed is `cells`, that notebook without some of its cells, or else the
    file; its kernel starts in `cwd` with `environment`. `stored_cells`, by their index,
    are not run, for want of data (`toolkit.report.dependence`). `stem` is that of the
    files that the run leaves, `digest` that of all that it depends on. `nb` is the
    notebook once it is executed, `cell` the index of the cell that runs, `source` the
    cell itself, `pid` that of the kernel, the first of its process group, `error` what
    `fail` notes, or None.
    """

    name: str
    notebook: Path
    cwd: Path
    environment: dict
    parameters: dict
    cells: dict | None = None
    stored_cells: dict = field(default_factory=dict)
    stem: str = ""
    digest: str = ""
    nb: dict | None = None
    cell: int = 0
    source: dict = field(default_factory=dict)
    pid: int | None = None
    error: dict | None = None

    def fail(self, name, says, cell=None, lines=()):
        """Note why it failed; the first reason counts.

        `name` and `says` are the exception and its message, `cell` is the number of the
        cell, `lines` are those of the traceback.
        """
        if self.error is None:
            self.error = {
                "name": name,
                "says": says,
                "cell": cell,
                "lines": lines,
            }

    def progress(self):
        """Which cell runs, and the bar that it shows, if any."""
        words = f"cell {self.cell + 1}"
        for output in self.source.get("outputs", []):
            text = output.get("data", {}).get("text/plain", "")
            if "% |" in text:
                words = text
        return f"{self.name} {words}"

    def end(self):
        if self.pid is not None:
            end_group(self.pid)


def run_notebooks(runs, n_jobs, limit, stop, conclude=lambda run: None):
    """Execute `runs`, at most `n_jobs` at a time; those that came to an end.

    They end by themselves or by `limit`, in seconds for each cell. ``conclude(run)`` is
    called for each of these as soon as it has ended: what is done there is kept when
    `stop`, the signals that ask for an end, interrupts a later one. Its own errors are
    those of that notebook.

    `runs` are of :class:`Execution`.
    """
    from tqdm import tqdm

    def work(run):
        if not stop:
            try:
                execute(run, limit)
            finally:
                # What it left behind ends, too.
                run.end()

    ended = []
    bar_format = "{elapsed}{postfix}"
    # The bar of a single notebook stands in its cell.
    if len(runs) > 1:
        bar_format = (
            "{percentage:3.0f}% |{bar:24}| {remaining} left, " + bar_format
        )
    bar = tqdm(
        total=len(runs), bar_format=bar_format, dynamic_ncols=True, disable=None
    )
    with bar, ThreadPoolExecutor(n_jobs) as pool:
        waiting = {pool.submit(work, run): run for run in runs}
        while waiting:
            done, _ = wait(waiting, POLL_SECONDS, FIRST_COMPLETED)
            for future in done:
                run = waiting.pop(future)
                future.result()
                if not stop:
                    _conclude(run, conclude)
                    outcome = "done"
                    if run.error:
                        outcome = "FAILED"
                    bar.write(f"{run.name}: {outcome}", file=sys.stderr)
                    bar.update()
                    ended.append(run)
            running = [run for run in waiting.values() if run.pid is not None]
            bar.set_postfix_str("; ".join(run.progress() for run in running))
            if stop:
                for run in running:
                    run.end()
    return ended


def _conclude(run, conclude):
    """Call `conclude` for an `Execution`; an error in it is the notebook's."""
    try:
        conclude(run)
    except Exception as error:
        # It must not fail the others.
        run.fail(type(error).__name__, str(error))
