"""Packs a directory as a wheel, the same for the same files: pack.py DIRECTORY WHEEL SECONDS."""

import base64
import hashlib
import os
import sys
import time
import zipfile


def files(root):
    for directory, _, names in os.walk(root):
        for name in names:
            path = os.path.join(directory, name)
            yield os.path.relpath(path, root), path


def is_program(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF" and ".so" not in os.path.basename(path)


def main(root, wheel, seconds):
    # Times in a zip file begin in 1980, and have a resolution of two seconds.
    moment = max(time.gmtime(int(seconds))[:6], (1980, 1, 1, 0, 0, 0))
    # The metadata of the wheel come last, so that they can be changed in place.
    names = sorted(files(root), key=lambda file: (".dist-info/" in file[0], file[0]))
    info = next(name.split("/")[0] for name, _ in names if ".dist-info/" in name)
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def add(name, contents, mode):
            entry = zipfile.ZipInfo(name, moment)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            archive.writestr(entry, contents)

        for name, path in names:
            with open(path, "rb") as file:
                contents = file.read()
            digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(contents)}\n")
            add(name, contents, 0o755 if is_program(path) else 0o644)
        record.append(f"{info}/RECORD,,\n")
        add(f"{info}/RECORD", "".join(record), 0o644)


if __name__ == "__main__":
    main(*sys.argv[1:])
