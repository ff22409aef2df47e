"""The explorer: sliders over one call and one picture. No mathematics here.

    explorer = Explorer(compute, axes={"lam": [0, 0.5, 1]}, labels=y)

shows `compute(lam=...)`, an (n, 2) map or bars of features. It is one anywidget:
`explore.js` draws controls and picture, in a notebook and in a page on disk, and plays
what is computed. The kernel computes the other settings.
"""

import math
from collections.abc import Mapping

import numpy as np

from ..core import (
    check_flag,
    check_names,
    check_option,
    check_same_length,
    did_you_mean,
    names_or,
    require,
    require_that,
    write_text,
)
from ..plots.pictures import as_base64
from .cache import FrameCache
from .model import BrowserModel
from .offline import check_page, offline_fragment, offline_page
from .progress import track
from .samples import SampleInfo, Style, ensure, sample_traits, styles_of_anchors
from .settings import check_axes, check_call, complete_setting, setting_words
from .static_picture import snapshot

MAX_FRAMES = 2000
AXIS_NAMES_OF_MAP = ("axis 1", "axis 2")
AXIS_NAMES_OF_BARS = ("feature", "relevance")
# Longer lists of features are described by the first and the last.
LONGEST_LIST = 100


class Explorer(BrowserModel):
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
        check_flag(align, "align")
        self._rescaling_axes = set(np.ravel(rescale).tolist())
        require_that(
            self._rescaling_axes <= set(self._axes),
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
        for name, text in {"title": title, "caption": caption}.items():
            require(isinstance(text, str), name, "a text", text)
        n_anchors = np.size(anchor_names)
        anchors = check_names(anchor_names, n_anchors, "anchor_names", "anchor")
        self._cache = FrameCache(
            compute, self._axes, code=code, align=align, n_anchors=n_anchors
        )
        # The first frame says how many samples there are, and whether they are bars.
        if start is None:
            start = {}
        first_setting = complete_setting(start, self._axes)
        self._frame = self._cache.frame(first_setting)
        n_samples = len(self._frame["Z"])
        is_bars = self._frame["bars"]
        ensure(
            is_bars or bar_names is None,
            "`bar_names` names bars, but `compute` returned a map; leave it out.",
        )
        if samples is None:
            samples = SampleInfo()
        if style is None:
            style = Style()
        traits = sample_traits(n_samples, labels, label_names, samples)
        traits["anchor_styles"] = styles_of_anchors(style, n_anchors)
        column_names = [column["name"] for column in traits["columns"]]
        check_option(samples.color_by, "color_by", [None, *column_names])
        traits["color_by"] = samples.color_by or ""
        usual_axis_names = AXIS_NAMES_OF_MAP
        if is_bars:
            usual_axis_names = AXIS_NAMES_OF_BARS
            numbers = range(1, n_samples + 1)
            bar_names = names_or(numbers, bar_names, "bar_names", "bar")
            traits["bar_names"] = bar_names
        traits["axis_names"] = names_or(
            usual_axis_names, axis_names, "axis_names", "axis"
        )
        super().__init__(
            **traits,
            title=title,
            caption=caption,
            axes=axes,
            anchor_names=anchors,
            equal_aspect=style.equal_aspect and not is_bars,
        )
        # The module asks by this id whether a kernel is connected.
        self.own_id = self.model_id
        slider_names = self._add_sliders(self._axes)
        self._move_sliders(self._frame["setting"])
        self.observe(self._update, names=slider_names)
        if check_flag(precompute, "precompute"):
            self._compute_all()
        self._publish()

    @property
    def setting_(self):
        """The value of each axis in the picture, a dict."""
        return dict(self._frame["setting"])

    @property
    def selected_(self):
        """Numbers of the selected samples, an ndarray of shape (n_selected,)."""
        return np.array(self.selected, dtype=int)

    @property
    def embedding_(self):
        """The map shown, or the ends of the bars, an ndarray of shape (n, 2)."""
        return self._frame["Z"].astype(float)

    @property
    def code_(self):
        """The code of the setting in the picture."""
        return self._frame["code"]

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
        whole_setting = complete_setting(
            self._slider_setting() | setting, self._axes
        )
        # The frame is kept in the cache. Where its computation fails, the sliders stay.
        self._cache.frame(whole_setting)
        self._move_sliders(whole_setting)
        # The sliders may have stood there already, at a setting that had failed.
        self._update()

    def _slider_setting(self):
        """What the sliders say, of which the picture may not be computable."""
        return {name: getattr(self, f"value_{name}") for name in self._axes}

    def _move_sliders(self, setting):
        """Move the sliders to a setting: values by the names of the axes."""
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
        for explorer in others:
            check_same_length(explorer.labels, self.labels, ("others", "self"))
            if not self.group:
                self.group = f"group of {self.title}"
            explorer.group = self.group
            self._share_selection(explorer)

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
            finally:
                # What is computed is kept where one setting fails.
                self._publish()
        n_settings = math.prod([len(values) for values in self._axes.values()])
        about = (
            f"{len(self.grid)} of {n_settings} settings are computed in this page,"
            " which loads nothing from the network. Made with didi-toolkit."
        )
        fragment = offline_fragment(self._stored_state(), self.model_id)
        page = offline_page(
            fragment,
            self._poster(),
            title=self.title or "Explorer",
            caption=self.caption,
            alt=self.text_(),
            about=about,
        )
        write_text(path, page)
        return path

    def _update(self, _=None):
        """Show the setting of the traits; where nobody has computed it, compute it."""
        try:
            frame = self._cache.frame(self._slider_setting())
        except Exception as error:
            # The picture shows the error, and the slider goes on working.
            self.error = f"{type(error).__name__}: {error}"
            return
        if len(self._cache) > len(self.grid):
            self._publish()
        self._frame = frame
        self.error = ""

    def _compute_all(self):
        grid = self._cache.grid()
        ensure(
            len(grid) <= MAX_FRAMES,
            f"`axes` span {len(grid)} settings, more than {MAX_FRAMES}; use"
            " `precompute=False`.",
        )
        for setting in track(grid, self.title or "frames"):
            self._cache.frame(setting)

    def _publish(self):
        """Send what is computed; the limits cover all of it, so that no axis jumps."""
        frames = self._cache.frames_in_order(self._rescaling_axes)
        for frame in frames:
            self._check_color_by(frame)
        self._add_backgrounds(self._cache.backgrounds)
        with self.hold_sync():
            self.frames = [frame["Z"].tobytes() for frame in frames]
            self.overlays = [frame["overlay"] for frame in frames]
            self.limits = [frame["limits"] for frame in frames]
            self.grid = [frame["at"] for frame in frames]

    def _check_color_by(self, frame):
        """Refuse a colouring of a frame by a column that `samples` does not have."""
        name = frame["color_by"]
        column_names = [column["name"] for column in self.columns]
        ensure(
            name in ["", *column_names],
            f"`color_by` must be one of {column_names}, the columns of `samples`;"
            f" `compute` returned {name!r} at {frame['setting']}."
            f"{did_you_mean(name, column_names)}",
        )

    def text_(self):
        """Describe the picture in one line, for those who do not see it.

        Returns
        -------
        text : str
            The same line each time.
        """
        subject = f"{len(self.labels)} samples"
        if self.bar_names:
            features = ", ".join(self.bar_names)
            is_numbered = self.bar_names[0] == "1"
            if len(features) > LONGEST_LIST or is_numbered:
                features = f"{self.bar_names[0]} to {self.bar_names[-1]}"
            subject = f"{len(self.bar_names)} features ({features})"
        n_classes = len(self.label_names)
        if n_classes > 1:
            subject += f" of {n_classes} classes"
        text = (
            f"Explorer {self.title!r}: {subject} at {setting_words(self.setting_)},"
            f" one of {len(self.grid)} settings computed. {self._frame['status']}"
        )
        return text.rstrip()

    def _poster(self):
        return snapshot(self._frame, self, setting_words(self.setting_))

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs)
        text = self.text_()
        data["image/png"] = as_base64(self._poster())
        data["text/plain"] = text
        metadata["image/png"] = {"alt": text}
        return data, metadata
