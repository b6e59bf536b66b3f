"""The part of the grammar that has filters and tests with their arguments."""

import re

# {e} an expression, {t} a text, {n} a number, {k} an integer, {c} a constant, {a} an attribute,
# {f} a filter by name, {q} a test by name, either with its arguments.
FILTERS = [
    "batch({n})", "batch({k}, {e})", "batch({n})|list", "batch({k}, {e})|list",
    "batch(2, 'x')|list",
    "center", "center({k})", "center({n})", "center(width={k})", "dictsort", "dictsort({c})",
    "dictsort({c}, {t})", "dictsort({c}, 'value')", "dictsort(reverse={c})", "dictsort(by='value')",
    "dictsort({e}, 'key', {e})", "e", "escape", "forceescape", "safe", "e|string", "e|upper",
    "escape|length", "e|replace({t}, {t})", "e|trim", "e|first", "e|e", "safe|forceescape",
    "filesizeformat", "filesizeformat({c})", "filesizeformat(true)", "int|filesizeformat",
    "groupby({a})", "groupby({a})|list", "groupby({a}, default={e})", "groupby({a}, {e}, {c})",
    "groupby({a}, case_sensitive=true)", "groupby({a})|map(attribute='grouper')|list",
    "groupby('age')|map(attribute='list')|map('length')|list", "groupby({n})", "groupby('name')",
    "map({f})", "map({f})|list", "map({f})|list", "map({f})|join({t})", "map(attribute={a})|list",
    "map(attribute={a}, default={e})|list", "map(attribute={a}, default={t})|list", "map()|list",
    "map(attribute={a}, nope=1)|list", "map({e})|list", "map('map', {f})|map('list')|list",
    "max", "max({c})", "max(attribute={a})", "max({c}, {a})", "min", "min({c})",
    "min(attribute={a})", "min(case_sensitive={e})", "pprint", "pprint|length",
    "reject", "reject({q})|list", "reject|list", "reject({q})", "rejectattr({a})|list",
    "rejectattr({a}, {q})|list", "select({q})|list", "select({q})|list", "select|list", "select",
    "select({e})|list", "selectattr({a})|list", "selectattr({a}, {q})|list", "selectattr()|list",
    "selectattr({e})|list", "select({q})|map({f})|list", "slice({n})|list", "slice({k})|list",
    "slice({k}, {e})|list", "slice({k}, fill_with={t})|list", "slice({k})", "sum", "sum({a})",
    "sum(attribute={a})", "sum(start={e})", "sum({a}, {n})", "sum(start=[])", "truncate",
    "truncate({k})", "truncate({k}, {c})", "truncate({k}, {c}, {t})",
    "truncate({n}, {e}, {t}, {n})",
    "truncate(5, false, '', 0)", "truncate(length={k}, leeway={k})", "truncate({k}, true, {t}, 0)",
    "urlencode", "urlencode", "items|urlencode", "wordcount", "wordcount", "wordwrap",
    "wordwrap({k})", "wordwrap({k}, {c})", "wordwrap({k}, {c}, {t})",
    "wordwrap({k}, {c}, {t}, {c})",
    "wordwrap(5, false)", "wordwrap(3, true, '|', false)", "wordwrap({k}, wrapstring={t})",
    "wordwrap(4, break_on_hyphens={e})", "wordwrap(1)", "first", "list|pprint",
]  # fmt: skip
NAMED_FILTERS = [
    "'upper'", "'lower'", "'length'", "'list'", "'int'", "'string'", "'first'", "'last'", "'sort'",
    "'join', {t}", "'default', {e}", "'default', {t}, true", "'default', default_value={e}",
    "'replace', {t}, {t}", "'round', {k}", "'trim'", "'title'", "'abs'", "'sum'", "'max'", "'e'",
    "'tojson'", "'items'", "'indent', {k}", "'truncate', {k}", "'batch', 2", "'nope'",
    "'format', {e}",
    "'map', 'upper'", "'select', 'odd'", "'reverse'", "'unique'", "'float'", "'wordcount'",
    "'center', width=4", "'shell_quote'", "'slug'", "{t}", "'pprint'", "'urlencode'",
    "'int', 1, 2, 3",
]  # fmt: skip
NAMED_TESTS = [
    "'odd'", "'even'", "'defined'", "'undefined'", "'none'", "'string'", "'number'", "'mapping'",
    "'iterable'", "'sequence'", "'integer'", "'float'", "'true'", "'false'", "'boolean'",
    "'divisibleby', {n}", "'eq', {e}", "'ne', {e}", "'lt', {n}", "'gt', {n}", "'le', {e}",
    "'ge', {e}", "'==', {e}", "'!=', {e}", "'<', {n}", "'>', {n}", "'<=', {e}", "'>=', {t}",
    "'in', {e}", "'in', [1, 2, 'a']", "'equalto', {e}", "'lower'", "'upper'", "'callable'",
    "'escaped'", "'sameas', {c}", "'filter'", "'test'", "'greaterthan', {n}", "'lessthan', {n}",
    "'nope'", "'eq'", "'odd', 1", "'divisibleby', num={n}", "{t}",
]  # fmt: skip
TESTS = [
    "lower", "upper", "callable", "escaped", "filter", "test", "sameas true", "sameas none",
    "sameas {c}", "sameas({e})", "in({e})", "eq({e})", "ne({e})", "lt({n})", "ge({e})",
    "equalto({t})", "greaterthan({e})", "lessthan({e})", "divisibleby({e})",
]  # fmt: skip
ATTRIBUTES = ["'name'", "'age'", "'nope'", "'a'", "0", "1", "'0'", "'b.0'", "'name.0'", "-1", "''"]
INTEGERS = ["0", "1", "2", "3", "4", "5", "7", "10", "20", "80", "-1", "-3"]


def fill(generator, pattern, depth):
    """The pattern with something random in each place."""

    def part(match):
        kinds = {
            "e": lambda: generator.expression(depth),
            "t": generator.text,
            "n": generator.number,
            "k": lambda: generator.random.choice(INTEGERS),
            "c": generator.constant,
            "a": lambda: generator.random.choice(ATTRIBUTES),
            "f": lambda: named(NAMED_FILTERS),
            "q": lambda: named(NAMED_TESTS),
        }
        return kinds[match[1]]()

    def named(patterns):
        return fill(generator, generator.random.choice(patterns), depth)

    return re.sub(r"\{(\w)\}", part, pattern)


def filter_call(generator, depth):
    return fill(generator, generator.random.choice(FILTERS), depth)


def test_call(generator, depth):
    return fill(generator, generator.random.choice(TESTS), depth)
