"""The bar is silent by default, and counts to the end where it is asked for."""

import pytest

from toolkit.core.progress import progress


def test_silent_by_default_and_a_bar_on_request(capfd):
    with progress(3, "rows", verbose=False) as done:
        done()
    assert capfd.readouterr() == ("", "")
    with progress(3, "rows", verbose=True) as done:
        done()
        done(2)
    out, err = capfd.readouterr()
    assert not out and "rows:" in err


@pytest.mark.parametrize("verbose", ["yes", None, 2, 0.5, [], float("nan")])
def test_other_values(verbose):
    with pytest.raises(ValueError, match="`verbose` must be True or False"), progress(1, "rows", verbose):
        pass
