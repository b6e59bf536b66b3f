"""Once a text in the making is too long, nothing that would come after it is looked at."""

import pytest

MANY = "['x' * 16000000] * 100000"
SECONDS = 15  # it takes less than one; who looks at all of it takes half a minute and more


@pytest.mark.parametrize(
    "text",
    [
        f"({MANY})|tojson",
        f"({MANY})|string",
        f"({MANY}) ~ 1",
        "([[1]] * 900000)|tojson(' ' * 16000000)",
    ],
)
def test_soon_refused(new, catalog, text):
    catalog.file("long.j2", "{{ (" + text + ")|length }}")
    done = new("child", "--dry-run", timeout=SECONDS)
    assert done.code == 2
    assert "a text is longer than 16777216 bytes" in done.err
