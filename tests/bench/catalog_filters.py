"""What tmplgen has and Jinja2 has not, as an extension for copier and cookiecutter."""

import json
import re
import shlex

from jinja2.ext import Extension


def _slug(value):
    return re.sub("[^a-z0-9]+", "-", str(value).lower()).strip("-")


# Where includes lie: a file of the project may have the name of one.
INCLUDES = "catalog_includes"


class CatalogFilters(Extension):
    """Adds to_yaml, shell_quote and slug, and finds what templates include."""

    def __init__(self, environment):
        super().__init__(environment)
        environment.filters["to_yaml"] = lambda value: json.dumps(value, ensure_ascii=False)
        environment.filters["shell_quote"] = lambda value: shlex.quote(str(value))
        environment.filters["slug"] = _slug
        environment.join_path = lambda name, _parent: f"{INCLUDES}/{name}"
