"""The explorer: sliders over one call and one picture. No mathematics here.

    explorer = Explorer(compute, axes={"lam": [0, 0.5, 1]}, labels=y)

shows `compute(lam=...)`, an (n, 2) map or bars of features, for each value of the slider. In a notebook the
sliders are ipywidgets and the picture is one anywidget (`explore.js`) that gets plain arrays; in a report on
disk the same module plays the frames that were computed, with controls of its own (`toolkit.explore.offline`).
"""

import base64
import contextlib
import inspect
import itertools
import math
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..core.checks import check_flag, check_names, check_same_length, shown
from ..plots.pictures import lossless_png
from .frames import (
    aligned,
    anchor_styles,
    any_names,
    checked_axes,
    checked_bar_names,
    checked_frame,
    common_limits,
    samples,
)
from .offline import check_page, offline_fragment, offline_page, write_page
from .snapshot import snapshot

try:
    import anywidget
    import ipywidgets
    import ipywidgets.embed
    import traitlets
    from traitlets import Bool, Bytes, Dict, Int, List, Unicode
except ImportError as error:  # the rest of the package works without
    remedy = 'pip install -e ".[explore]" in the clone'
    raise ImportError(f"Explorers need ipywidgets and anywidget: {remedy} ({error}).") from error

__all__ = ["Explorer"]

MAX_FRAMES = 2000


class Picture(anywidget.AnyWidget):
    """What the browser draws; see `explore.js` for how each array is used."""

    _esm = Path(__file__).with_name("explore.js")
    frames = List(Bytes()).tag(sync=True)  # little-endian float32: x, y of each sample or ends of each bar
    frame = Int(0).tag(sync=True)
    grid = List(List(Int())).tag(sync=True)  # frame -> index of the value of each axis
    axes, overlays = (List(Dict()).tag(sync=True) for _ in range(2))
    limits, styles, anchor_styles = (List().tag(sync=True) for _ in range(3))
    labels, selected = (List(Int()).tag(sync=True) for _ in range(2))
    bar_names = List(Unicode()).tag(sync=True)  # none: a map
    label_names, anchor_names, axis_names, hover = (List(Unicode()).tag(sync=True) for _ in range(4))
    title, caption, code, group, error = (Unicode("").tag(sync=True) for _ in range(5))
    side_names, outlined = (List().tag(sync=True) for _ in range(2))
    images = Bytes(b"").tag(sync=True)
    image_shape = List(Int(), [0, 0]).tag(sync=True)
    equal_aspect = Bool(True).tag(sync=True)

    def __init__(self, **state):
        self._sent = {}  # background -> [number of its trait, position in its list]
        super().__init__(**state)

    def send_backgrounds(self, backgrounds):
        """Send those PNGs that the browser does not have; for each [number of its trait, position in its list].

        The new ones of each call make one list of bytes, a trait of its own (`backgrounds_0`, `backgrounds_1`, ...),
        because a trait that changes is sent whole: what was sent is not sent again, equal pictures are sent once,
        and the stored state still holds all of them.
        """
        new = [data for data in dict.fromkeys(backgrounds) if data not in self._sent]
        if new:
            number = 1 + max((k for k, _ in self._sent.values()), default=-1)
            self._sent |= {data: [number, i] for i, data in enumerate(new)}
            self.add_traits(**{f"backgrounds_{number}": List(Bytes(), new).tag(sync=True)})
        return [self._sent[data] for data in backgrounds]


