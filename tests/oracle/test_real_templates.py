"""Templates of packages that people install: what we take of them we render as Jinja2 does."""

import pytest

from . import real_templates


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_real_templates_render_as_with_jinja2_or_are_refused_by_name(ours):
    results, _, _ = real_templates.run(ours, contexts=4)
    assert len(results) >= 300
    wrong = [(t.package, t.path, r.wrong[0]) for t, r in results if r.wrong]
    assert not wrong, wrong[:3]
    equal = [t for t, r in results if r.kind == "equal"]
    assert len(equal) >= 0.85 * len(results)  # docs/templates.md has the newest share
