"""Dashboard and alerts ask for metrics that exist."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from fastapi.routing import APIRoute

from it import (
    app,
    metrics,
    nvml,
    service,
)
from it.config import Settings

DEPLOY = Path(__file__).parent.parent / "deploy"
# What the exporters of GPU clusters have, not this service.
DCGM = re.compile(r"DCGM_FI_DEV_(XID_ERRORS|GPU_TEMP)")
WORDS = {"by", "sum", "min", "count", "rate", "increase", "histogram_quantile", "label_values"}
WORDS |= {"max_over_time", "last_over_time", "and", "up"}


@pytest.fixture
def known(fake) -> set[str]:
    """All names that /metrics can hold."""
    text = service.Service(Settings(), lambda: fake).metrics.text().decode()
    names = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    suffixes = {f"{name}_{end}" for name in names for end in ("bucket", "sum", "count")}
    return names | suffixes | {metrics.PREFIX + name for name, _, _ in nvml.READINGS}


def metrics_of(expression: str) -> set[str]:
    """The metrics of an expression: its words without labels, ranges, groups and functions."""
    bare = re.sub(r"\{[^}]*\}|\[[^]]*\]|\b(by|on) \([^)]*\)|\$\w+", " ", expression)
    return set(re.findall(r"\b[a-zA-Z_]\w*\b", bare)) - WORDS - {"job"}


def check(expression: str, known: set[str]) -> None:
    assert expression.count("(") == expression.count(")"), expression
    found = metrics_of(expression)
    assert found, expression
    for name in found:
        assert name in known or DCGM.fullmatch(name), f"{name} in {expression}"


def test_every_metric_has_the_prefix(known):
    common = ("process_", "python_", metrics.PREFIX)
    assert [name for name in known if not name.startswith(common)] == []


def test_a_metric_that_is_not_there_is_found_out(known):
    check('sum by (job) (rate(inference_http_requests_total{job="x"}[5m]))', known)
    with pytest.raises(AssertionError, match="http_request_total"):
        check("rate(inference_http_request_total[5m])", known)


def test_the_dashboard_is_whole_and_asks_for_what_there_is(known):
    board = json.loads((DEPLOY / "grafana/dashboard.json").read_text())
    assert {"title", "uid", "schemaVersion", "panels", "templating"} <= set(board)
    variables = {variable["name"] for variable in board["templating"]["list"]}
    numbers = [panel["id"] for panel in board["panels"]]
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in board["panels"]]
    assert len(set(numbers)) == len(set(places)) == len(board["panels"])
    for panel in board["panels"]:
        assert panel["type"] == "timeseries"
        assert panel["targets"]
        assert panel["datasource"]["uid"].strip("${}") in variables
        for target in panel["targets"]:
            check(target["expr"], known)
    for variable in board["templating"]["list"]:
        if variable["type"] == "query":
            check(variable["query"]["query"], known)
    assert len(board["panels"]) > 10


def test_requests_are_counted_where_the_model_is_asked_and_nowhere_else(fake):
    """Probes answer 503 while the service loads and drains, and that must wake nobody."""
    application = app.create_app(service.Service(Settings(), lambda: fake))
    documented = application.openapi()["paths"].items()
    routes = {path: {method.upper() for method in methods} for path, methods in documented}
    # And those that the documentation leaves out.
    routes |= {it.path: it.methods for it in application.routes if isinstance(it, APIRoute)}
    asked = {path for path, methods in routes.items() if "POST" in methods}
    assert len(asked) > 1
    files = ("prometheus/rules.yaml", "grafana/dashboard.json")
    text = "".join((DEPLOY / file).read_text() for file in files).replace('\\"', '"')
    selectors = re.findall(r"inference_http_request\w+\{([^}]*)\}", text)
    assert len(selectors) == text.count("http_request") > 4
    for selector in selectors:
        pattern = re.search(r'route=~"([^"]*)"', selector)
        assert pattern, selector
        assert {path for path in routes if re.fullmatch(pattern[1], path)} == asked


def test_every_alert_asks_for_what_there_is(known):
    files = sorted((DEPLOY / "prometheus").glob("*.yaml"))
    text = "".join(file.read_text() for file in files)
    folded = re.sub(r"expr: >-\n((?: {10}.*\n)+)", lambda m: "expr: " + join(m[1]) + "\n", text)
    expressions = re.findall(r"^ {8}expr: (.*)$", folded, re.M)
    assert len(expressions) == text.count("- alert:") > 5
    for expression in expressions:
        check(expression, known)
        assert re.search(r"(==|[<>]) ", expression), f"no threshold in {expression}"


def join(lines: str) -> str:
    return " ".join(line.strip() for line in lines.splitlines())
