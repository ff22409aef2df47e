"""The explorer: sliders over one call and one picture. No mathematics here.

    explorer = Explorer(compute, axes={"lam": [0, 0.5, 1]}, labels=y)

shows `compute(lam=...)`, an (n, 2) map or bars of features. It is one anywidget:
`explore.js` draws controls and picture, in a notebook and in a page on disk, and plays
what is computed. The kernel computes the other settings.
"""

import itertools
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..core import (
    check_flag,
    check_names,
    check_option,
    check_same_length,
    names_or,
    require,
    require_that,
    write_text,
)
from ..plots.pictures import as_base64, lossless_png
from .frames import (
    KINDS,
    align_frame,
    check_axes,
    check_call,
    check_frame,
    code_of,
    common_limits,
    overlay,
)
from .offline import check_page, offline_fragment, offline_page
from .progress import track
from .samples import SampleInfo, Style, ensure, sample_traits, styles_of_anchors
from .static_picture import snapshot

try:
    import anywidget
    import ipywidgets.embed
    import traitlets
    from traitlets import Bool, Bytes, Int, List, Unicode
except ImportError as error:  # the rest of the package works without
    remedy = 'pip install -e ".[explore]" in the clone'
    raise ImportError(
        f"Explorers need ipywidgets and anywidget: {remedy} ({error})."
    ) from error

MAX_FRAMES = 2000
# of a map, and of bars
AXIS_NAMES = {False: ("axis 1", "axis 2"), True: ("feature", "relevance")}


class Choice(traitlets.Enum):
    """One of some values; of numbers, as another slider may give them, the nearest."""

    def validate(self, explorer, value):
        types = {type(value), *map(type, self.values)}
        if types <= KINDS["number"] and value == value:
            return min(self.values, key=lambda v: abs(v - value))
        ensure(
            value in self.values,
            f"The value of a slider must be one of {self.values}; got {value!r}.",
        )
        return self.values[self.values.index(value)]


