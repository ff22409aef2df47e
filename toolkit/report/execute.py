"""Execution of one notebook with papermill, in a process of its own.

The runner starts ``python -m toolkit.report.execute JOB``, where JOB is a JSON file with the keys ``notebook``,
``output`` and ``parameters``. What happens is told on the standard output, one JSON object per line: ``{"cell": i}``
when cell i begins and, last, ``{"done": true}`` or ``{"error": {...}}`` with the cell, the exception and its traceback.
One process per notebook means that one that hangs can be ended, that one that crashes takes nothing else with it, and
that thread counts are set before any library is loaded. The time limits are the runner's.
"""

import ast
import json
import os
import re
import shutil
import sys
import threading
import traceback
from importlib.metadata import version
from pathlib import Path

from .processes import end_with, how_it_ended

__all__ = ["FIXED", "KERNELS", "THREADS", "kernel_environment", "run"]

# One thread for every numerical library: some results have other bytes with two threads than with one. How much that
# changes is what `make matrix` looks at, by TOOLKIT_THREADS.
LIBRARIES = ("OMP_NUM", "OPENBLAS_NUM", "MKL_NUM", "BLIS_NUM", "NUMEXPR_NUM", "VECLIB_MAXIMUM")
THREADS = {f"{name}_THREADS": os.environ.get("TOOLKIT_THREADS", "1") for name in LIBRARIES}


def _kernels(processor=Path("/proc/cpuinfo")):
    """Variables by which OpenBLAS and NumPy compute alike on all processors of x86-64 that have AVX2.

    On those with AVX-512 they would take other kernels, which add in another order: errors of maps differ in the third
    digit. Older processors do not have what is asked for here, others take no notice of it: they get nothing.
    """
    try:
        flags = re.search(r"^flags\s*:(.*)$", processor.read_text(encoding="ascii"), re.MULTILINE)
    except (OSError, UnicodeError):
        return {}
    if flags is None or not {"avx2", "fma"} <= set(flags[1].split()):
        return {}
    groups = "X86_V4 AVX512_ICL AVX512_SPR"
    if tuple(map(int, version("numpy").split(".")[:2])) < (2, 4):  # they had other names
        groups = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
    return {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": groups}


KERNELS = _kernels()

# The last silences a warning of the debugger that every kernel would print.
FIXED = {"PYTHONHASHSEED": "0", "MPLBACKEND": "module://matplotlib_inline.backend_inline"}
FIXED["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"

# Seconds without an answer of a kernel that lives. The runner ends what hangs, and a loaded machine is not to.
MAX_SILENCE = 24 * 3600

# Notebooks hold no international addresses, and the checker of those takes a second to import, nbformat with it.
sys.modules.setdefault("rfc3987_syntax", None)

# Asked of the kernel after the last cell. The module is looked up, not imported: a notebook without data has none.
SUBSTITUTED = "sorted(m.substituted()) if (m := __import__('sys').modules.get('toolkit.datasets')) else []"

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def kernel_environment(**extra):
    """Environment in which kernels give the same numbers and pictures everywhere.

    A copy of this process's, with one thread and the same kernels of each library, a fixed hash seed and inline
    pictures, and with `extra` on top (a value of None takes the variable away).
    """
    merged = os.environ | THREADS | KERNELS | FIXED | extra
    return {name: value for name, value in merged.items() if value is not None}


def run(job, tell):
    """Execute the notebook of `job`, tell about each step (see the module's docstring); whether every cell ran."""
    import papermill
    from papermill.exceptions import PapermillExecutionError

    _register_engine()
    begun = [0]  # cells

    def on_cell_start(cell, cell_index):
        begun.append(cell_index)
        tell({"cell": cell_index})

    def fail(cell, name, says, lines):
        tell({"error": {"cell": cell, "name": name, "says": says, "lines": lines}})
        return False

    notebook, output = Path(job["notebook"]).resolve(), Path(job["output"]).resolve()
    _use_this_interpreter(output.parent)
    options = {"engine_name": "toolkit", "kernel_name": "python3", "language": "python", "progress_bar": False}
    options |= {"autosave_cell_every": 0, "on_cell_start": on_cell_start}
    options["cwd"] = job.get("cwd") or str(notebook.parent)  # as nbval and JupyterLab have it
    try:
        papermill.execute_notebook(str(notebook), str(output), parameters=job["parameters"], **options)
    except PapermillExecutionError as error:
        lines = ANSI.sub("", "\n".join(error.traceback)).splitlines()
        return fail(error.cell_index, error.ename, error.evalue, lines)
    except Exception as error:  # a kernel that died, a full disk, a file that is no notebook: all end here
        told = type(error).__module__.startswith("nbclient")  # its message says all; our own stack would not help
        lines = [] if told else traceback.format_exc().splitlines()
        return fail(begun[-1], type(error).__name__, str(error).strip().partition("\n")[0], lines)
    tell({"done": True})
    return True


def _register_engine():
    """papermill's own engine, which also notes in the notebook which data were substituted."""
    from nbclient.exceptions import DeadKernelError
    from papermill.clientwrap import PapermillNotebookClient
    from papermill.engines import NBClientEngine, papermill_engines

    class Client(PapermillNotebookClient):
        def papermill_execute_cells(self):
            process = self.km.provisioner.process
            try:
                super().papermill_execute_cells()
            except DeadKernelError:
                raise DeadKernelError(f"the kernel died ({how_it_ended(process.poll())})") from None
            names = self._ask(SUBSTITUTED).get("data", {}).get("text/plain", "[]")
            self.nb.metadata["toolkit"] = {"substituted": ast.literal_eval(names)}

        def _ask(self, expression):
            """What the kernel says about the value of an expression."""
            request = self.kc.execute("", silent=True, user_expressions={"asked": expression})
            return self.wait_for_reply(request)["content"].get("user_expressions", {}).get("asked", {})

    class Engine(NBClientEngine):
        @classmethod
        def execute_managed_notebook(cls, nb_man, kernel_name, on_cell_start, **_):
            patience = {"startup_timeout": MAX_SILENCE, "iopub_timeout": MAX_SILENCE}
            options = {"kernel_name": kernel_name, "on_cell_start": on_cell_start, **patience}
            try:
                Client(nb_man, **options).execute()
            except RuntimeError as error:
                if "died before replying" not in str(error):
                    raise
                # Ports that were free when they were chosen were taken when the kernel asked for them.
                Client(nb_man, **options).execute()

    papermill_engines.register("toolkit", Engine)


def _use_this_interpreter(folder):
    """Put a kernel "python3" of the running interpreter, written into `folder`, before any other of that name."""
    from ipykernel.kernelspec import write_kernel_spec

    shutil.rmtree(folder / "kernels", ignore_errors=True)  # of a run that a dying worker has left
    write_kernel_spec(folder / "kernels" / "python3")
    others = os.environ.get("JUPYTER_PATH")
    os.environ["JUPYTER_PATH"] = os.pathsep.join([str(folder), *([others] if others else [])])
    os.environ["IPYTHONDIR"] = str(folder / "ipython")  # no start-up files of the user's


def main(argv=None):
    threading.Thread(target=end_with, args=[os.getppid()], daemon=True).start()
    (path,) = sys.argv[1:] if argv is None else argv
    # Libraries print to the standard output too: the lines of the protocol keep a channel of their own.
    channel = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def tell(event):
        print(json.dumps(event), file=channel, flush=True)

    return 0 if run(json.loads(Path(path).read_text(encoding="utf-8")), tell) else 1


if __name__ == "__main__":
    sys.exit(main())
