"""The truth about an edit, by cold command lines over a copy of the whole project.

Nothing here comes from the package under test: own parsing, own line mapping, own comparison.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tests.support import oracle_commands, oracle_fresh
from tests.support.edits import GeneratedEdit, Origins
from tests.support.sample import Project
from tests.support.servers import environment, node, program

DEADLINE_S = 300


class Found(NamedTuple):
    """One finding of a checker: 0-based line, `code` None where the checker gives none."""

    path: str
    line: int
    code: str | None
    severity: str


Key = tuple[str, int, str | None]
"""What findings are compared by: path, 0-based line, code."""


@dataclass(frozen=True)
class Delta:
    """What an edit introduces (lines of the new text) and fixes (lines of the old one)."""

    introduced: Counter[Key]
    fixed: Counter[Key]

    def untouched(self, edit: GeneratedEdit) -> frozenset[str]:
        """The files with a difference that the edit does not touch."""
        changed = {path for path, _, _ in (*self.introduced, *self.fixed)}
        return frozenset(changed - set(edit.files))


class Truth:
    """One checker's truth about a project, in a folder of its own; *before* is judged once."""

    def __init__(self, tool: str, project: Project, folder: Path) -> None:
        self.tool = tool
        self.project = project
        self.folder = project.write(folder)
        self.before = findings(tool, folder)

    def after(self, edit: GeneratedEdit) -> Counter[Found]:
        """All findings of the project with the edit applied."""
        try:
            for path, text in edit.files.items():
                _write(self.folder / path, text)
            return findings(self.tool, self.folder)
        finally:
            for path in edit.files:
                _write(self.folder / path, self.project.files.get(path))

    def delta(self, edit: GeneratedEdit) -> Delta:
        """What the edit introduces and fixes in the whole project."""
        return settled(oracle_delta(self.before, self.after(edit), edit), edit)


def findings(tool: str, folder: Path) -> Counter[Found]:
    """All findings of a checker over a folder; `tool` is a key of `TOOLS`."""
    return Counter(TOOLS[tool](folder.resolve()))


def oracle_delta(before: Counter[Found], after: Counter[Found], edit: GeneratedEdit) -> Delta:
    """Compare by (path, line, code), severity warning or worse; old lines move as the edit did."""
    moved: Counter[Key] = Counter()
    fixed: Counter[Key] = Counter()
    homes = edit.homes()
    came_from: dict[Key, Key] = {}
    for key, number in _keys(before).items():
        path, line, code = key
        home, new_line = path, line
        if path in edit.files:
            home = homes.get(path, path)
            new_line = _forward(edit, path).get(line) if path in homes else None
        if new_line is None:
            fixed[key] += number
            continue
        moved[home, new_line, code] += number
        came_from[home, new_line, code] = key
    now = _keys(after)
    for key, number in (moved - now).items():
        fixed[came_from[key]] += number
    if oracle_commands.STOPPED in after:
        fixed = Counter({key: n for key, n in fixed.items() if edit.files.get(key[0], "") is None})
    return Delta(now - moved, fixed)


def settled(delta: Delta, edit: GeneratedEdit) -> Delta:
    """Strike out findings that are fixed and introduced by code on lines that were rewritten.

    Whether a finding on a rewritten line is the old one or a new one is a matter of taste: both
    answers are right, so both sides of a comparison are settled first.
    """
    introduced, fixed = delta.introduced.copy(), delta.fixed.copy()
    homes = edit.homes()
    for old in sorted(delta.fixed, key=str):
        path, line, code = old
        if path not in homes or line in _forward(edit, path):
            continue
        for new in sorted(delta.introduced, key=str):
            if new[0] == homes[path] and new[2] == code and _is_rewritten(edit, new[0], new[1]):
                number = min(introduced[new], fixed[old])
                introduced[new] -= number
                fixed[old] -= number
    return Delta(+introduced, +fixed)


def _is_rewritten(edit: GeneratedEdit, path: str, line: int) -> bool:
    origins = edit.origins[path]
    return line < len(origins) and origins[line] is None


def _keys(found: Counter[Found]) -> Counter[Key]:
    keys: Counter[Key] = Counter()
    for one, number in found.items():
        if one.severity in ("error", "warning"):
            keys[one.path, one.line, one.code] += number
    return keys