class Explorer(ipywidgets.VBox):
    """Sliders over a map of labelled samples, or over bars of features.

    Parameters
    ----------
    compute : callable
        Called with one value of each axis by name; returns the map `Z` (n, 2), or a dict with ``Z``, or in its place
        ``bars`` (n, 2), lower and upper end of the bar of each of n features, 0 <= lower <= upper, or (n,), upper ends
        alone. Bars stand at x = 1, 2, ... n; what is said of samples below then holds for features. And optionally
        ``anchors`` (m, 2), points with names such as label points or prototypes; ``segments`` (s, 4), lines
        x0, y0, x1, y1; ``status``, one line of text; ``hover``, a text per sample, in place of `hover` below; ``links``
        (n, q), numbers of the anchors to which lines are drawn from the sample pointed at; ``background``, a picture
        (h, w, 3) of uint8 RGB drawn under everything, its first row at the bottom, together with ``extent``, the
        outer edges (x_min, x_max, y_min, y_max) of its pixels; ``rings``, numbers of the samples to be ringed, such
        as those that a classifier gets wrong.
    axes : dict of str to sequence
        The values of each slider: numbers (a slider), booleans (a check box) or strings (a list).
    labels : array-like of shape (n,), optional
        Class of each sample, any values that `numpy.unique` sorts; colour and marker follow it.
    label_names : sequence of str, optional
        Names of the classes in sorted order.
    sides : sequence of n str, optional, one of two names for each sample; those of the side named first are outlines
    bar_names : sequence of n str, optional
        Names of the features that have bars; their numbers from 1 by default.
    anchor_names : sequence of m str, optional
    anchor_classes : sequence of m int, optional
        Class whose colour and marker an anchor takes.
    hover : sequence of n str, optional
        Further text to show on a sample.
    images : array-like of shape (n, h, w), optional
        Grey values 0 to 255 to show on a sample.
    title, caption : str
    code : str
        Template of the call, such as ``"SLEML(lam={lam}).fit_transform(X, y)"``, for the button "Copy code".
    axis_names : pair of str, optional
        "axis 1" and "axis 2" by default; of bars "feature" and "relevance".
    start : dict, optional
        First setting; the first value of each axis by default.
    align : bool, default=True
        Turn, reflect and shift each map towards the first (Procrustes), so that nothing jumps. Anchors and segments
        move along. A frame with a background stays where it is, because a picture cannot turn.
    precompute : bool, default=True
        Compute all settings at once, with a progress bar. Otherwise each when a slider first reaches it; a report
        on disk then plays those.
    equal_aspect : bool, default=True
    rescale : sequence of str, default=()
        Axes that change the unit of the map: each of their values has limits of its own.

    Attributes
    ----------
    selected_ : ndarray of int, shape (q,), the selected samples
    setting_ : dict, the current value of each axis
    embedding_ : ndarray of shape (n, 2), the map shown; of bars their ends, in the shape that `compute` returns
    picture : the widget that draws

    Examples
    --------
    >>> import numpy as np
    >>> Z = np.random.default_rng(0).normal(size=(20, 2))
    >>> explorer = Explorer(lambda size: size * Z, {"size": [1, 2]}, labels=np.arange(20) % 2, align=False)
    >>> explorer.set(size=2)
    >>> explorer.setting_, bool(np.allclose(explorer.embedding_, 2 * Z, atol=1e-6))
    ({'size': 2}, True)
    """

    def __init__(
        self,
        compute,
        axes,
        *,
        labels=None,
        label_names=None,
        sides=None,
        bar_names=None,
        anchor_names=(),
        anchor_classes=None,
        hover=None,
        images=None,
        title="",
        caption="",
        code="",
        axis_names=None,
        start=None,
        align=True,
        precompute=True,
        equal_aspect=True,
        rescale=(),
    ):
        self._compute, self._axes, self._align = compute, checked_axes(axes), check_flag(align, "align")
        _check_takes(compute, self._axes)
        self._rescale = set(any_names(rescale, "rescale", "axis"))
        if not self._rescale <= set(self._axes):
            raise ValueError(f"`rescale` must name axes ({list(self._axes)}); got {shown(rescale)}.")
        if not isinstance(start, Mapping | None):
            raise ValueError(f"`start` must be a dict of one value per axis; got {shown(start)}.")
        self._cache, self._reference = {}, None  # frames by the indices of their setting; the first, not rounded
        indices = self._indices(start or {})
        told = [{"name": k, "label": k, "values": list(v), "kind": kind} for k, (v, kind) in self._axes.items()]
        names = any_names(anchor_names, "anchor_names", "anchor")
        words = {"title": title, "caption": caption, "code": code}
        for name, text in words.items():
            if not isinstance(text, str):
                raise ValueError(f"`{name}` must be a text; got {shown(text)}.")
        self.picture = Picture(**words, axes=told, anchor_names=names)
        first = self._frame_at(indices)
        usual = ("feature", "relevance") if first["bars"] else ("axis 1", "axis 2")
        equal_aspect = check_flag(equal_aspect, "equal_aspect") and not first["bars"]
        traits = {"bar_names": checked_bar_names(first, bar_names), "equal_aspect": equal_aspect}
        traits["axis_names"] = check_names(usual if axis_names is None else axis_names, 2, "axis_names", "axis")
        traits |= samples(len(first["Z"]), labels, label_names, hover, images, sides)
        traits["anchor_styles"] = anchor_styles(len(names), anchor_classes, len(traits["label_names"]))
        for name, value in traits.items():
            setattr(self.picture, name, value)
        if check_flag(precompute, "precompute"):
            self._compute_all()
        self._publish()
        self._sliders = {name: self._slider(name, i) for name, i in zip(self._axes, indices, strict=True)}
        self.picture.frame = self._order.index(indices)
        super().__init__([ipywidgets.HBox(list(self._sliders.values())), self.picture])

    @property
    def setting_(self):
        return {name: slider.value for name, slider in self._sliders.items()}

    @property
    def selected_(self):
        return np.array(self.picture.selected, dtype=int)

    @property
    def embedding_(self):
        return self._shown()["Z"].astype(float)

    def _shown(self):
        return self._cache[self._order[self.picture.frame]]

    def set(self, **setting):
        """Move sliders by program; a value must be one of the axis."""
        for name, i in zip(self._axes, self._indices({**self.setting_, **setting}), strict=True):
            self._sliders[name].value = self._axes[name][0][i]

    def link(self, *others):
        """Share the selection with explorers of the same samples, here and in the report on disk."""
        for other in others:
            check_same_length(other.picture.labels, self.picture.labels, ("others", "self"))
            self.picture.group = other.picture.group = self.picture.group or f"group of {self.picture.title}"
            traitlets.link((self.picture, "selected"), (other.picture, "selected"))

    def save(self, path, *, complete=True):
        """Write the explorer as one page that needs neither Python nor a network.

        Parameters
        ----------
        path : str or path-like, such as ``"map.html"``; a file that is there is replaced
        complete : bool, default=True
            Compute the settings that are not computed yet, with a progress bar. Otherwise the page plays those that
            are, and says so.

        Returns
        -------
        pathlib.Path
        """
        path = check_page(path)
        if check_flag(complete, "complete"):
            self._compute_all()
            self._publish()
        state = ipywidgets.embed.dependency_state([self.picture], drop_defaults=False)
        done, of = len(self._order), math.prod(len(values) for values, _ in self._axes.values())
        settings = f"{done} of {of} settings are" if done < of else f"All {of} settings are" if of > 1 else "It is"
        about = f"{settings} computed in this page, which loads nothing from the network. Made with didi-toolkit."
        words = {"title": self.picture.title, "caption": self.picture.caption, "about": about}
        fragment, picture = offline_fragment(state, self.picture.model_id), self._poster()
        return write_page(path, offline_page(fragment, picture, self.text_(), **words))

    def _indices(self, setting):
        if unknown := set(setting) - set(self._axes):
            raise ValueError(f"`start` or `set` names no axis {sorted(unknown)}; there are {list(self._axes)}.")
        indices = []
        for name, (values, _) in self._axes.items():
            value = setting.get(name, values[0])
            if value not in values:
                raise ValueError(f"`{name}` must be one of {values}; got {value!r}.")
            indices.append(values.index(value))
        return tuple(indices)

    def _slider(self, name, index):
        values, kind = self._axes[name]
        given = {"value": values[index], "description": name}
        if kind == "bool":
            slider = ipywidgets.Checkbox(indent=False, **given)
        elif kind == "choice":
            slider = ipywidgets.Dropdown(options=values, **given)
        else:
            slider = ipywidgets.SelectionSlider(options=[(f"{v:.4g}", v) for v in values], **given)
        slider.style.description_width = "initial"
        slider.observe(self._moved, names="value")
        return slider

    def _moved(self, _):
        indices = self._indices(self.setting_)
        if indices not in self._cache:
            try:
                self._frame_at(indices)
            except Exception as error:  # shown in the picture; the slider goes on working
                self.picture.error = f"{type(error).__name__}: {error}"
                return
            self._publish()
        with self.picture.hold_sync():
            self.picture.error = ""
            self.picture.frame = self._order.index(indices)

    def _compute_all(self):
        grid = list(itertools.product(*(range(len(values)) for values, _ in self._axes.values())))
        if len(grid) > MAX_FRAMES:
            raise ValueError(f"`axes` span {len(grid)} settings, more than {MAX_FRAMES}; use `precompute=False`.")
        if len(grid) > 5:
            from tqdm import tqdm

            grid = tqdm(grid, desc=self.picture.title or "frames", unit="map", file=sys.stderr, leave=False, delay=1)
        for indices in grid:
            self._frame_at(indices)

    def _frame_at(self, indices):
        if indices not in self._cache:
            setting = {name: values[i] for (name, (values, _)), i in zip(self._axes.items(), indices, strict=True)}
            frame = checked_frame(self._compute(**setting), setting, len(self.picture.anchor_names), self._reference)
            if self._reference is None:
                self._reference = dict(frame)  # in full precision, unlike what is sent
            elif self._align:
                frame = aligned(frame, self._reference["Z"])
            frame["Z"] = frame["Z"].astype("<f4")
            if frame["background"] is not None:  # its first row is at the bottom, that of a PNG at the top
                frame["png"] = lossless_png(frame["background"][::-1])
            self._cache[indices] = frame
        return self._cache[indices]

    def _publish(self):
        """Send what is computed; the limits cover all of it, so that the axes do not jump."""
        self._order = sorted(self._cache)
        frames = [self._cache[i] for i in self._order]
        own_scale = [name in self._rescale for name in self._axes]
        scales = [tuple(itertools.compress(indices, own_scale)) for indices in self._order]
        alike = {scale: [f for f, other in zip(frames, scales, strict=True) if other == scale] for scale in scales}
        limits = {scale: common_limits(group) for scale, group in alike.items()}
        sent = iter(self.picture.send_backgrounds([f["png"] for f in frames if f["background"] is not None]))
        with self.picture.hold_sync():
            self.picture.frames = [f["Z"].tobytes() for f in frames]
            self.picture.overlays = [_overlay(f, sent) for f in frames]
            shown = self._indices(self.setting_) if hasattr(self, "_sliders") else self._order[0]
            self.picture.grid = [list(i) for i in self._order]
            self.picture.frame = self._order.index(shown) if shown in self._cache else 0
            self.picture.limits = [limits[scale] for scale in scales]

    def text_(self):
        """One stable line on the picture, for those who do not see it."""
        n, classes, names = len(self.picture.labels), len(self.picture.label_names), self.picture.bar_names
        what, listed = f"{n} samples", ", ".join(names)
        if names:
            listed = listed if len(listed) <= 100 and names[0] != "1" else f"{names[0]} to {names[-1]}"
            what = f"{n} features ({listed})"
        if classes > 1 or not names:
            what += f" of {classes} classes"
        computed = f"one of {len(self._order)} settings computed"
        setting, status = self._in_words(), self._shown()["status"]
        return f"Explorer {self.picture.title!r}: {what} at {setting}, {computed}. {status}".rstrip()

    def _in_words(self):
        """What the sliders show."""
        values = {k: f"{v:.4g}" if isinstance(v, float) else v for k, v in self.setting_.items()}
        return ", ".join(f"{name} = {value}" for name, value in values.items())

    def _poster(self):
        return snapshot(self._shown(), self.picture, self._in_words())

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        png = base64.b64encode(self._poster()).decode("ascii")
        data = dict(data) | {"image/png": png, "text/plain": self.text_()}
        return data, dict(metadata) | {"image/png": {"alt": self.text_()}}


def _check_takes(compute, axes):
    """`compute` must be a function of one argument per axis."""
    takes = callable(compute)
    if takes:
        with contextlib.suppress(ValueError):  # functions of other languages may not tell
            signature = inspect.signature(compute)
            try:
                signature.bind(**dict.fromkeys(axes))
            except TypeError:
                takes = False
    if not takes:
        raise ValueError(f"`compute` must be a function with the arguments {', '.join(axes)}; got {shown(compute)}.")


def _overlay(frame, sent):
    """What lies over and under the samples, as the browser reads it; `sent` gives the next background's address."""
    overlay = {key: np.round(frame[key], 6).tolist() for key in ("anchors", "segments")}
    overlay["status"] = frame["status"]
    if frame["hover"]:
        overlay["hover"] = frame["hover"]
    overlay |= {key: frame[key].tolist() for key in ("links", "rings") if frame[key].size}
    if frame["background"] is not None:
        overlay["background"] = {"at": next(sent), "extent": frame["extent"].tolist()}
    return overlay
