"""A registry in memory, which may be slow, want a token, and lie."""

import hashlib
import json
import threading
import time
import urllib.request
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

OCI = "application/vnd.oci.image."
INDEX, MANIFEST = OCI + "index.v1+json", OCI + "manifest.v1+json"
CONFIG = OCI + "config.v1+json"
DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json"
DOCKER = "application/vnd.docker.distribution.manifest.v2+json"


def digest_of(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


@dataclass
class Answer:
    body: bytes = b""
    status: int = 200
    headers: dict = field(default_factory=dict)


ROOT = Answer(headers={"Docker-Distribution-API-Version": "registry/2.0"})


@dataclass
class Fake:
    """`special` answers first: (method, path) to an Answer, or to a function of the request."""

    latency: float = 0
    token: str | None = None
    manifests: dict = field(default_factory=dict)  # (repository, tag or digest): (type, bytes)
    blobs: dict = field(default_factory=dict)
    special: dict = field(default_factory=dict)
    requests: list = field(default_factory=list)  # (method, path, authorization)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self):
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def handle_one(self):
                size = int(self.headers.get("Content-Length") or 0)
                self.body = self.rfile.read(size)
                time.sleep(fake.latency)
                authorization = self.headers.get("Authorization")
                with fake.lock:
                    fake.requests.append((self.command, self.path, authorization))
                answer = fake.answer(self, authorization)
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in answer.headers:
                    self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(answer.body)

            do_GET = do_HEAD = do_PUT = do_POST = do_PATCH = do_DELETE = handle_one

            def log_message(self, *_):
                pass

        class Listener(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                pass

        self.server = Listener(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.host = f"127.0.0.1:{self.port}"
        self.url = f"http://{self.host}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def put(self, repository, tag, document, kind=None):
        """A manifest under a tag and its digest; its bytes."""
        data = document if isinstance(document, bytes) else json.dumps(document).encode()
        kind = kind or document.get("mediaType")
        for name in (tag, digest_of(data)):
            self.manifests[repository, name] = (kind, data)
        return data

    def blob(self, repository, data):
        self.blobs[repository, digest_of(data)] = data
        return {"mediaType": CONFIG, "digest": digest_of(data), "size": len(data)}

    def image(self, repository, tag, os="linux", architecture="amd64", **more):
        """A manifest with a config and no layers."""
        platform = {"os": os, "architecture": architecture, **more}
        config = self.blob(repository, json.dumps(platform).encode())
        return self.put(
            repository,
            tag,
            {"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": []},
        )

    def paths(self, method="GET"):
        return [path for verb, path, _ in self.requests if verb == method]

    def answer(self, request, authorization):
        url = urlsplit(request.path)
        special = self.special.get((request.command, url.path))
        if special is not None:
            return special(request) if callable(special) else special
        if url.path == "/token":
            return self.grant(request)
        if self.token and not (authorization or "").startswith(f"Bearer {self.token}"):
            header = f'Bearer realm="{self.url}/token",service="fake"'
            return Answer(status=401, headers={"WWW-Authenticate": header})
        if url.path == "/v2/":
            return Answer(headers={"Docker-Distribution-API-Version": "registry/2.0"})
        if request.command in ("PUT", "POST"):
            return self.take(request.command, url, request)
        return self.content(url.path)

    def grant(self, request):
        """A token for what is asked for."""
        scopes = ",".join(parse_qs(urlsplit(request.path).query)["scope"])
        return Answer(json.dumps({"token": f"{self.token}-{scopes}"}).encode())

    def take(self, method, url, request):
        """What is pushed."""
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        repository, _, rest = url.path.removeprefix("/v2/").partition(
            "/manifests/" if "/manifests/" in url.path else "/blobs/uploads/"
        )
        if "/manifests/" in url.path:
            self.put(repository, rest, request.body, request.headers["Content-Type"])
            digest = digest_of(request.body)
            return Answer(status=201, headers={"Docker-Content-Digest": digest})
        if method == "PUT":
            self.blobs[repository, query["digest"]] = request.body
            return Answer(status=201)
        known = self.blobs.get((query.get("from"), query.get("mount")))
        if known is not None:
            self.blobs[repository, query["mount"]] = known
            return Answer(status=201)
        return Answer(status=202, headers={"Location": f"/v2/{repository}/blobs/uploads/1?state=x"})

    def push_blob(self, repository, data):
        return {"digest": self.blob(repository, data)["digest"], "size": len(data)}

    def request(self, method, path, data=None, **headers):
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        return urllib.request.urlopen(request, timeout=10)

    def content(self, path):
        repository, _, rest = path.removeprefix("/v2/").rpartition("/")
        repository, _, kind = repository.rpartition("/")
        if kind == "manifests" and (repository, rest) in self.manifests:
            media, data = self.manifests[repository, rest]
            headers = {"Docker-Content-Digest": digest_of(data)}
            if media:
                headers["Content-Type"] = media
            return Answer(data, headers=headers)
        if kind == "blobs" and (repository, rest) in self.blobs:
            return Answer(self.blobs[repository, rest])
        return Answer(status=404)
