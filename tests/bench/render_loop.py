"""Renders templates again and again by Jinja2 or minijinja: render.c with other engines.

render_loop.py ENGINE CASES.json parse|render SECONDS
"""

import json
import sys
import time

OPTIONS = {"trim_blocks": True, "lstrip_blocks": True, "keep_trailing_newline": True}


def with_jinja2(one):
    """(parse and render, render) of one case."""
    import jinja2

    env = jinja2.Environment(
        **OPTIONS, undefined=jinja2.StrictUndefined, loader=jinja2.DictLoader(one["includes"])
    )
    text, context = one["template"], one["context"]
    compiled = env.from_string(text)

    def parse():
        env.cache.clear()
        return env.from_string(text).render(context)

    return parse, lambda: compiled.render(context)


def with_minijinja(one):
    """The same."""
    import minijinja

    env = minijinja.Environment(
        **OPTIONS,
        undefined_behavior="strict",
        loader=one["includes"].get,
        auto_escape_callback=lambda name: False,
    )
    text, context = one["template"], one["context"]
    env.add_template("case", text)

    def parse():
        env.reload()
        return env.render_str(text, **context)

    return parse, lambda: env.render_template("case", **context)


ENGINES = {"jinja2": with_jinja2, "minijinja": with_minijinja}


def main(engine, path, mode, seconds):
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    cases = [ENGINES[engine]({**one, "includes": data["includes"]}) for one in data["cases"]]
    renders = [one[mode == "render"] for one in cases]
    end, fastest, rounds = time.process_time() + float(seconds), float("inf"), 0
    while not rounds or time.process_time() < end:
        began = time.process_time()
        size = sum(len(render()) for render in renders)
        fastest = min(fastest, time.process_time() - began)
        rounds += 1
    print(rounds, size, f"{fastest:.9f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
