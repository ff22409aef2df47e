"""Settings of the whole test run, and which stored notebook outputs can be compared on this machine."""

import gc
import os
import random
import warnings

import pytest

# As in the runner, and set before a library is loaded: results then do not depend on cores or kind of processor.
from toolkit.report.execute import KERNELS, THREADS

os.environ.update(THREADS | KERNELS | {"PYTHONHASHSEED": "0"})
for variable in ("TOOLKIT_CLAIMS_DIR", "TOOLKIT_FIGURES", "MPLBACKEND"):
    # else the experiments leave what they measure there
    if "TOOLKIT_MEASURE" not in os.environ:
        os.environ.pop(variable, None)

# In a parallel run the other cores are taken: `n_jobs=-1` then starts no processes, which load all libraries anew.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ["LOKY_MAX_CPU_COUNT"] = "1"

# Searched for doctests they would be imported a second time, and all under one name.
collect_ignore_glob = ["*conftest.py"]

# Their tests share what takes seconds to make, such as a page: it is made in one process.
TOGETHER = {"test_backends", "test_claims_stale", "test_comparison", "test_contract", "test_docs", "test_equations",
            "test_layers", "test_look_explorers", "test_look_page", "test_look_parts", "test_own_notebooks",
            "test_report", "test_transfer", "test_transfer_kernel"}  # fmt: skip
# and so do all of this folder, with one browser; the course is shown there, too
IN_BROWSER = "browser"

NOT_COMPARED = pytest.StashKey[dict]()


def pytest_configure(config):
    config.stash[NOT_COMPARED] = {}


def pytest_itemcollected(item):
    """The cells of a notebook run in one process, in their order, and so do tests that share much."""
    if _is_cell(item):
        item.add_marker(pytest.mark.xdist_group(item.parent.name))
    elif item.path.parent.name == IN_BROWSER or item.path.stem == "test_course":
        slow = item.get_closest_marker("slow")  # those that start JupyterLab
        item.add_marker(pytest.mark.xdist_group("lab" if slow else IN_BROWSER))
    elif (
        "cluster" in getattr(item, "fixturenames", ())
        or item.path.stem == "test_scale"
    ):
        # several clusters at once test the machine
        item.add_marker(pytest.mark.xdist_group("workers of Dask"))
    elif item.path.stem in TOGETHER:
        item.add_marker(pytest.mark.xdist_group(item.path.stem))


def _is_cell(item):
    return type(item).__name__ == "IPyNbCell"


def _shuffled(items, seed):
    """Tests in another order, for a look at what depends on it; cells stay together and in theirs."""
    blocks = {}
    for item in items:
        blocks.setdefault(
            item.parent.nodeid if _is_cell(item) else item.nodeid, []
        ).append(item)
    blocks = list(blocks.values())
    random.Random(seed).shuffle(blocks)
    return [item for block in blocks for item in block]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Execute, but do not compare, the notebooks whose data differ from those of the stored run."""
    if seed := os.environ.get("TOOLKIT_TEST_ORDER"):
        items[:] = _shuffled(items, seed)
    from tests.available_data import other_data
    from toolkit.report.dependence import data_sets_of

    reasons = {}
    for item in items:
        if not _is_cell(item):
            continue
        notebook = item.parent
        if notebook not in reasons:
            reasons[notebook] = other_data(data_sets_of(notebook.nb))
            # progress bars and warnings: not stored either
            notebook.skip_compare += ("stderr",)
        if reasons[notebook]:
            item.options["check"] = False
            config.stash[NOT_COMPARED][notebook.path.name] = reasons[notebook]


def pytest_collection_finish():
    """What is loaded by now stays: collections of garbage, of which joblib makes one for each loop, leave it out."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item):
    """Where any warning is an error, what earlier tests left to the collector of garbage is collected before."""
    if any(
        "error" in mark.args for mark in item.iter_markers("filterwarnings")
    ):
        with warnings.catch_warnings(action="ignore"):
            gc.collect()


def pytest_terminal_summary(terminalreporter, config):
    for name, reason in config.stash[NOT_COMPARED].items():
        terminalreporter.write_line(
            f"{name}: executed, NOT compared with its stored outputs: {reason}"
        )
