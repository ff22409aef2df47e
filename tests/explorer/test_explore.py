"""The explorer on the kernel's side: frames, settings, what is stored."""

import base64
import importlib
import io
import sys
from functools import partial

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from PIL import Image
from pytest import fixture, importorskip, mark, raises

importorskip("anywidget")
from toolkit.explorer import Explorer, SampleInfo, Style
from toolkit.explorer.offline import offline_fragment, offline_module

Z = np.random.default_rng(0).normal(size=(30, 2))
Y = np.arange(30) % 3


def turn(angle):
    c = np.cos(angle)
    s = np.sin(angle)
    R = np.array([[c, -s], [s, c]])
    turned = Z @ R + angle
    return {
        "Z": turned,
        "anchors": Z[:2] @ R + angle,
        "segments": [np.r_[Z[0] @ R + angle, Z[1] @ R + angle]],
    }


def field(k=0, **changes):
    """A frame over a background of one colour."""
    background = np.full((4, 5, 3), k, dtype=np.uint8)
    frame = {
        "Z": Z,
        "background": background,
        "extent": (-4, 4, -5, 5),
        "rings": [7, 3, 7],
    }
    return frame | changes


def unchanging(frame, **options):
    """An explorer whose one slider has one value."""
    return Explorer(lambda k: frame, {"k": [1]}, **options)


def turning():
    options = {"labels": Y, "anchor_names": ["a", "b"], "title": "turning"}
    return Explorer(turn, {"angle": [0.0, 1.0, 2.0]}, **options)


@fixture
def explorer():
    return turning()


def test_turned_frames_come_out_still_and_carry_their_anchors_and_segments(
    explorer,
):
    for angle in (0.0, 1.0, 2.0):
        explorer.set(angle=angle)
        assert_allclose(explorer.embedding_, Z, atol=1e-6)
        overlay = explorer._frame["overlay"]
        assert_allclose(overlay["anchors"], Z[:2], atol=1e-5)
        expected = [np.r_[Z[0], Z[1]]]
        assert_allclose(overlay["segments"], expected, atol=1e-5)


def test_without_alignment_frames_stay_as_they_are():
    explorer = Explorer(
        lambda angle: turn(angle)["Z"],
        {"angle": [0.0, 1.0]},
        align=False,
        start={"angle": 1.0},
    )
    assert explorer.setting_ == {"angle": 1.0}
    assert_allclose(explorer.embedding_, turn(1.0)["Z"], atol=1e-6)


def test_limits_hold_every_frame_and_do_not_move():
    axes = {"size": [1, 3]}
    limits = Explorer(lambda size: size * Z, axes, align=False).limits
    x0, x1, y0, y1 = limits[0]
    assert limits[0] == limits[1]
    assert (3 * Z >= [x0, y0]).all() and (3 * Z <= [x1, y1]).all()
    explorer = Explorer(
        lambda size: size * Z, axes, align=False, rescale=["size"]
    )
    assert_allclose(explorer.limits[1], np.multiply(3, explorer.limits[0]))


def test_frames_are_computed_once_and_only_on_demand():
    calls = []

    def compute(a, b):
        calls.append((a, b))
        return a * b * Z

    explorer = Explorer(
        compute, {"a": [1, 2, 3], "b": [1, 2]}, precompute=False, align=False
    )
    for a, b in ((3, 2), (1, 1), (3, 2)):
        explorer.set(a=a, b=b)  # of both at once, no frame between
    assert calls == [(1, 1), (3, 2)] and explorer.grid == [[0, 0], [2, 1]]
    assert_allclose(explorer.embedding_, 6 * Z, atol=1e-5)


def test_an_error_is_shown_and_the_slider_goes_on():
    def compute(k):
        if k == 2:
            raise RuntimeError("does not converge")
        return Z * k

    explorer = Explorer(compute, {"k": [1, 2, 3]}, precompute=False)
    explorer.value_k = 2  # as a slider does
    assert explorer.error == "RuntimeError: does not converge"
    assert explorer.setting_ == {"k": 1}  # that of the picture
    with raises(RuntimeError, match="does not converge") as caught:
        explorer.set(k=2)
    assert caught.value.__notes__ == [
        "`compute` raised this at the setting {'k': 2}."
    ]
    explorer.set(k=3)
    assert explorer.error == "" and explorer.setting_ == {"k": 3}


