"""Go: gopls with the compiler as a witness; go vet as a command; the compiler for the radius."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.support import file_edits_go, go_project
from tests.support.kit import Oracle, Pairing, Sample
from tests.support.oracle import DEADLINE_S, STOPPED, Found, json_values, run
from tests.support.oracle_fresh import Fresh, by_fresh
from tests.support.servers import environment

_GO_ERROR = re.compile(r"^vet: ", re.MULTILINE)
"""It stops at the first error of a package."""
_GO_LINE = re.compile(r"(?:vet: )?(?P<path>[^\s:]+\.go):(?P<line>\d+)(?::\d+)?: ")
_SERVER = Fresh(("gopls",), {".go": "go"}, {"pullDiagnostics": True})


def _gopls(folder: Path) -> Iterator[Found]:
    """A new gopls, and the compiler as a witness of whether there is any error at all."""
    found = list(by_fresh(_SERVER)(folder))
    vet = subprocess.run(
        ["go", "vet", "./..."], cwd=folder, env=environment(), capture_output=True,
        text=True, timeout=DEADLINE_S, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    has_errors = any(one.severity == "error" for one in found)
    assert not has_errors or vet.returncode != 0, f"go vet finds nothing, gopls {found}"
    assert has_errors or not _GO_ERROR.search(vet.stderr), f"only go vet finds: {vet.stderr}"
    if has_errors:
        found.append(STOPPED)  # of a package with type errors no analyser says anything
    return iter(found)


def _go_vet(folder: Path) -> Iterator[Found]:
    """`go vet` about all packages: in text what does not build, in JSON what it finds."""
    for module in sorted(folder.rglob("go.mod")):
        yield from _vetted(folder, module.parent)


def _vetted(root: Path, folder: Path) -> Iterator[Found]:
    done = run(folder, "go", "vet", "-json", "./...")
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, Found] = {}  # a package with tests is judged twice
    for line in done.stderr.splitlines():
        if (match := _GO_LINE.match(line)) is not None:
            path = (folder / match["path"]).relative_to(root).as_posix()
            said = f"{path} {line.removeprefix('vet: ').removeprefix('./')}"
            found[said] = Found(path, int(match["line"]) - 1, None, "error")
            found[""] = STOPPED
        elif line and not line.startswith(("#", "\t")):
            found[""] = STOPPED
    for packages in json_values(done.stdout):
        for analyzers in packages.values():
            for name, items in analyzers.items():
                for item in items:
                    path, line, _ = item["posn"].rsplit(":", 2)
                    path = Path(path).resolve().relative_to(root).as_posix()
                    found[json.dumps(item)] = Found(path, int(line) - 1, name, "error")
    yield from found.values()


def _go_compile(folder: Path) -> Iterator[Found]:
    """The compiler about all packages and their tests, past the first error; nothing is linked."""
    for module in sorted(folder.rglob("go.mod")):
        yield from _compiled(folder, module.parent)


def _compiled(root: Path, folder: Path) -> Iterator[Found]:
    command = ("go", "list", "-e", "-test", "-export", "-gcflags=-e", "-json=Error,DepsErrors")
    done = run(folder, *command, "./...")
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, Found] = {}  # a package with tests is compiled twice
    packages = list(json_values(done.stdout))
    for error in (
        *(one["Error"] for one in packages if "Error" in one),
        *(error for one in packages for error in one.get("DepsErrors") or ()),
    ):
        found[""] = STOPPED  # what imports it is not compiled
        for line in (*error["Err"].splitlines(), f"{error['Pos']}: {error['Err']}"):
            if (match := _GO_LINE.match(line)) is not None:
                path = (folder / match["path"]).resolve().relative_to(root).as_posix()
                place = Found(path, int(match["line"]) - 1, None, "error")
                found[line.removeprefix("./")] = place
    yield from found.values()


_SAMPLE = Sample(
    "go",
    go_project.make,
    file_edits_go.scenarios,
    lambda text, marker: f"{text}\nvar _ = {marker}\n",
)
PAIRINGS = (Pairing("gopls", Oracle("gopls", _gopls, 7), _SAMPLE, n_edits=5),)
COMMANDS = (Pairing("go-vet", Oracle("go-vet", _go_vet, program="go"), _SAMPLE),)
COMPILERS = (Pairing("go-compile", Oracle("go-compile", _go_compile, program="go"), _SAMPLE),)
