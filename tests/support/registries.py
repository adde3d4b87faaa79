"""Packages of toy servers, and where real package tools find them: no registry is asked."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import sys
import tarfile
import threading
import zipfile
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.support.toy_proofs import TOYS

_MAIN = """\
import pathlib, runpy, sys
def main():
    folder = pathlib.Path(__file__).with_name({module!r} + "_parts")
    sys.path.insert(0, str(folder))
    sys.argv[1:] = [{trap!r}]
    runpy.run_path(str(folder / "traps.py"), run_name="__main__")
"""
_SCRIPT = """\
#!/usr/bin/env node
const traps = require("path").join(__dirname, "traps.py");
require("child_process").spawn({python}, ["-S", traps, "Right"], {{ stdio: "inherit" }});
"""
_PARTS = ("traps.py", "wire.py")
"""A stage shows what was installed, and no folder of the tests."""


def make_wheel(folder: Path, name: str, version: str, trap: str, program: str) -> None:
    """A wheel whose program is one of the servers of `traps.py`."""
    folder.mkdir(parents=True, exist_ok=True)
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    files = {
        f"{module}.py": _MAIN.format(module=module, trap=trap),
        **{f"{module}_parts/{part}": (TOYS / part).read_text() for part in _PARTS},
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{program} = {module}:main\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in (*files, f"{info}/RECORD"))
    with zipfile.ZipFile(folder / f"{module}-{version}-py3-none-any.whl", "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)


def of_wheels(folder: Path) -> dict[str, str]:
    """The environment in which pip finds these wheels and nothing else."""
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder)}


@contextmanager
def npm_registry(name: str, version: str, marker: Path) -> Generator[dict[str, str], None, None]:
    """The environment in which npm finds a toy; its install script would make `marker`."""
    manifest = {
        "name": name,
        "version": version,
        "bin": {name: "main.js"},
        "scripts": {"postinstall": f"touch {marker}"},
    }
    files = {
        "package/package.json": json.dumps(manifest),
        "package/main.js": _SCRIPT.format(python=json.dumps(sys.executable)),
        **{f"package/{part}": (TOYS / part).read_text() for part in _PARTS},
    }
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for path, text in files.items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(text.encode()), 0o755
            archive.addfile(entry, io.BytesIO(text.encode()))
    packed = data.getvalue()
    digest = base64.b64encode(hashlib.sha512(packed).digest()).decode()

    def answer(path: str, address: str) -> bytes | None:
        if path.endswith(".tgz"):
            return packed
        dist = {"tarball": f"{address}/{name}.tgz", "integrity": f"sha512-{digest}"}
        document = {
            "name": name,
            "dist-tags": {"latest": version},
            "versions": {version: {**manifest, "dist": dist}},
        }
        return json.dumps(document).encode() if path == f"/{name}" else None

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = answer(self.path, address)
            self.send_response(404 if found is None else 200)
            self.send_header("Content-Length", str(len(found or b"")))
            self.end_headers()
            self.wfile.write(found or b"")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield {"npm_config_registry": address}
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