def test_images_of_few_grey_values_are_not_black():
    images = np.full((30, 2, 2), 16)
    faint = unchanging(Z, samples=SampleInfo(images=images)).images
    full_images = unchanging(
        Z, samples=SampleInfo(images=np.full((30, 2, 2), 255))
    ).images
    assert set(faint) == set(full_images) == {255}


def test_kinds_of_axes():
    axes = {"a": np.linspace(0, 1, 3), "b": [True, False], "c": ["x", "y"]}
    explorer = Explorer(lambda a, b, c: Z, axes)
    assert [axis["kind"] for axis in explorer.axes] == [
        "number",
        "bool",
        "choice",
    ]
    setting = {"a": 0.5, "b": False, "c": "y"}
    explorer.set(**setting)
    assert explorer.setting_ == setting and explorer._frame["at"] == [1, 1, 1]


def test_a_slider_of_somebody_else_moves_to_the_nearest_value():
    axes = {"k": [1, 2.5, 4], "s": ["x", "y"]}
    explorer = Explorer(lambda k, s: k * Z, axes, align=False)
    explorer.value_k = 3.9
    assert explorer.setting_ == {"k": 4, "s": "x"} and explorer.value_k == 4
    assert_allclose(explorer.embedding_, 4 * Z, rtol=1e-6)
    for name, value in {"value_s": "z", "value_k": "1"}.items():
        with raises(ValueError, match="value of a slider must be one of"):
            setattr(explorer, name, value)
    assert explorer.setting_ == {"k": 4, "s": "x"}


def test_code_is_that_of_the_setting_as_a_template_and_as_a_function():
    axes = {"how": ['it\'s "so"', "y"], "flag": [True, False]}
    filled = Explorer(
        lambda how, flag: Z, axes, code="[{how}, {flag}, {other}]"
    )
    filled.set(flag=False)
    assert eval(filled.code_, {"other": 4}) == ['it\'s "so"', False, {4}]
    made = Explorer(
        lambda how, flag: Z, axes, code=lambda how, flag: f"{how}{flag}"
    )
    assert made.code_ == made.overlays[0]["code"] == 'it\'s "so"True'


