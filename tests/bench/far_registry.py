"""A registry that is far away: indexes under any tag, each answer so many seconds late."""

import asyncio
import hashlib
import json
import queue
import threading
from contextlib import contextmanager
from functools import cache

KIND = "application/vnd.oci.image.index.v1+json"
TLS = b"\x16"  # how a client begins who expects it
MANIFEST = "application/vnd.oci.image.manifest.v1+json"


@cache
def index_of(path):
    """An index of two platforms, another one for each path: as those of CUDA's images."""

    def manifest(processor):
        digest = hashlib.sha256(f"{path} {processor}".encode()).hexdigest()
        platform = {"architecture": processor, "os": "linux"}
        return {
            "mediaType": MANIFEST,
            "digest": f"sha256:{digest}",
            "size": 2000,
            "platform": platform,
        }

    manifests = [manifest(processor) for processor in ("amd64", "arm64")]
    return json.dumps({"schemaVersion": 2, "mediaType": KIND, "manifests": manifests}).encode()


def answer_to(request):
    path = request.split(b" ", 2)[1].decode()
    body = b"{}" if path == "/v2/" else index_of(path)
    digest = hashlib.sha256(body).hexdigest()
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: {KIND}\r\nContent-Length: {len(body)}\r\n"
        f"Docker-Content-Digest: sha256:{digest}\r\n"
        "Docker-Distribution-Api-Version: registry/2.0\r\n\r\n"
    )
    return head.encode() + (b"" if request.startswith(b"HEAD ") else body)


async def talk(reader, writer, latency, asked):
    try:
        while (first := await reader.read(1)) and first != TLS:
            request = first + await reader.readuntil(b"\r\n\r\n")
            asked.append(request.split(b"\r\n")[0].decode())
            await asyncio.sleep(latency)
            writer.write(answer_to(request))
        await asyncio.sleep(latency)  # a refusal comes no sooner than an answer
    except (asyncio.CancelledError, asyncio.IncompleteReadError, OSError):
        pass  # the bench ends, or the client does
    writer.close()


@contextmanager
def running(latency):
    """Gives its port, and a list of what was asked."""
    asked, begun = [], queue.Queue()

    async def serve():
        end = asyncio.Event()
        server = await asyncio.start_server(
            lambda reader, writer: talk(reader, writer, latency, asked), "127.0.0.1", 0, backlog=500
        )
        begun.put((server.sockets[0].getsockname()[1], asyncio.get_running_loop(), end))
        await end.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    port, loop, end = begun.get()
    try:
        yield port, asked
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join()
