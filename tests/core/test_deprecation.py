"""Old public names still work, and say what is new."""

import inspect

import pytest

from toolkit.core.deprecation import renamed_attribute, renamed_parameters


class Walk:
    @renamed_parameters(way="path")
    def __init__(self, path=1, *, steps=2):
        self.path, self.steps = path, steps

    way = renamed_attribute("way", "path")


def test_an_old_parameter_and_an_old_attribute_warn_and_work():
    with pytest.warns(FutureWarning, match="`way` is deprecated; its name is now `path`") as caught:
        walk = Walk(way=5, steps=3)
    assert (walk.path, walk.steps) == (5, 3) and caught[0].filename == __file__
    with pytest.warns(FutureWarning, match="now `path`"):
        assert walk.way == 5
    assert list(inspect.signature(Walk).parameters) == ["path", "steps"]


@pytest.mark.filterwarnings("error")
def test_new_names_do_not_warn_and_both_at_once_are_refused():
    assert Walk(path=4).path == Walk(4).path == 4
    with pytest.raises(TypeError, match="`path` is given twice"):
        Walk(path=4, way=5)
    with pytest.raises(TypeError, match="unexpected keyword"):
        Walk(ways=5)
