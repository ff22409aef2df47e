"""What tests of looks share."""

from pytest import fixture
from small_tables import quick_looks


@fixture(scope="module")
def quick():
    with quick_looks():
        yield
