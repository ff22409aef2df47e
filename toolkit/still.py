"""The explorer as a still picture, for pages without widgets."""

import io

import numpy as np

__all__ = ["still"]


def still(frame, picture):
    """One frame as PNG.

    Parameters
    ----------
    frame : dict
        As `toolkit.frames.checked_frame` returns it.
    picture : widget
        Labels, names, styles and limits to draw it with; see `toolkit.explore.Picture`.

    Returns
    -------
    bytes, the same for the same frame
    """
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 5.2), dpi=100, layout="constrained")
    ax = figure.add_subplot()
    labels = np.array(picture.labels)
    field = frame["background"] is not None
    if field:
        ax.imshow(
            frame["background"], origin="lower", extent=frame["extent"], interpolation="nearest", zorder=0
        )
    ax.add_collection(LineCollection(frame["segments"].reshape(-1, 2, 2), colors="0.6", linewidths=0.8))
    # On colours, samples are opaque and edged: theirs may be the ones beneath.
    look = {"lw": 0.4, "ec": "black", "alpha": 1} if field else {"lw": 0, "alpha": 0.6}
    for c, (color, marker) in enumerate(picture.styles):
        points = frame["Z"][labels == c]
        ax.scatter(*points.T, s=10, c=color, marker=marker, label=picture.label_names[c], **look)
    ringed = frame["Z"][frame["rings"]]
    for color, width in (("#222", 2.4), ("white", 1.2)):
        ax.scatter(*ringed.T, s=65, facecolors="none", edgecolors=color, linewidths=width, zorder=3)
    for (x, y), name, (color, marker) in zip(
        frame["anchors"], picture.anchor_names, picture.anchor_styles, strict=True
    ):
        ax.scatter(x, y, s=90, c=color, marker=marker, ec="black", zorder=4)
        ax.annotate(
            name, (x, y), xytext=(7, 0), textcoords="offset points", fontsize=8, va="center", zorder=5
        )
    x0, x1, y0, y1 = picture.limits[picture.frame]
    ax.set(xlim=(x0, x1), ylim=(y0, y1), aspect="equal" if picture.equal_aspect else "auto")
    ax.set(xlabel=picture.axis_names[0], ylabel=picture.axis_names[1], title=picture.title)
    ax.spines[["top", "right"]].set_visible(False)
    if 1 < len(picture.styles) <= 16:
        ax.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()
