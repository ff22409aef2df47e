"""The frames of an explorer that are computed so far."""

import itertools

from ..plots.pictures import lossless_png
from .frames import align_frame, check_frame, common_limits, overlay
from .settings import code_of


class FrameCache:
    """The frames by their settings, each computed when it is first needed.

    Parameters
    ----------
    compute : callable
        Called with one value of each axis by name.
    values_of_axis : dict of str to list
        The values of each axis.
    code : str or callable
        Template or function of the code of a setting.
    align : bool
        Whether frames are turned towards the first one.
    n_anchors : int
        Number of anchors of each frame.

    Attributes
    ----------
    backgrounds : dict of bytes to int
        Number of each different background, by its PNG.
    """

    def __init__(self, compute, values_of_axis, *, code, align, n_anchors):
        self.compute = compute
        self.values_of_axis = values_of_axis
        self.code = code
        self.align = align
        self.n_anchors = n_anchors
        self.backgrounds = {}
        self._frame_of_values = {}
        self._reference = None

    def __len__(self):
        return len(self._frame_of_values)

    def grid(self):
        """All settings, each a dict of one value per axis."""
        names = list(self.values_of_axis)
        return [
            dict(zip(names, values, strict=True))
            for values in itertools.product(*self.values_of_axis.values())
        ]

    def frame(self, setting):
        """The frame of a setting."""
        values = tuple(setting.values())
        if values not in self._frame_of_values:
            self._frame_of_values[values] = self._new_frame(setting)
        return self._frame_of_values[values]

    def _new_frame(self, setting):
        """Compute the frame, a dict, of a setting: values of the sliders by name."""
        try:
            result = self.compute(**setting)
        except Exception as error:
            error.add_note(f"`compute` raised this at the setting {setting}.")
            raise
        frame = check_frame(result, setting, self.n_anchors, self._reference)
        if self._reference is None:
            # The reference has full precision, unlike what is sent.
            self._reference = dict(frame)
        elif self.align:
            frame = align_frame(frame, self._reference["Z"])
        frame["Z"] = frame["Z"].astype("<f4")
        frame["code"] = code_of(self.code, setting)
        frame["setting"] = setting
        frame["at"] = [
            self.values_of_axis[name].index(value)
            for name, value in setting.items()
        ]
        frame["overlay"] = overlay(frame, self._background_address(frame))
        return frame

    def _background_address(self, frame):
        """[number of the trait, position in its list] of a background, or None."""
        if frame["background"] is None:
            return None
        # The first row of a background is at the bottom, that of a PNG at the top.
        png = lossless_png(frame["background"][::-1])
        # Equal pictures are sent once.
        number = self.backgrounds.setdefault(png, len(self.backgrounds))
        return [number, 0]

    def frames_in_order(self, rescaling_axes):
        """The frames in the order of the sliders, with limits that hold all of them.

        Each value of the axes that rescale has separate limits.
        """
        frames = sorted(
            self._frame_of_values.values(), key=lambda frame: frame["at"]
        )
        frames_of_scale = {}
        for frame in frames:
            scale = tuple([frame["setting"][name] for name in rescaling_axes])
            frames_of_scale.setdefault(scale, []).append(frame)
        for frames_with_scale in frames_of_scale.values():
            limits = common_limits(frames_with_scale)
            for frame in frames_with_scale:
                frame["limits"] = limits
        return frames
