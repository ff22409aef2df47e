"""Notebooks executed with papermill, in parallel under one progress bar.

Each has a kernel of the running interpreter, a process of its own: one that hangs can
be ended, one that crashes takes nothing else with it, and its numbers of threads are
set before any library is loaded.

The limit is in processor time of a notebook with all that it starts, so that a loaded
machine fails nothing. A notebook that uses no processor time at all for long waits for
something that does not come, and is ended too. A signal ends them all, and the finished
ones stay.
"""

import ast
import os
import re
import subprocess
import sys
import traceback
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from .processes import POLL_SECONDS, Family, exit_words

# One thread for every numerical library: some results have other bytes with two threads
# than with one. How much that changes is what `make matrix` looks at, by
# TOOLKIT_THREADS.
LIBRARIES = (
    "OMP_NUM OPENBLAS_NUM MKL_NUM BLIS_NUM NUMEXPR_NUM VECLIB_MAXIMUM".split()
)
N_THREADS = os.environ.get("TOOLKIT_THREADS", "1")
THREADS = {f"{name}_THREADS": N_THREADS for name in LIBRARIES}


def _kernels(processor=Path("/proc/cpuinfo")):
    """Variables by which OpenBLAS and NumPy compute alike on all x86-64 with AVX2.

    On those with AVX-512 they would take other kernels, which add in another order:
    errors of maps differ in the third digit. Older processors do not have what is asked
    for here, others take no notice of it: they get nothing.
    """
    try:
        text = processor.read_text(encoding="ascii")
    except (OSError, UnicodeError):
        return {}
    flags = re.search(r"^flags\s*:(.*)$", text, re.MULTILINE)
    if flags is None or not {"avx2", "fma"} <= set(flags[1].split()):
        return {}
    newest = "AVX512_ICL AVX512_SPR"
    groups = f"X86_V4 {newest}"
    # they had other names
    if tuple(map(int, version("numpy").split(".")[:2])) < (2, 4):
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

# Asked of the kernel after the last cell. The module is looked up, not imported: a
# notebook without data has none.
SUBSTITUTED = (
    "sorted(m.substituted_names()) if (m :="
    " __import__('sys').modules.get('toolkit.datasets')) else []"
)

ANSI = re.compile(r"\x1b\[[0-9;]*m")

# without progress, after which a notebook counts as hanging
IDLE_SECONDS = 600.0
# part of a core below which that is no progress: kernels at rest poll their channels
MIN_LOAD = 0.005
BAR = "{percentage:3.0f}% |{bar:24}| {elapsed}, {remaining} left{postfix}"


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
        lines = ANSI.sub("", "\n".join(error.traceback)).splitlines()
        run.fail(error.ename, error.evalue, error.cell_index, lines)
    except Exception as error:
        # a kernel that died, no memory for a process, a file that is no notebook; the
        # message of nbclient says all, our own stack would not help
        is_nbclient = type(error).__module__.startswith("nbclient")
        lines = [] if is_nbclient else traceback.format_exc().splitlines()
        message = str(error).strip().partition("\n")[0]
        run.fail(type(error).__name__, message, run.cell, lines)


def _register_engine():
    """papermill's own engine, with a kernel as `run` wants it.

    It also notes which data were substituted.
    """
    from papermill.engines import NBClientEngine, papermill_engines

    Client = _client_class()

    class Engine(NBClientEngine):
        @classmethod
        def execute_managed_notebook(cls, nb_man, kernel_name, run, **_):
            run.nb = nb_man.nb
            try:
                Client(nb_man, run).execute()
            except RuntimeError as error:
                if "died before replying" not in str(error) or run.error:
                    raise
                # Ports that were free when they were chosen were taken when the kernel
                # asked for them.
                Client(nb_man, run).execute()

    papermill_engines.register("toolkit", Engine)


def _client_class():
    """papermill's client, with a kernel in the environment of an `Execution`."""
    from nbclient.exceptions import DeadKernelError
    from papermill.clientwrap import PapermillNotebookClient

    class Client(PapermillNotebookClient):
        def __init__(self, nb_man, run):
            super().__init__(
                nb_man,
                kernel_name="python3",
                startup_timeout=MAX_SILENCE,
                iopub_timeout=MAX_SILENCE,
            )
            self.run = run
            self.on_cell_start = self._note_cell

        def _note_cell(self, cell, cell_index):
            self.run.cell = cell_index

        def create_kernel_manager(self):
            """Of the running interpreter, whatever other "python3" is installed."""
            manager = super().create_kernel_manager()
            manager.kernel_spec_manager.kernel_dirs = []
            return manager

        def start_new_kernel(self, **_):
            super().start_new_kernel(
                env=self.run.environment,
                cwd=str(self.run.cwd),
                stdout=subprocess.DEVNULL,  # not over the bar
                stderr=subprocess.DEVNULL,
            )
            self.run.family = Family(self.km.provisioner.process.pid)

        def papermill_execute_cells(self):
            process = self.km.provisioner.process
            try:
                super().papermill_execute_cells()
            except DeadKernelError:
                words = exit_words(process.poll())
                raise DeadKernelError(f"the kernel died ({words})") from None
            finally:
                # while it still leads to what it has started
                self.run.family.look()
            question = {"names": SUBSTITUTED}
            request = self.kc.execute(
                "", silent=True, user_expressions=question
            )
            content = self.wait_for_reply(request)["content"]
            answer = content.get("user_expressions", {}).get("names", {})
            names = answer.get("data", {}).get("text/plain", "[]")
            self.nb.metadata["toolkit"] = {
                "substituted": ast.literal_eval(names)
            }

    return Client


