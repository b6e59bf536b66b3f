"""Git packs made by hand, right or wrong in any way (gitformat-pack)."""

import hashlib
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path

COMMIT, TREE, BLOB, TAG, OFS_DELTA, REF_DELTA = 1, 2, 3, 4, 6, 7
NAMES = {"commit": COMMIT, "tree": TREE, "blob": BLOB, "tag": TAG}


def number(value: int) -> bytes:
    """A size in a delta: 7 bits in each byte, the low ones first."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def header(kind: int, size: int) -> bytes:
    out = bytearray()
    byte = kind << 4 | size & 15
    size >>= 4
    while size:
        out.append(byte | 128)
        byte = size & 127
        size >>= 7
    return bytes([*out, byte])


def distance(value: int) -> bytes:
    """How far back the base of a delta lies."""
    out = [value & 127]
    value >>= 7
    while value:
        value -= 1
        out.insert(0, 128 | value & 127)
        value >>= 7
    return bytes(out)


def insert(text: bytes) -> bytes:
    return b"".join(
        bytes([len(text[i : i + 127])]) + text[i : i + 127] for i in range(0, len(text), 127)
    )


def copy(offset: int, size: int) -> bytes:
    return b"\xff" + struct.pack("<I", offset) + struct.pack("<I", size)[:3]


def delta(base_size: int, size: int, *steps: bytes) -> bytes:
    return number(base_size) + number(size) + b"".join(steps)


@dataclass
class Entry:
    """One object; `size` and `raw` where they are not what they should be."""

    oid: str
    kind: int
    body: bytes
    base: object = None  # oid for REF_DELTA, index of an entry or a distance for OFS_DELTA
    size: int | None = None
    raw: bytes | None = None

    def data(self, offset, offsets) -> bytes:
        size = len(self.body) if self.size is None else self.size
        out = header(self.kind, size)
        if self.kind == REF_DELTA:
            out += bytes.fromhex(self.base)
        elif self.kind == OFS_DELTA:
            back = self.base[0] if isinstance(self.base, tuple) else offset - offsets[self.base]
            out += distance(back)
        return out + (zlib.compress(self.body, 1) if self.raw is None else self.raw)


@dataclass
class Pack:
    entries: list = field(default_factory=list)
    count: int | None = None  # what the pack's header says

    def add(self, *args, **more) -> int:
        self.entries.append(Entry(*args, **more))
        return len(self.entries) - 1

    def build(self) -> tuple:
        offsets, data = [], struct.pack(">4sII", b"PACK", 2, self.count or len(self.entries))
        for entry in self.entries:
            offsets.append(len(data))
            data += entry.data(len(data), offsets)
        return data + hashlib.sha1(data).digest(), offsets

    def index(self, pack: bytes, offsets: list, **wrong) -> bytes:
        rows = sorted((bytes.fromhex(e.oid), o) for e, o in zip(self.entries, offsets, strict=True))
        fan = [sum(oid[0] <= first for oid, _ in rows) for first in range(256)]
        fan = wrong.get("fan", fan)
        sums = {
            o: zlib.crc32(pack[o:e])
            for o, e in zip(offsets, [*offsets[1:], len(pack) - 20], strict=True)
        }
        crcs = b"".join(struct.pack(">I", sums[offset]) for _, offset in rows)
        rows = [(oid, wrong.get("offset", offset)) for oid, offset in rows]
        out = b"\xfftOc" + struct.pack(">I256I", wrong.get("version", 2), *fan)
        out += b"".join(oid for oid, _ in rows) + crcs
        out += b"".join(struct.pack(">I", offset) for _, offset in rows) + wrong.get("more", b"")
        out += pack[-20:]
        return out + hashlib.sha1(out).digest()

    def write(self, git_dir: Path, cut=None, idx_cut=None, **wrong) -> None:
        """In place of all objects of the repository."""
        data, offsets = self.build()
        index = self.index(data, offsets, **wrong)
        place = git_dir / "objects" / "pack"
        place.mkdir(exist_ok=True)
        for old in place.iterdir():
            old.unlink()
        name = place / f"pack-{data[-20:].hex()}"
        name.with_suffix(".pack").write_bytes(data[:cut])
        name.with_suffix(".idx").write_bytes(index[:idx_cut])
