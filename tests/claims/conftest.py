"""How the experiments run."""

from pytest import fixture, mark


def pytest_itemcollected(item):
    """Warnings of an experiment are no news; in a parallel run, tests that share a
    fixture of their module, which takes long, run in one process.
    """
    item.add_marker(mark.filterwarnings("ignore"))
    for definitions in item._fixtureinfo.name2fixturedefs.values():
        if definitions[-1].scope == "module":
            item.add_marker(mark.xdist_group(definitions[-1].argname))
            break


@fixture(scope="session")
def by_scale(scale):
    """Function (quick, default, paper): the one of the run's scale."""
    return lambda *values: values[("quick", "default", "paper").index(scale)]
