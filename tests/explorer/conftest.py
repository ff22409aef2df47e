"""What the tests of explorers share."""

import base64
import io

import numpy as np
import pytest
from PIL import Image


@pytest.fixture
def still():
    """Function (explorer): its still picture, (h, w, 3) of 0 to 255."""

    def picture(explorer):
        bundle, _ = explorer._repr_mimebundle_()
        with Image.open(
            io.BytesIO(base64.b64decode(bundle["image/png"]))
        ) as image:
            return np.array(image.convert("RGB")).astype(int)

    return picture
