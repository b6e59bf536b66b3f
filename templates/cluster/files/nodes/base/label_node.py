"""Writes what run_smoke.py found onto the node: a label, annotations and, where asked, a taint.

    label       LABEL=ok | LAYER | busy | error
    annotation  LABEL-why, LABEL-at: the cause, what to do, and when
    taint       TAINT=LAYER:NoSchedule while a layer is broken; taken away when all layers work

Nothing else of the node is touched. `busy` is a GPU whose memory others use: nobody's fault.
`error` is a test that failed itself: that says nothing of the node, so its taint stays as it is.
A report that does not come is the layer `inject`: both containers are of one image, so the one
with the GPU was kept from starting by the runtime that puts the GPU into it, or it hangs.

Environment:
    NODE_NAME  the node
    REPORT     the file of run_smoke.py
    WAIT       seconds in which a report must come
    EVERY      seconds between two reports; 0: label once
    LABEL      the key of the label
    TAINT      the key of the taint; empty: nodes are never tainted
    API        where the API server is; else the one of this cluster
    ACCOUNT    the folder of the service account: token and ca.crt
"""

import http.client
import json
import os
import ssl
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

# What gpu-smoke's exit codes mean: the layer, where a run that crashed left no finding.
LAYERS = {
    10: "hw", 11: "devnodes", 12: "inject", 13: "libcuda", 14: "init",
    15: "jit", 16: "exec", 17: "sharing", 18: "health", 19: "toolkit",
}  # fmt: skip
# Causes that are the work of whoever uses the GPU right now.
OF_OTHERS = {"out-of-memory", "memory-of-others", "device-unavailable"}
TRIES = 5


class Verdict:
    """What is to be said of the node."""

    def __init__(self, value: str, why: str, broken: bool | None) -> None:
        self.value = value
        self.why = why
        self.broken = broken  # None: unknown, the taint stays as it is


def judge(report: dict[str, Any] | None) -> Verdict:
    if report is None:
        return Verdict(
            "inject", "no report: the container with the GPU did not start, or hangs", True
        )
    code, found = report["exit"], report["finding"] or {}
    if code == 0:
        return Verdict("ok", "all layers work", False)
    if code not in LAYERS:
        return Verdict("error", f"gpu-smoke ended with {code}: see the log of its container", None)
    cause = found.get("cause", "unknown")
    why = f"{cause}: {found.get('what', 'no details')}; {found.get('fix', 'see the log')}"
    if cause in OF_OTHERS:
        return Verdict("busy", why, None)
    return Verdict(found.get("layer", LAYERS[code]), why, True)


def taints_of(node: dict[str, Any], key: str, verdict: Verdict) -> list[dict[str, Any]]:
    """The node's taints as they shall be: only the one of this key is ours."""
    old: list[dict[str, Any]] = node.get("spec", {}).get("taints") or []
    if not key or verdict.broken is None:
        return old
    kept = [taint for taint in old if taint["key"] != key]
    ours = {"key": key, "value": verdict.value, "effect": "NoSchedule"}
    return [*kept, ours] if verdict.broken else kept


def patch_of(node: dict[str, Any], label: str, taint: str, verdict: Verdict) -> dict[str, Any]:
    """A merge patch. With the version that was read, so that no other change of taints is lost."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    metadata = {
        "resourceVersion": node["metadata"]["resourceVersion"],
        "labels": {label: verdict.value},
        "annotations": {f"{label}-why": verdict.why[:1000], f"{label}-at": at},
    }
    patch: dict[str, Any] = {"metadata": metadata}
    taints = taints_of(node, taint, verdict)
    if taints != (node.get("spec", {}).get("taints") or []):
        patch["spec"] = {"taints": taints or None}
    return patch


class Api:
    """This cluster's API server, as far as one node goes."""

    def __init__(self, node: str) -> None:
        base = os.environ.get("API", "https://kubernetes.default.svc")
        self.account = Path(os.environ.get("ACCOUNT", "/run/account"))
        self.url = f"{base}/api/v1/nodes/{node}"

    def ask(self, method: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        # The token is changed in its file every hour.
        token = (self.account / "token").read_text().strip()
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/merge-patch+json"
            data = json.dumps(body).encode()
        asked = urllib.request.Request(self.url, data=data, headers=headers, method=method)
        trust = None
        if self.url.startswith("https:"):
            trust = ssl.create_default_context(cafile=str(self.account / "ca.crt"))
        with urllib.request.urlopen(asked, timeout=30, context=trust) as answer:
            node: dict[str, Any] = json.load(answer)
        return node

    def write(self, label: str, taint: str, verdict: Verdict) -> None:
        """Again where somebody else changed the node in between (409)."""
        for left in range(TRIES, 0, -1):
            node = self.ask("GET")
            try:
                self.ask("PATCH", patch_of(node, label, taint, verdict))
                return
            except urllib.error.HTTPError as error:
                if error.code != http.HTTPStatus.CONFLICT or left == 1:
                    raise
            time.sleep(0.2)


def wait_for(path: Path, newer_than: float, seconds: float) -> dict[str, Any] | None:
    """The report that was written behind that time, or none if it does not come."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            report: dict[str, Any] = json.loads(path.read_text())
        except FileNotFoundError:
            report = {"at": newer_than}
        if report["at"] > newer_than:
            return report
        time.sleep(min(1.0, seconds / 10))
    return None


def once(api: Api, newer_than: float, seconds: float) -> tuple[bool, float]:
    """Whether the node was written to, and the time of the report."""
    report = wait_for(Path(os.environ["REPORT"]), newer_than, seconds)
    verdict = judge(report)
    print(f"{os.environ['LABEL']}={verdict.value}: {verdict.why}", flush=True)
    try:
        api.write(os.environ["LABEL"], os.environ.get("TAINT", ""), verdict)
    except (OSError, http.client.HTTPException, ValueError) as error:
        print(f"the node cannot be labelled: {error}", file=sys.stderr, flush=True)
        return False, newer_than
    return True, report["at"] if report else newer_than


def main() -> int:
    api = Api(os.environ["NODE_NAME"])
    wait, every = float(os.environ["WAIT"]), float(os.environ.get("EVERY", "0"))
    done, at = once(api, 0.0, wait)
    while every:
        if not done:
            time.sleep(min(30.0, every))  # the same report again, unless a newer one is there
        done, at = once(api, at, every + wait)
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main())