def test_columns_are_numbers_with_gaps_or_categories():
    import pandas as pd

    days = pd.date_range("2020-01-01", periods=30)
    table = {"age": np.where(Y, Z[:, 0], np.nan), "day": days.where(Y > 0)}
    table["n"] = Y
    table["kind"] = np.array(["b", "a", None], dtype=object)[Y]
    table["yes"] = Y > 0
    pairs_of_rows = np.r_[np.arange(12), np.arange(18) // 2]
    table["rare"] = pairs_of_rows.astype(str)
    samples = SampleInfo(columns=pd.DataFrame(table))
    sent = unchanging(Z, samples=samples).columns
    assert [column["name"] for column in sent] == list(table)
    kinds = ["number"] * 3 + ["category"] * 3
    assert [column["kind"] for column in sent] == kinds
    age, day, _, kind, yes, rare = sent
    assert_array_equal(np.frombuffer(age["values"], dtype="<f8"), table["age"])
    assert kind["names"] == ["missing", "a", "b"] and kind["codes"][:3] == [
        2,
        1,
        0,
    ]
    assert yes["names"] == ["False", "True"]
    # ten have colours, and the two rarest one grey
    assert (
        len(rare["names"]) == 12
        and len({color for color, _ in rare["styles"]}) == 11
    )
    assert day["texts"][:2] == ["", "2020-01-02"]


def test_selection_is_readable_and_shared(explorer):
    other = turning()
    explorer.link(other)
    other.selected = [3, 5]
    assert explorer.selected_.tolist() == [3, 5]
    assert explorer.group == other.group != ""
    with raises(ValueError, match="must have the same number of samples"):
        explorer.link(unchanging(Z[:5]))


def test_mime_bundle_is_stable_text_and_a_png(explorer):
    first, metadata = explorer._repr_mimebundle_()
    bundle_again, _ = turning()._repr_mimebundle_()
    assert isinstance(first["image/png"], str)
    assert base64.b64decode(first["image/png"]).startswith(b"\x89PNG")
    assert first["image/png"] == bundle_again["image/png"]
    assert first["text/plain"] == bundle_again["text/plain"]
    assert "30 samples of 3 classes at angle = 0" in first["text/plain"]
    assert metadata["image/png"]["alt"] == first["text/plain"]
    assert "application/vnd.jupyter.widget-view+json" in first


def anchored(**changes):
    return {"Z": Z, "anchors": Z[:2]} | changes


def coloured(shape, dtype="uint8"):
    return anchored(background=np.zeros(shape, dtype), extent=(0, 1, 0, 1))


WRONG_FRAMES = {
    r"at {'k': 1} what cannot be drawn: `Z` must have shape \(n, 2\)": Z[:, :1],
    "`Z` must hold at least one sample": Z[:0],
    r"must return Z, or a dict of Z, bars.*at {'k': 1} it returned a dict of .'X'": {
        "X": Z
    },
    "`compute` returned None at {'k': 1}. .* does it end with `return`": None,
    "dict of .1, 'Z'": {1: Z, "Z": Z},
    r"one per name of `anchor_names` \(2\); got 1": anchored(anchors=Z[:1]),
    "`hover` must be a sequence of 30 names": anchored(hover=["x"]),
    "`links` must hold numbers of anchors": anchored(links=np.full((30, 2), 2)),
    r"`links` must have shape \(30, q\)": anchored(links=np.ones((3, 1))),
    "numbers of samples, not True and False": anchored(rings=Y == 1),
    "`rings` must hold numbers of samples": anchored(rings=[0, 30]),
    "`background` and `extent` belong together": anchored(extent=(0, 1, 0, 1)),
    r"\(h, w, 3\) and type uint8": coloured((4, 5)),
    r"shape \(0, 5, 3\)": coloured((0, 5, 3)),
    "`extent` must be .*y_min < y_max": coloured((4, 5, 3))
    | {"extent": (0, 1, 2, 2)},
}


@mark.parametrize("says, frame", WRONG_FRAMES.items())
def test_wrong_frames_are_an_error(frame, says):
    with raises(ValueError, match=says):
        unchanging(frame, anchor_names=["a", "b"])


WRONG_OPTIONS = {
    "`labels` must have the same number of samples; got 30 and 3": {
        "labels": Y[:3]
    },
    r"one name per class \(3\); got 1": {"labels": Y, "label_names": ["a"]},
    "from 0 to 3": {"labels": Y + 2, "label_names": list("abcd")},
    r"shape \(30, h, w\)": {"samples": SampleInfo(images=np.zeros((30, 4)))},
    "`columns` must be a dict": {"samples": SampleInfo(columns=[1])},
    "`rescale` must name axes": {"rescale": ["width"]},
    "`k` must be one of": {"start": {"k": 2}},
    "`start` or `set` names no axis": {"start": {"j": 1}},
    "`start` must be a dict of one value per axis": {"start": ["k"]},
    r"`anchor_classes` must have shape \(0,\); got shape \(1,\)": {
        "style": Style(anchor_classes=[0])
    },
    "`code` must be a text, or a function .*; got 1": {"code": lambda k: k},
    r"`axes` must name at least one slider .*; got \['k'\]": {"axes": ["k"]},
    "`axes.'k'.` must hold finite numbers, .* at least one": {"axes": {"k": 5}},
    "that differ": {"axes": {"k": [1, 1]}},
    "finite numbers": {"axes": {"k": [1, np.nan]}},
    "finite numbers, booleans or strings": {"axes": {"k": [1, "x"]}},
    "`compute` must be a function of k; missing a required argument": {
        "compute": lambda k, j: Z
    },
    "`compute` must be a function of k; 3 is not a callable": {"compute": 3},
    "2001 settings, more than 2000": {"axes": {"k": list(range(2001))}},
}


@mark.parametrize("says, wrong", WRONG_OPTIONS.items())
def test_wrong_options_are_an_error(wrong, says):
    with raises(ValueError, match=says):
        Explorer(**{"compute": lambda k: Z, "axes": {"k": [1]}} | wrong)


@mark.parametrize(
    "text", ["$x^$", r"$\input{/etc/passwd}$", "a\ud800", "_hidden", ""]
)
def test_words_that_matplotlib_reads_otherwise_are_shown_as_they_are(text):
    names = {
        "labels": Y,
        "label_names": [text, "b", "c"],
        "anchor_names": [text],
        "axis_names": (text, text),
    }
    map_of = unchanging({"Z": Z, "anchors": Z[:1]}, title=text, **names)
    bars = unchanging(
        {"bars": [[0, 1], [0, 2]]}, bar_names=[text, "b"], title=text
    )
    for explorer in (map_of, bars):
        assert explorer._repr_mimebundle_()[0]["image/png"]


def test_samples_of_one_side_are_outlines_in_the_picture_and_in_its_poster(
    still,
):
    sides = ["source"] * 20 + ["target"] * 10
    explorer = unchanging(Z, labels=Y, samples=SampleInfo(sides=sides))
    assert explorer.outlined == [True] * 20 + [False] * 10
    assert (
        explorer.side_names == ["source", "target"]
        and len(explorer.styles) == 3
    )
    plain = unchanging(Z, labels=Y)
    assert plain.outlined == [] and (still(explorer) != still(plain)).any()


def test_hover_texts_links_and_names_of_axes_change_with_the_frame():
    def view(k):
        hover = [f"{k}: {i}" for i in range(30)]
        changes = {
            "hover": hover,
            "links": np.full((30, 1), k),
            "axis_names": (f"axis {k}", "y"),
        }
        return anchored(**changes)

    overlays = Explorer(view, {"k": [0, 1]}, anchor_names=["a", "b"]).overlays
    for k, overlay in enumerate(overlays):
        assert overlay["hover"][3] == f"{k}: 3" and overlay["links"][0] == [k]
        assert overlay["axis_names"] == [f"axis {k}", "y"]


def background_of(explorer, number):
    """The background of a frame as the browser finds it, its first row below."""
    number_of_picture, at = explorer.overlays[number]["background"]["at"]
    return pixels(getattr(explorer, f"backgrounds_{number_of_picture}")[at])[
        ::-1
    ]


def pixels(png):
    with Image.open(io.BytesIO(png)) as picture:
        assert (picture.format, picture.mode) == ("PNG", "RGB")
        return np.array(picture)


def test_backgrounds_and_rings_come_with_their_frames_in_exactly_their_colours():
    y, x = np.mgrid[:60, :80]
    # every row and column differs
    channels = [x, 2 * y, 255 - x]
    many_colours = np.stack(channels, axis=-1).astype(np.uint8)
    frames = [Z, field(1), field(background=many_colours)]
    explorer = Explorer(lambda k: frames[k], {"k": [0, 1, 2]}, labels=Y)
    assert not {"background", "rings"} & set(explorer.overlays[0])
    for k in (1, 2):
        assert_array_equal(background_of(explorer, k), frames[k]["background"])
        assert explorer.overlays[k]["background"]["extent"] == [-4, 4, -5, 5]
        assert explorer.overlays[k]["rings"] == [3, 7]
    # beyond the samples, hence without a margin; samples outside have one
    assert explorer.limits[0] == [-4, 4, -5, 5]
    x0, x1, y0, y1 = unchanging(field(extent=(-9, 0, 0, 0.1))).limits[0]
    assert (
        x0 == -9
        and x1 > Z[:, 0].max()
        and y0 < Z[:, 1].min()
        and y1 > Z[:, 1].max()
    )


def test_frames_with_a_background_stay():
    explorer = Explorer(lambda k: field(Z=turn(k)["Z"]), {"k": [0.0, 1.0]})
    explorer.set(k=1.0)
    assert_allclose(explorer.embedding_, turn(1.0)["Z"], atol=1e-6)


def test_a_background_is_sent_once_and_stays_in_the_state(monkeypatch):
    sent = []
    axes = {"k": list(range(8))}
    explorer = Explorer(
        lambda k: field(k // 2), axes, precompute=False, start={"k": 6}
    )
    monkeypatch.setattr(
        type(explorer),
        "_send",
        lambda self, message, buffers: sent.extend(buffers),
    )
    for k in (4, 5, 2, 7, 4):
        explorer.set(k=k)
    pictures = [bytes(b) for b in sent if bytes(b[:4]) == b"\x89PNG"]
    # k = 5 looks like 4, and 7 like 6, which came before
    assert [pixels(b)[0, 0, 0] for b in pictures] == [2, 1]
    assert [background_of(explorer, i)[0, 0, 0] for i in range(5)] == [
        1,
        2,
        2,
        3,
        3,
    ]
    assert {f"backgrounds_{i}" for i in range(3)} <= set(explorer.get_state())


def test_the_still_picture_shows_background_and_rings(still):
    def picture(**changes):
        return still(unchanging(field(200, **changes), labels=Y))

    assert (picture() == 200).all(axis=2).sum() > 10_000
    assert (picture() != picture(rings=[])).any()
    pixels = [[[10, 200, 10]], [[0, 0, 0]]]
    low = np.array(pixels, dtype=np.uint8)
    image = picture(background=low)  # whose first row is the lower half
    is_low = (image == low[0, 0]).all(axis=2)
    rows = np.flatnonzero(is_low.sum(axis=1) > 50)
    assert rows.min() > 0.4 * len(image)


def test_an_offline_fragment_cannot_end_its_script():
    state = {"frames": [], "title": "</script><b>", "_esm": "x", "layout": "y"}
    html = offline_fragment({"p": {"state": state}}, "p")
    assert html.count("</script>") == 1 and "_esm" not in html
    assert offline_fragment({"p": {"state": {}}}, "p") is None
    assert offline_fragment({}, "unknown") is None
    assert "http" not in offline_module().replace("http://www.w3.org", "")


def test_without_anywidget_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    for module in ("", ".explorer", ".model"):
        monkeypatch.delitem(sys.modules, f"toolkit.explorer{module}")
    with raises(
        ImportError, match=r'pip install -e ".\[explore\]" in the clone'
    ):
        importlib.import_module("toolkit.explorer")


def test_a_colouring_of_a_map_is_a_column():
    def coloured(k, name="height"):
        return {"Z": np.eye(4)[:, :2], "color_by": name}

    columns = SampleInfo(columns={"height": [1, 2, 3, 4]})
    explorer = Explorer(coloured, {"k": [1]}, samples=columns)
    assert explorer.overlays[0]["color_by"] == "height"
    with raises(
        ValueError,
        match="`color_by` must be one of .*height.*returned 'width' at {'k': 1}",
    ):
        Explorer(partial(coloured, name="width"), {"k": [1]}, samples=columns)


def test_dates_have_a_time_of_day_where_one_of_them_has():
    days = np.array(["2020-01-02", "2020-01-03T06:30", "NaT"], "datetime64[s]")
    midnight = days.astype("datetime64[D]").astype("datetime64[s]")
    for dates, texts in (
        (days, ["2020-01-02T00:00:00", "2020-01-03T06:30:00", ""]),
        (midnight, ["2020-01-02", "2020-01-03", ""]),
    ):
        columns = {"day": dates}
        samples = SampleInfo(columns=columns)
        explorer = Explorer(
            lambda k: np.eye(3)[:, :2], {"k": [1]}, samples=samples
        )
        assert explorer.columns[0]["texts"] == texts