@dataclass(eq=False)
class Execution:
    """A notebook file to be executed, and how far that came.

    Its kernel starts in `cwd` with `environment`. `expected` are the seconds of each
    cell the last time. `nb` is the notebook as executed so far, `cell` the index of the
    cell that runs, `error` what `fail` notes, or None.
    """

    name: str
    notebook: Path
    cwd: Path
    environment: dict
    parameters: dict = field(default_factory=dict)
    expected: list = field(default_factory=lambda: [1.0])
    nb: dict | None = None
    cell: int = 0
    error: dict | None = None
    family: Family | None = None
    used: float = 0.0  # processor time when it was last seen to grow
    idle: int = 0  # looks since then

    @property
    def steps(self):
        """Seconds of each cell."""
        return [
            (cell.metadata.get("papermill") or {}).get("duration") or 0.0
            for cell in self.nb.cells
        ]

    def fail(self, name, says, cell=None, lines=()):
        """Note why it failed; the first reason counts.

        The exception, its message, the cell, the traceback.
        """
        reason = {
            "name": name,
            "says": says,
            "cell": cell,
            "lines": list(lines),
        }
        self.error = self.error or reason

    def end(self):
        if self.family is not None:
            self.family.end()

    def watch(self, limit, idle):
        """End it after the processor time `limit`, or `idle` seconds without any."""
        if self.family is None:
            return
        self.family.look()
        seconds = self.family.seconds
        self.idle += 1
        if seconds - self.used > MIN_LOAD * idle:
            self.used = seconds
            self.idle = 0
        if seconds > limit:
            name = "Timeout"
            says = (
                f"used more than the limit of {limit:g} s of processor time; allow more"
                " with TIMEOUT=SECONDS (make) or --timeout SECONDS"
            )
        elif self.idle * POLL_SECONDS > idle:
            name = "Hang"
            says = (
                f"used no processor time for {idle:g} s: it waits for something that"
                " does not come"
            )
        else:
            return
        self.fail(name, says, self.cell)
        self.end()


def run_notebooks(
    runs, n_jobs, limit, stop, conclude=lambda run: None, idle=IDLE_SECONDS
):
    """Execute `runs`, at most `n_jobs` at a time; those that came to an end.

    They end by themselves or by a limit. ``conclude(run)`` is called for each of these
    as soon as it has ended: what is done there is kept when `stop`, the signals that
    ask for an end, interrupts a later one. Its own errors are those of that notebook.
    """
    from tqdm import tqdm

    total = sum(sum(run.expected) for run in runs)
    ended = []
    with (
        tqdm(
            total=total,
            smoothing=0,
            bar_format=BAR,
            dynamic_ncols=True,
            disable=None,
        ) as bar,
        ThreadPoolExecutor(n_jobs) as pool,
    ):

        def say(run, what):
            tqdm.write(f"{run.name}: {what}", file=sys.stderr)

        def work(run):
            if stop:
                return
            if bar.disable:
                say(run, "started")
            try:
                execute(run)
            finally:
                run.end()  # what it left behind

        waiting = {pool.submit(work, run): run for run in runs}
        try:
            while waiting:
                done, _ = wait(waiting, POLL_SECONDS, FIRST_COMPLETED)
                for future in done:
                    run = waiting.pop(future)
                    future.result()
                    if not stop:
                        _conclude(run, conclude)
                        ended.append(run)
                        outcome = "FAILED" if run.error else "done"
                        say(run, f"{outcome}, {len(ended)} of {len(runs)}")
                for run in waiting.values():
                    run.watch(limit, idle)
                    if stop:
                        run.end()
                _move_bar(bar, total, waiting.values())
        finally:
            for future, run in waiting.items():
                future.cancel()
                run.end()
    return ended


def _move_bar(bar, total, waiting):
    """Cells that have ended move the bar by what they took the last time."""
    bar.n = total - sum(sum(run.expected[run.cell :]) for run in waiting)
    bar.set_postfix_str(
        "; ".join(
            f"{run.name} cell {run.cell + 1}/{len(run.nb.cells)}"
            for run in waiting
            if run.nb is not None
        )
    )


def _conclude(run, conclude):
    try:
        conclude(run)
    except Exception as error:  # it must not fail the others
        run.fail(type(error).__name__, str(error))
