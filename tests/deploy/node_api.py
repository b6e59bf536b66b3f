"""A Kubernetes API server that knows one node, and takes only what a real one would."""

import contextlib
import copy
import http.server
import json
import re
import threading

KEY = re.compile(r"([a-z0-9.-]{1,253}/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
VALUE = re.compile(r"([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?")


def merged(old, patch):
    """RFC 7396: a JSON merge patch, which replaces lists whole."""
    if not isinstance(patch, dict):
        return patch
    new = dict(old) if isinstance(old, dict) else {}
    for key, value in patch.items():
        if value is None:
            new.pop(key, None)
        else:
            new[key] = merged(new.get(key), value)
    return new


def wrong(node):
    """Why the API server refuses the node; nothing where it does not."""
    for key, value in node["metadata"].get("labels", {}).items():
        if not KEY.fullmatch(key) or not isinstance(value, str) or not VALUE.fullmatch(value):
            return f"label {key}={value}"
    for key, value in node["metadata"].get("annotations", {}).items():
        if not KEY.fullmatch(key) or not isinstance(value, str):
            return f"annotation {key}"
    seen = set()
    for taint in node["spec"].get("taints", []):
        if set(taint) - {"key", "value", "effect", "timeAdded"}:
            return f"taint with {sorted(taint)}"
        if taint["effect"] not in ("NoSchedule", "PreferNoSchedule", "NoExecute"):
            return f"effect {taint['effect']}"
        if not KEY.fullmatch(taint["key"]) or not VALUE.fullmatch(taint.get("value", "")):
            return f"taint {taint}"
        if (taint["key"], taint["effect"]) in seen:
            return f"taint {taint['key']} twice"
        seen.add((taint["key"], taint["effect"]))
    return None


class NodeApi:
    """`asked` are the requests; `between` is called once, before a PATCH is looked at."""

    def __init__(self, name="worker-1", token="secret"):
        self.name = name
        self.token = token
        self.asked = []
        self.between = None
        self.fails = []
        self.node = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": name,
                "resourceVersion": "100",
                "labels": {"kubernetes.io/hostname": name},
                "annotations": {"theirs": "stays"},
            },
            "spec": {"podCIDR": "10.0.0.0/24"},
        }

    def change(self, patch):
        """As somebody else does: the version goes up."""
        node = merged(self.node, patch)
        node["metadata"]["resourceVersion"] = str(int(self.node["metadata"]["resourceVersion"]) + 1)
        self.node = node

    def answer(self, method, path, headers, body):
        self.asked.append((method, path))
        if self.fails:
            return self.fails.pop(0), {"kind": "Status"}
        if headers.get("Authorization") != f"Bearer {self.token}":
            return 401, {"kind": "Status", "message": "Unauthorized"}
        if path != f"/api/v1/nodes/{self.name}":
            return 403, {"kind": "Status", "message": f"{method} {path}"}
        if method == "GET":
            return 200, self.node
        if method != "PATCH":
            return 405, {"kind": "Status"}
        if headers.get("Content-Type") != "application/merge-patch+json":
            return 415, {"kind": "Status"}
        return self.patched(json.loads(body))

    def patched(self, patch):
        if self.between:
            act, self.between = self.between, None
            act()
        asked_for = patch.get("metadata", {}).get("resourceVersion")
        if asked_for not in (None, self.node["metadata"]["resourceVersion"]):
            return 409, {"kind": "Status", "reason": "Conflict"}
        node = merged(copy.deepcopy(self.node), patch)
        refused = wrong(node)
        if refused:
            return 422, {"kind": "Status", "message": refused}
        self.change(patch)
        return 200, self.node

    @property
    def labels(self):
        return self.node["metadata"]["labels"]

    @property
    def notes(self):
        return self.node["metadata"]["annotations"]

    @property
    def taints(self):
        return self.node["spec"].get("taints", [])


@contextlib.contextmanager
def serving(api, context=None):
    """The address of the API server; with a TLS context by HTTPS."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def respond(self):
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            status, document = api.answer(self.command, self.path, self.headers, body)
            text = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_PATCH = do_PUT = do_POST = do_DELETE = respond

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http{'s' if context else ''}://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