class Explorer(anywidget.AnyWidget):
    """Sliders over a map of labelled samples, or over bars of features.

    Parameters
    ----------
    compute : callable
        Called with one value of each axis by name; returns the map `Z` (n, 2), or a
        dict with ``Z``, or instead of it ``bars`` (n, 2), ends of the bar of each of n
        features, 0 <= lower <= upper. Bars are at x = 1, 2, ... n; statements on
        samples below then hold for features. Optional entries of the dict: ``anchors``
        (m, 2), points with names such as label points or prototypes; ``segments`` (s,
        4), lines x0, y0, x1, y1; ``status``, one line of text; ``hover``, a text per
        sample, instead of that of `samples`; ``links`` (n, q), numbers of the anchors
        to which lines are drawn from the sample under the pointer; ``background``, a
        picture (h, w, 3) of uint8 RGB drawn under everything, its first row at the
        bottom, together with ``extent``, the outer edges (x_min, x_max, y_min, y_max)
        of its pixels; ``rings``, numbers of the samples to be ringed, such as those
        that a classifier misclassifies; ``color_by``, the column of `samples` that
        colours them when this map appears; ``axis_names``, a pair that replaces
        `axis_names` below.
    axes : dict of str to sequence
        The values of each slider: numbers (a slider), booleans (a check box) or strings
        (a list).
    labels : array-like of shape (n,) or None, default=None
        Class of each sample, any values that `numpy.unique` sorts; it determines colour
        and marker.
    label_names : sequence of str or None, default=None
        Names of the classes in sorted order.
    samples : SampleInfo or None, default=None
        Further data on the samples: names, columns, texts, images, sides.
    bar_names : sequence of n str or None, default=None
        Names of the features that have bars. None: their numbers from 1.
    anchor_names : sequence of m str, default=()
        Names of the anchors.
    axis_names : pair of str or None, default=None
        Names of the axes. None: "axis 1" and "axis 2", for bars "feature" and
        "relevance".
    title : str, default=""
        Title of the explorer.
    caption : str, default=""
        Text below the picture.
    code : str or callable, default=""
        Code that the button "Copy code" copies: a template such as
        ``"SLEML(lam={lam}).fit_transform(X, y)"``, or a function of the setting that
        returns the code. Its last line should be an expression that gives the array
        shown.
    start : dict or None, default=None
        First setting; for axes that it does not name, the first value.
    align : bool, default=True
        Whether to turn, reflect and shift each map towards the first (Procrustes), so
        that nothing jumps. Anchors and segments move with it. A frame with a background
        is not moved, because a picture cannot turn.
    precompute : bool, default=True
        Whether to compute all settings at once, with a progress bar. Otherwise each is
        computed when a slider first reaches it. Without a kernel, as in a report on
        disk, the sliders then offer only the settings computed before.
    rescale : sequence of str, default=()
        Axes that change the unit of the map: each of their values has separate limits.
    style : Style or None, default=None
        How anchors and axes are drawn.

    Attributes
    ----------
    selected_ : ndarray of int, shape (q,)
        The selected samples.
    setting_ : dict
        The value of each axis in the picture.
    embedding_ : ndarray of shape (n, 2)
        The map shown; for bars their ends.
    code_ : str
        The code of that setting.
    error : str
        The error that `compute` raised at the current setting of the sliders; empty if
        there is none.
    value_NAME : traits
        The value of each axis; ``ipywidgets.jslink((slider, "value"), (explorer,
        "value_lam"))`` couples another slider without the kernel.

    Examples
    --------
    >>> import numpy as np
    >>> Z = np.random.default_rng(0).normal(size=(20, 2))
    >>> explorer = Explorer(lambda size: size * Z, {"size": [1, 2]}, align=False)
    >>> explorer.set(size=2)
    >>> bool(np.allclose(explorer.embedding_, 2 * Z, atol=1e-6))
    True
    """

    _esm = Path(__file__).with_name("explore.js")
    # frames: bytes, little-endian float32, x, y of each sample or ends of each bar;
    # grid: for each frame the index of the value of each axis; bar_names: none of a map
    (
        frames,
        grid,
        limits,
        overlays,
        axes,
        labels,
        label_names,
        styles,
        names,
        hover,
        columns,
        side_names,
        outlined,
        bar_names,
        anchor_names,
        anchor_styles,
        axis_names,
    ) = (List().tag(sync=True) for _ in range(17))
    selected = List(Int()).tag(sync=True)
    title, caption, color_by, group, error, own_id = (
        Unicode("").tag(sync=True) for _ in range(6)
    )
    images = Bytes(b"").tag(sync=True)
    image_shape = List(Int(), [0, 0]).tag(sync=True)
    equal_aspect = Bool().tag(sync=True)

    def __init__(
        self,
        compute,
        axes,
        *,
        labels=None,
        label_names=None,
        samples=None,
        bar_names=None,
        anchor_names=(),
        axis_names=None,
        title="",
        caption="",
        code="",
        start=None,
        align=True,
        precompute=True,
        rescale=(),
        style=None,
    ):
        axes = check_axes(axes)
        self._axes = {axis["name"]: axis["values"] for axis in axes}
        check_call(compute, self._axes)
        self._compute, self._code = compute, code
        self._align = check_flag(align, "align")
        self._rescale = set(np.ravel(rescale).tolist())
        require_that(
            self._rescale <= set(self._axes),
            "rescale",
            f"name axes ({list(self._axes)})",
            rescale,
        )
        require(
            isinstance(start, Mapping | None),
            "start",
            "a dict of one value per axis",
            start,
        )
        texts = {"title": title, "caption": caption}
        for name, text in texts.items():
            require(isinstance(text, str), name, "a text", text)
        # values: frame; background: [number of its trait, position in its list]
        self._cache = {}
        self._backgrounds = {}
        self._reference = None  # the first frame, not rounded
        # the first frame says how many samples there are, and whether they are bars
        n_anchors = self._n_anchors = np.size(anchor_names)
        anchors = check_names(anchor_names, n_anchors, "anchor_names", "anchor")
        self._shown = first = self._frame_at(self._complete(start or {}))
        n = len(first["Z"])
        is_bars = first["bars"]
        ensure(
            is_bars or bar_names is None,
            "`bar_names` names bars, but `compute` returned a map; leave it out.",
        )
        samples = SampleInfo() if samples is None else samples
        style = Style() if style is None else style
        traits = sample_traits(n, labels, label_names, samples)
        traits["anchor_styles"] = styles_of_anchors(style, n_anchors)
        colourings = [None, *(column["name"] for column in traits["columns"])]
        color_by = check_option(samples.color_by, "color_by", colourings) or ""
        if is_bars:
            bar_names = names_or(range(1, n + 1), bar_names, "bar_names", "bar")
        super().__init__(
            **traits,
            **texts,
            axes=axes,
            color_by=color_by,
            bar_names=bar_names or [],
            anchor_names=anchors,
            axis_names=names_or(
                AXIS_NAMES[is_bars], axis_names, "axis_names", "axis"
            ),
            equal_aspect=style.equal_aspect and not is_bars,
        )
        # by which the module asks whether a kernel is connected
        self.own_id = self.model_id
        self._add_sliders()
        if check_flag(precompute, "precompute"):
            self._compute_all()
        self._publish()

    def _add_sliders(self):
        """Add a trait for the value of each axis, and follow them."""
        traits = {
            f"value_{name}": Choice(values, values[0]).tag(sync=True)
            for name, values in self._axes.items()
        }
        self.add_traits(**traits)
        self._move_sliders(self._shown["setting"])
        self.observe(self._update, names=list(traits))

    @property
    def setting_(self):
        """The value of each axis in the picture, a dict."""
        return dict(self._shown["setting"])

    @property
    def selected_(self):
        """Numbers of the selected samples, an ndarray of shape (n_selected,)."""
        return np.array(self.selected, dtype=int)

    @property
    def embedding_(self):
        """The map shown, or the ends of the bars, an ndarray of shape (n, 2)."""
        return self._shown["Z"].astype(float)

    @property
    def code_(self):
        """The code of the setting in the picture."""
        return self._shown["code"]

    def set(self, **setting):
        """Move sliders by program.

        Parameters
        ----------
        **setting : dict
            Values of axes by name, each one of the values of the axis.

        Raises
        ------
        ValueError
            If there is no such axis or value. Errors of `compute` are raised, too.
        """
        setting = self._complete(self._slider_setting() | setting)
        self._frame_at(setting)  # where it fails, the sliders stay
        self._move_sliders(setting)
        self._update()  # also where they stood there, of a setting that failed

    def _slider_setting(self):
        """What the sliders say, of which the picture may not be computable."""
        return {name: getattr(self, f"value_{name}") for name in self._axes}

    def _move_sliders(self, setting):
        with self.hold_trait_notifications():
            for name, value in setting.items():
                self.set_trait(f"value_{name}", value)

    def link(self, *others):
        """Link selection and pointer with explorers of the same samples.

        Parameters
        ----------
        *others : Explorer
            Explorers of the same samples.
        """
        for other in others:
            check_same_length(other.labels, self.labels, ("others", "self"))
            self.group = other.group = self.group or f"group of {self.title}"
            traitlets.link((self, "selected"), (other, "selected"))

    def save(self, path, *, complete=True):
        """Write the explorer as one page that needs neither Python nor a network.

        Parameters
        ----------
        path : str or path-like
            Name of the file, such as ``"map.html"``; an existing file is replaced.
        complete : bool, default=True
            Whether to compute the settings that are not computed yet, with a progress
            bar. Otherwise the page plays those that are computed, and says so.

        Returns
        -------
        path : pathlib.Path
            The file written.
        """
        path = check_page(path)
        if check_flag(complete, "complete"):
            try:
                self._compute_all()
            finally:  # what is computed is kept where one setting fails
                self._publish()
        n_settings = math.prod(map(len, self._axes.values()))
        # as a notebook stores it
        state = ipywidgets.embed.dependency_state([self], drop_defaults=False)
        page = offline_page(
            offline_fragment(state, self.model_id),
            self._poster(),
            title=self.title or "Explorer",
            caption=self.caption,
            alt=self.text_(),
            about=f"{len(self.grid)} of {n_settings} settings are computed in this"
            " page, which loads nothing from the network. Made with didi-toolkit.",
        )
        write_text(path, page)
        return path

    def _complete(self, setting):
        """A value of each axis, in their order; of an axis left out the first."""
        unknown = sorted(set(setting) - set(self._axes))
        ensure(
            not unknown,
            f"`start` or `set` names no axis {unknown}; there are {list(self._axes)}.",
        )
        found = {}
        for name, values in self._axes.items():
            value = setting.get(name, values[0])
            require_that(value in values, name, f"be one of {values}", value)
            found[name] = values[values.index(value)]
        return found

    def _update(self, _=None):
        """Show the setting of the traits; where nobody has computed it, compute it."""
        try:
            frame = self._frame_at(self._slider_setting())
        except Exception as error:
            # shown in the picture; the slider goes on working
            self.error = f"{type(error).__name__}: {error}"
            return
        if len(self._cache) > len(self.grid):
            self._publish()
        self._shown, self.error = frame, ""

    def _compute_all(self):
        grid = list(itertools.product(*self._axes.values()))
        ensure(
            len(grid) <= MAX_FRAMES,
            f"`axes` span {len(grid)} settings, more than {MAX_FRAMES}; use"
            " `precompute=False`.",
        )
        for values in track(grid, self.title or "frames"):
            self._frame_at(dict(zip(self._axes, values, strict=True)))

    def _frame_at(self, setting):
        """The frame of a setting, computed when it is first needed."""
        key = tuple(setting.values())
        if key in self._cache:
            return self._cache[key]
        try:
            result = self._compute(**setting)
        except Exception as error:
            error.add_note(f"The setting was {setting}.")
            raise
        frame = check_frame(result, setting, self._n_anchors, self._reference)
        if self._reference is None:
            # in full precision, unlike what is sent
            self._reference = dict(frame)
        elif self._align:
            frame = align_frame(frame, self._reference["Z"])
        frame["Z"] = frame["Z"].astype("<f4")
        frame["code"] = code_of(self._code, setting)
        frame["setting"] = setting
        frame["at"] = [
            self._axes[name].index(value) for name, value in setting.items()
        ]
        address = None
        if frame["background"] is not None:
            # its first row is at the bottom, that of a PNG at the top
            png = lossless_png(frame["background"][::-1])
            # equal pictures are sent once
            address = self._backgrounds.setdefault(
                png, [len(self._backgrounds), 0]
            )
        frame["overlay"] = overlay(frame, address)
        self._cache[key] = frame
        return frame

    def _publish(self):
        """Send what is computed; the limits cover all of it, so that no axis jumps.

        Each background is a separate trait, as a trait that changes is sent whole:
        what was sent is not sent again, and the stored state holds all of them.
        """
        frames = sorted(self._cache.values(), key=lambda frame: frame["at"])
        colourings = ["", *(column["name"] for column in self.columns)]
        for frame in frames:
            check_option(frame["color_by"], "color_by", colourings)
        # axes with separate scales: frames of one scale have the same limits
        groups = {}
        for frame in frames:
            scale = tuple(frame["setting"][name] for name in self._rescale)
            groups.setdefault(scale, []).append(frame)
        for group in groups.values():
            limits = common_limits(group)
            for frame in group:
                frame["limits"] = limits
        backgrounds = {
            f"backgrounds_{number}": List(Bytes(), [png]).tag(sync=True)
            for png, (number, _) in self._backgrounds.items()
            if not self.has_trait(f"backgrounds_{number}")
        }
        self.add_traits(**backgrounds)
        with self.hold_sync():
            self.frames = [frame["Z"].tobytes() for frame in frames]
            self.overlays = [frame["overlay"] for frame in frames]
            self.limits = [frame["limits"] for frame in frames]
            self.grid = [frame["at"] for frame in frames]

    def text_(self):
        """Describe the picture in one line, for those who do not see it.

        Returns
        -------
        text : str
            The same line each time.
        """
        names = self.bar_names
        classes = len(self.label_names)
        what = f"{len(self.labels)} samples"
        if names:
            listed = ", ".join(names)
            if len(listed) > 100 or names[0] == "1":
                listed = f"{names[0]} to {names[-1]}"
            what = f"{len(names)} features ({listed})"
        if classes > 1:
            what += f" of {classes} classes"
        what += f" at {self._setting_text()}, one of {len(self.grid)} settings computed"
        said = f"Explorer {self.title!r}: {what}. {self._shown['status']}"
        return said.rstrip()

    def _setting_text(self):
        """The setting of the picture, in words."""
        return ", ".join(
            f"{name} = {value:.4g}"
            if isinstance(value, float)
            else f"{name} = {value}"
            for name, value in self.setting_.items()
        )

    def _poster(self):
        return snapshot(self._shown, self, self._setting_text())

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs)
        text = self.text_()
        png = as_base64(self._poster())
        return (
            data | {"image/png": png, "text/plain": text},
            metadata | {"image/png": {"alt": text}},
        )