def _forward(edit: GeneratedEdit, path: str) -> Mapping[int, int]:
    """Old line -> new line of the file that was at `path`; its end stays its end."""
    origins: Origins = edit.origins[edit.homes()[path]]
    lines = {old: new for new, old in enumerate(origins) if old is not None}
    before = edit.before[path]
    if before is not None:
        lines[len(before.splitlines())] = len(origins)
    return lines


def _write(path: Path, text: str | None) -> None:
    """Write or delete; a folder without files is gone, as in a checkout."""
    if text is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        return
    path.unlink(missing_ok=True)
    for folder in path.parents:
        try:
            folder.rmdir()
        except OSError:  # not empty
            return


def _output(folder: Path, *command: str, codes: tuple[int, ...] = (0, 1)) -> str:
    """Run a checker cold; any other exit code is a failure of the oracle, never "no findings"."""
    done = subprocess.run(
        [str(program(command[0])) if "/" not in command[0] else command[0], *command[1:]],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    if done.returncode not in codes:
        raise AssertionError(
            f"{command} exited with {done.returncode}: {done.stderr or done.stdout}"
        )
    return done.stdout


def _pyright(name: str) -> Callable[[Path], Iterator[Found]]:
    def run(folder: Path) -> Iterator[Found]:
        report = json.loads(_output(folder, name, "--outputjson"))
        assert report["summary"]["filesAnalyzed"] > 0, f"{name} has judged no file"
        for item in report["generalDiagnostics"]:
            path = Path(item["file"]).resolve().relative_to(folder).as_posix()
            # An import cycle has no place; a language server can only put it at the start.
            line = item["range"]["start"]["line"] if "range" in item else 0
            yield Found(path, line, item.get("rule"), item["severity"])

    return run


def _ruff(folder: Path) -> Iterator[Found]:
    text = _output(folder, "ruff", "check", "--no-cache", "--output-format", "json")
    for item in json.loads(text):
        path = Path(item["filename"]).resolve().relative_to(folder).as_posix()
        yield Found(path, item["location"]["row"] - 1, item["code"], "warning")


def _ty(folder: Path) -> Iterator[Found]:
    severities = {"info": "information", "minor": "warning", "major": "error", "critical": "error"}
    text = _output(folder, "ty", "check", "--output-format", "gitlab")
    for item in json.loads(text):
        place = item["location"]
        line = place["positions"]["begin"]["line"] - 1
        yield Found(place["path"], line, item["check_name"], severities[item["severity"]])


_TSC_LINE = re.compile(
    r"^(?P<path>[^\s(][^(]*)\((?P<line>\d+),\d+\): (?P<word>\w+) TS(?P<code>\d+):"
)
_SYNTAX = re.compile(r"1\d\d\d$")
"""Codes of syntax errors, and of a few others."""


def _tsc(name: str) -> Callable[[Path], Iterator[Found]]:
    def run(folder: Path) -> Iterator[Found]:
        found = list(_tsc_lines(name, folder))
        if any(one.code is not None and _SYNTAX.match(one.code) for one in found):
            # The command line stops at syntax errors and is silent about all else.
            found = list(_by_api(name, folder))
        yield from found

    return run


def _tsc_lines(name: str, folder: Path) -> Iterator[Found]:
    text = _output(folder, name, "--noEmit", "--pretty", "false", "-p", ".", codes=(0, 1, 2))
    for line in text.splitlines():
        match = _TSC_LINE.match(line)
        if match is not None:
            yield Found(match["path"], int(match["line"]) - 1, match["code"], match["word"].lower())
        elif line and not line.startswith(" "):
            raise AssertionError(f"{name} said something that is not a finding: {line}")


def _by_api(name: str, folder: Path) -> Iterator[Found]:
    """All findings by a cold run of the compiler's own programming interface."""
    compiler = program(name).resolve().parent.parent
    script = Path(__file__).with_name("typescript_api.mjs")
    command = (str(node()), str(script), str(compiler))
    for line in _output(folder, *command, codes=(0,)).splitlines():
        item = json.loads(line)
        path = Path(item["fileName"]).resolve().relative_to(folder).as_posix()
        severity = ("warning", "error", "hint", "information")[item["category"]]
        yield Found(path, item["line"], str(item["code"]), severity)


_GO_ERROR = re.compile(r"^vet: ", re.MULTILINE)
"""It stops at the first error of a package."""
_CLANGD_LINE = re.compile(r"[EI]\[[^]]*\] \[(?P<code>[^]]+)\] Line (?P<line>\d+): ")
_CLANGD_SUFFIXES = (".c", ".cc", ".cpp", ".h", ".hpp")


def _clangd(folder: Path) -> Iterator[Found]:
    """clangd's own check of one file, in a process for each."""

    def check(path: str) -> str:
        options = ("--check-warnings", "--check-locations=false", "--check-completion=false")
        done = subprocess.run(
            [str(program("clangd")), f"--check={path}", *options],
            cwd=folder, env=environment(), capture_output=True, text=True, timeout=DEADLINE_S,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert "All checks completed" in done.stderr, done.stderr
        return done.stderr

    sources = (path for path in folder.rglob("*") if path.name.endswith(_CLANGD_SUFFIXES))
    paths = sorted(path.relative_to(folder).as_posix() for path in sources)
    with ThreadPoolExecutor(2) as pool:
        for path, output in zip(paths, pool.map(check, paths), strict=True):
            for line in output.splitlines():
                if (match := _CLANGD_LINE.match(line)) is not None:
                    yield Found(path, int(match["line"]) - 1, match["code"], "error")


def _shellcheck(folder: Path) -> Iterator[Found]:
    scripts = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.sh"))
    severities = {"info": "information", "style": "hint"}
    items: list[dict[str, Any]] = json.loads(_output(folder, "shellcheck", "-f", "json", *scripts))
    for item in items:
        severity = severities.get(item["level"], item["level"])
        yield Found(item["file"], item["line"] - 1, f"SC{item['code']}", severity)


def _eslint(folder: Path) -> Iterator[Found]:
    items: list[dict[str, Any]] = json.loads(_output(folder, "eslint", "-f", "json", "."))
    for item in items:
        path = Path(item["filePath"]).resolve().relative_to(folder).as_posix()
        for one in item["messages"]:
            severity = "error" if one["severity"] == 2 else "warning"
            yield Found(path, one["line"] - 1, one["ruleId"], severity)


def _tsc_command(folder: Path) -> Iterator[Found]:
    """What the command line says, and no more; its profile leaves the codes as they are printed."""
    for found in _tsc_lines("tsc", folder):
        yield found._replace(code=f"TS{found.code}")
        if found.code is not None and _SYNTAX.match(found.code):
            yield Found(*oracle_commands.STOPPED)


def _command(
    run: Callable[[Path], Iterator[oracle_commands.Item]],
) -> Callable[[Path], Iterator[Found]]:
    return lambda folder: (Found(*item) for item in run(folder))


def _fresh(server: oracle_fresh.Fresh) -> Callable[[Path], Iterator[Found]]:
    def run(folder: Path) -> Iterator[Found]:
        for path, item in oracle_fresh.diagnostics(server, folder, DEADLINE_S):
            severity = ("error", "warning", "information", "hint")[item.get("severity", 1) - 1]
            code = item.get("code")
            line = item["range"]["start"]["line"]
            yield Found(path, line, None if code is None else str(code), severity)

    return run


def _gopls(folder: Path) -> Iterator[Found]:
    """A new gopls, and the compiler as a witness of whether there is any error at all."""
    found = list(_fresh(oracle_fresh.GO)(folder))
    vet = subprocess.run(
        ["go", "vet", "./..."], cwd=folder, env=environment(), capture_output=True,
        text=True, timeout=DEADLINE_S, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    has_errors = any(one.severity == "error" for one in found)
    assert not has_errors or vet.returncode != 0, f"go vet finds nothing, gopls {found}"
    assert has_errors or not _GO_ERROR.search(vet.stderr), f"only go vet finds: {vet.stderr}"
    return iter(found)


TOOLS: Mapping[str, Callable[[Path], Iterator[Found]]] = {
    "pyright": _pyright("pyright"),
    "basedpyright": _pyright("basedpyright"),
    "ruff": _ruff,
    "ty": _ty,
    "typescript5": _tsc("tsc5"),
    "typescript7": _tsc("tsc"),
    "clangd": _clangd,
    "shellcheck": _shellcheck,
    "eslint": _eslint,
    "gopls": _gopls,
    "json": _fresh(oracle_fresh.JSON),
    "tsc": _tsc_command,
    "mypy": _command(oracle_commands.mypy),
    "cargo-check": _command(oracle_commands.cargo_check),
    "go-vet": _command(oracle_commands.go_vet),
    "css": _fresh(oracle_fresh.CSS),
    "html": _fresh(oracle_fresh.HTML),
}
"""Checker -> all its findings over a folder (an absolute, real path)."""
