"""The two that are compared: our language behind its driver, and the real Jinja2."""

import copy
import json
import re
import shlex
import subprocess

import jinja2

SQUARE = {
    "block_start_string": "[%",
    "block_end_string": "%]",
    "variable_start_string": "[[",
    "variable_end_string": "]]",
    "comment_start_string": "[#",
    "comment_end_string": "#]",
}


class Ours:
    """The driver (render.c), kept running: one request a line, one answer a line."""

    def __init__(self, program):
        self.process = subprocess.Popen(
            [str(program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def ask(
        self,
        template,
        context=None,
        includes=None,
        delimiters="jinja",
        *,
        include_delimiters=None,
        kind="text",
    ):
        """The answer as a dict: `out`, or `error` and its place."""
        request = {
            "template": template,
            "context": context or {},
            "includes": includes or {},
            "delimiters": delimiters,
            "include_delimiters": include_delimiters or delimiters,
            "as": kind,
        }
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the driver died ({self.process.poll()}) of {template!r} with {context!r}"
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0


def slug(value):
    return re.sub("[^A-Za-z0-9]+", "-", str(value)).strip("-").lower()


def own_filters(ours):
    """Those of our filters that no other program has, for Jinja2: asked of ours."""

    def filter_of(name):
        def ask(value, **arguments):
            given = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
            return ours.ask(f"{{{{ x|{name}({given}) }}}}", {"x": value})["out"]

        return ask

    return {name: filter_of(name) for name in ("dockerfile_quote", "to_toml", "to_yaml")}


def environment(includes=None, delimiters="jinja", filters=None):
    env = jinja2.Environment(
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.DictLoader(includes or {}),
        **(SQUARE if delimiters == "square" else {}),
    )
    env.filters["shell_quote"] = lambda value: shlex.quote(str(value))
    env.filters["slug"] = slug
    env.filters.update(filters or {})
    return env


def theirs(template, context=None, includes=None, delimiters="jinja", filters=None):
    """What Jinja2 renders; raises what Jinja2 raises. The context is left as it is."""
    env = environment(includes, delimiters, filters)
    return env.from_string(template).render(copy.deepcopy(context or {}))
