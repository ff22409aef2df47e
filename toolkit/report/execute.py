"""Execution of one notebook with papermill, in a kernel of the running interpreter.

The kernel is a process of its own: one that hangs can be ended, one that crashes takes
nothing else with it, and its numbers of threads are set before any library is loaded.
The time limits are the runner's.
"""

import ast
import os
import re
import subprocess
import sys
import traceback
from importlib.metadata import version
from pathlib import Path

from .processes import Family, how_it_ended

# One thread for every numerical library: some results have other bytes with two threads
# than with one. How much that changes is what `make matrix` looks at, by
# TOOLKIT_THREADS.
LIBRARIES = (
    "OMP_NUM",
    "OPENBLAS_NUM",
    "MKL_NUM",
    "BLIS_NUM",
    "NUMEXPR_NUM",
    "VECLIB_MAXIMUM",
)
THREADS = {
    f"{name}_THREADS": os.environ.get("TOOLKIT_THREADS", "1") for name in LIBRARIES
}


def _kernels(processor=Path("/proc/cpuinfo")):
    """Variables by which OpenBLAS and NumPy compute alike on all processors of x86-64 that have AVX2.

    On those with AVX-512 they would take other kernels, which add in another order:
    errors of maps differ in the third digit. Older processors do not have what is asked
    for here, others take no notice of it: they get nothing.
    """
    try:
        flags = re.search(
            r"^flags\s*:(.*)$", processor.read_text(encoding="ascii"), re.MULTILINE
        )
    except (OSError, UnicodeError):
        return {}
    if flags is None or not {"avx2", "fma"} <= set(flags[1].split()):
        return {}
    groups = "X86_V4 AVX512_ICL AVX512_SPR"
    # they had other names
    if tuple(map(int, version("numpy").split(".")[:2])) < (2, 4):
        groups = (
            "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
        )
    return {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": groups}


KERNELS = _kernels()

# The last silences a warning of the debugger that every kernel would print.
FIXED = {
    "PYTHONHASHSEED": "0",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
}
FIXED["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"

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


def kernel_environment(**extra):
    """Environment in which kernels give the same numbers and pictures everywhere.

    A copy of this process's, with one thread and the same kernels of each library, a
    fixed hash seed and inline pictures, and with `extra` on top (a value of None takes
    the variable away).
    """
    merged = os.environ | THREADS | KERNELS | FIXED | extra
    return {name: value for name, value in merged.items() if value is not None}


def execute(run):
    """Execute the notebook of `run`, an `Execution`; sets its `nb`, `family`, `cell` and `error` as it goes on."""
    import papermill
    from papermill.exceptions import PapermillExecutionError

    _register_engine()
    options = {
        "engine_name": "toolkit",
        "kernel_name": "python3",
        "language": "python",
        "progress_bar": False,
    }
    options |= {"autosave_cell_every": 0, "run": run}
    try:
        papermill.execute_notebook(
            str(run.notebook), None, parameters=run.parameters, **options
        )
    except PapermillExecutionError as error:
        lines = ANSI.sub("", "\n".join(error.traceback)).splitlines()
        run.fail(error.ename, error.evalue, error.cell_index, lines)
    except Exception as error:
        # a kernel that died, no memory for a process, a file that is no notebook
        # its message says all; our own stack would not help
        told = type(error).__module__.startswith("nbclient")
        lines = [] if told else traceback.format_exc().splitlines()
        run.fail(
            type(error).__name__, str(error).strip().partition("\n")[0], run.cell, lines
        )


def _register_engine():
    """papermill's own engine, with a kernel as `run` wants it, which also notes which data were substituted."""
    from nbclient.exceptions import DeadKernelError
    from papermill.clientwrap import PapermillNotebookClient
    from papermill.engines import NBClientEngine, papermill_engines

    class Client(PapermillNotebookClient):
        def __init__(self, nb_man, run):
            patience = {"startup_timeout": MAX_SILENCE, "iopub_timeout": MAX_SILENCE}
            super().__init__(nb_man, kernel_name="python3", **patience)
            self.run, self.on_cell_start = run, self._note_cell

        def _note_cell(self, cell, cell_index):
            self.run.cell = cell_index

        def create_kernel_manager(self):
            """Of the running interpreter, whatever other kernels have been installed as "python3"."""
            manager = super().create_kernel_manager()
            manager.kernel_spec_manager.kernel_dirs = []
            return manager

        def start_new_kernel(self, **_):
            # not over the bar
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            super().start_new_kernel(
                env=self.run.environment, cwd=str(self.run.cwd), **quiet
            )
            self.run.family = Family(self.km.provisioner.process.pid)

        def papermill_execute_cells(self):
            process = self.km.provisioner.process
            try:
                super().papermill_execute_cells()
            except DeadKernelError:
                raise DeadKernelError(
                    f"the kernel died ({how_it_ended(process.poll())})"
                ) from None
            finally:
                self.run.family.look()  # while it still leads to what it has started
            request = self.kc.execute(
                "", silent=True, user_expressions={"names": SUBSTITUTED}
            )
            answer = (
                self.wait_for_reply(request)["content"]
                .get("user_expressions", {})
                .get("names", {})
            )
            names = answer.get("data", {}).get("text/plain", "[]")
            self.nb.metadata["toolkit"] = {"substituted": ast.literal_eval(names)}

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
