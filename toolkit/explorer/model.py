"""What an explorer shares with its module in the browser, `explore.js`: the traits."""

from pathlib import Path

from .samples import ensure
from .settings import TYPES_OF_KIND

try:
    import anywidget
    import ipywidgets.embed
    import traitlets
    from traitlets import Bool, Bytes, Int, List, Unicode
except ImportError as error:
    # The rest of the package works without them.
    remedy = 'pip install -e ".[explore]" in the clone'
    raise ImportError(
        f"Explorers need ipywidgets and anywidget: {remedy} ({error})."
    ) from error


class Choice(traitlets.Enum):
    """One of some values; of numbers, as another slider may give them, the nearest."""

    def validate(self, explorer, value):
        """The choice of a slider that is nearest to a number, or equal to a value.

        traitlets calls it with the object that has the trait, and the new value.
        """
        types = {type(choice) for choice in [value, *self.values]}
        is_number = types <= TYPES_OF_KIND["number"] and value == value
        if is_number:
            return min(self.values, key=lambda choice: abs(choice - value))
        ensure(
            value in self.values,
            f"The value of a slider must be one of {self.values}; got {value!r}.",
        )
        return self.values[self.values.index(value)]


class BrowserModel(anywidget.AnyWidget):
    """The state of an explorer that a notebook stores and the browser draws."""

    _esm = Path(__file__).with_name("explore.js")
    # What has been computed: of each frame the bytes (little-endian float32) of x and y
    # of each sample or of both ends of each bar, and the index of the value of each
    # axis.
    frames = List().tag(sync=True)
    grid = List().tag(sync=True)
    limits = List().tag(sync=True)  # x_min, x_max, y_min, y_max of each frame
    overlays = List().tag(sync=True)  # what is drawn over and under each frame
    axes = List().tag(sync=True)  # name, values and kind of each slider

    # The samples: number of the class of each; names, colours and markers of the
    # classes.
    labels = List().tag(sync=True)
    label_names = List().tag(sync=True)
    styles = List().tag(sync=True)
    names = List().tag(sync=True)
    hover = List().tag(sync=True)
    columns = List().tag(sync=True)
    side_names = List().tag(sync=True)
    outlined = List().tag(sync=True)  # whether each sample is an outline
    images = Bytes(b"").tag(sync=True)
    image_shape = List(Int(), [0, 0]).tag(sync=True)
    color_by = Unicode("").tag(sync=True)

    # The picture; a map has no names of bars.
    bar_names = List().tag(sync=True)
    anchor_names = List().tag(sync=True)
    anchor_styles = List().tag(sync=True)
    axis_names = List().tag(sync=True)
    equal_aspect = Bool().tag(sync=True)
    title = Unicode("").tag(sync=True)
    caption = Unicode("").tag(sync=True)

    # The state: the selection, the error of the setting, the explorers that share
    # selection and pointer, and the id by which the module asks for its kernel.
    selected = List(Int()).tag(sync=True)
    error = Unicode("").tag(sync=True)
    group = Unicode("").tag(sync=True)
    own_id = Unicode("").tag(sync=True)

    def _stored_state(self):
        """The state as a notebook stores it, by the ids of models."""
        return ipywidgets.embed.dependency_state([self], drop_defaults=False)

    def _add_sliders(self, values_of_axis):
        """Add a trait for the value of each axis; their names."""
        traits = {
            f"value_{name}": Choice(values, values[0]).tag(sync=True)
            for name, values in values_of_axis.items()
        }
        self.add_traits(**traits)
        return list(traits)

    def _add_backgrounds(self, number_of_png):
        """Add a trait for each background that has none yet.

        A trait that changes is sent whole: what was sent is not sent again, and the
        stored state holds all of them.

        `number_of_png` has the number of each picture, which is PNG in bytes.
        """
        new_traits = {}
        for png, number in number_of_png.items():
            name = f"backgrounds_{number}"
            if not self.has_trait(name):
                new_traits[name] = List(Bytes(), [png]).tag(sync=True)
        self.add_traits(**new_traits)

    def _share_selection(self, model):
        """Link the selection with that of another model."""
        traitlets.link((self, "selected"), (model, "selected"))
