"""The images."""

from __future__ import annotations

import base64

import pytest

from job import data


@pytest.mark.parametrize("png", ["", "no base64!", base64.b64encode(b"no image").decode()])
def test_what_is_no_image_is_refused(png):
    with pytest.raises(ValueError, match=r"no image|base64"):
        data.Item.of({"png": png, "label": "a"})
