"""Packs a directory as a wheel, the same for the same files: pack.py DIRECTORY WHEEL SECONDS [patient]."""

import base64
import hashlib
import os
import shutil
import struct
import subprocess
import sys
import time
import zlib


def files(root):
    for directory, _, names in os.walk(root):
        for name in names:
            path = os.path.join(directory, name)
            yield os.path.relpath(path, root), path


def is_program(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF" and ".so" not in os.path.basename(path)


def deflated(contents, path):
    """The contents, compressed. With a path by zopfli, if it is installed: it takes two minutes for all, and makes a wheel 4 % smaller."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15, 9)
    best = compressor.compress(contents) + compressor.flush()
    if path and contents and shutil.which("zopfli"):
        done = subprocess.run(["zopfli", "--deflate", "-c", path], check=True, stdout=subprocess.PIPE)
        best = min(best, done.stdout, key=len)
    return best


class Archive:
    """A zip file, written here because zipfile takes no data that are compressed already."""

    VERSION, UTF8, DEFLATED, UNIX = 20, 0x800, 8, 3

    def __init__(self, file, moment):
        self.file, self.directory, self.count = file, b"", 0
        self.date = (moment[0] - 1980) << 9 | moment[1] << 5 | moment[2]
        self.time = moment[3] << 11 | moment[4] << 5 | moment[5] // 2

    def add(self, name, contents, mode, path=None):
        at, packed, encoded = self.file.tell(), deflated(contents, path), name.encode()
        sums = (self.time, self.date, zlib.crc32(contents), len(packed), len(contents), len(encoded), 0)
        common = struct.pack("<4H3L2H", self.UTF8, self.DEFLATED, *sums)
        self.file.write(b"PK\3\4" + struct.pack("<H", self.VERSION) + common + encoded + packed)
        self.directory += b"PK\1\2" + struct.pack("<BBH", self.VERSION, self.UNIX, self.VERSION) + common
        self.directory += struct.pack("<3H2L", 0, 0, 0, (0o100000 | mode) << 16, at) + encoded
        self.count += 1

    def finish(self):
        at = self.file.tell()
        end = struct.pack("<4H2LH", 0, 0, self.count, self.count, len(self.directory), at, 0)
        self.file.write(self.directory + b"PK\5\6" + end)


def main(root, wheel, seconds, patient=None):
    # Times in a zip file begin in 1980, and have a resolution of two seconds.
    moment = max(time.gmtime(int(seconds))[:6], (1980, 1, 1, 0, 0, 0))
    # The metadata of the wheel come last, so that they can be changed in place.
    names = sorted(files(root), key=lambda file: (".dist-info/" in file[0], file[0]))
    info = next(name.split("/")[0] for name, _ in names if ".dist-info/" in name)
    record = []
    with open(wheel, "wb") as out:
        archive = Archive(out, moment)
        for name, path in names:
            with open(path, "rb") as file:
                contents = file.read()
            digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(contents)}\n")
            archive.add(name, contents, 0o755 if is_program(path) else 0o644, path if patient else None)
        record.append(f"{info}/RECORD,,\n")
        archive.add(f"{info}/RECORD", "".join(record).encode(), 0o644)
        archive.finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
