"""A forge's REST API for pull and merge requests, as strict as its documentation."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

TOKEN = "tok-en"


class Forge:
    """GitHub's and GitLab's requests of one repository, `acme/it`, number 7; kept in `requests`."""

    def __init__(self):
        self.requests = []
        self.log = []
        self.refuse = None  # a status that every change is answered with
        forge = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                status, body = forge.handle(
                    self.command, self.path, self.headers, self.rfile.read(length)
                )
                text = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PATCH = do_PUT = answer  # noqa: N815

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def handle(self, method, address, headers, body):
        path, query = urlsplit(address).path, parse_qs(urlsplit(address).query)
        self.log.append((method, path))
        github = path.startswith("/repos/acme/it/pulls")
        if not github and not path.startswith("/api/v4/projects/7/merge_requests"):
            return 404, {"message": "Not Found"}
        given = headers.get("Authorization") if github else headers.get("PRIVATE-TOKEN")
        if given != (f"Bearer {TOKEN}" if github else TOKEN):
            return 401, {"message": "Bad credentials"}
        if method == "GET":
            return self.list(github, query)
        if self.refuse:
            return self.refuse, {"message": "Resource not accessible by integration"}
        data = json.loads(body)
        if method == "POST":
            return self.open(github, data)
        return self.renew(github, method, path, data)

    def list(self, github, query):
        if github:
            assert query == {"state": ["open"], "head": ["acme:tmplgen/update"], "base": ["main"]}
        else:
            assert query == {
                "state": ["opened"],
                "source_branch": ["tmplgen/update"],
                "target_branch": ["main"],
            }
        return 200, [self.shown(github, it) for it in self.requests if it["open"]]

    def open(self, github, data):
        allowed = (
            {"title", "body", "head", "base", "draft"}
            if github
            else {"title", "description", "source_branch", "target_branch", "remove_source_branch"}
        )
        if set(data) - allowed or not data.get("title"):
            return 422, {"message": f"unknown or missing: {sorted(set(data) ^ allowed)}"}
        self.requests.append({"open": True, "number": len(self.requests) + 1, **data})
        return 201, self.shown(github, self.requests[-1])

    def renew(self, github, method, path, data):
        number = int(path.rpartition("/")[2])
        if method != ("PATCH" if github else "PUT"):
            return 405, {"message": "method"}
        if set(data) - {"title", "body", "description"}:
            return 422, {"message": "unknown"}
        self.requests[number - 1].update(data)
        return 200, self.shown(github, self.requests[number - 1])

    @staticmethod
    def shown(github, it):
        if github:
            return {
                "number": it["number"],
                "html_url": f"https://forge/acme/it/pull/{it['number']}",
            }
        return {"iid": it["number"], "web_url": f"https://forge/acme/it/-/{it['number']}"}
