"""Changes what must not break, a place at a time, and tells what no test has noticed.

    python -m tools.mutants [NAME...] [--into FOLDER]

NAME is a group of `docs/reference/mutants.md`, where survivors stand with the reason why no test
kills them; without one, all groups are run. It ends with 1 where a mutant survives that is not in
the list, or one of the list does not. The tool is mutmut: `.venv/bin/pip install --group mutants`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from understudy.values import toml

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "mutants.md"
_LISTED = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CONFIG = """[mutmut]
source_paths=src
only_mutate=
    {modules}
also_copy=
    package.json
pytest_add_cli_args=
    -n0
    -p
    no:cacheprovider
pytest_add_cli_args_test_selection=
    {tests}
"""


def main(arguments: Sequence[str]) -> int:
    """Run groups; 0 if exactly the listed mutants survive."""
    groups = listed()
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*groups, []], metavar="NAME")
    parser.add_argument("--into", type=Path, help="work there, and leave it all (default: nothing)")
    given = parser.parse_args(arguments)
    if shutil.which("mutmut", path=str(Path(sys.executable).parent)) is None:
        sys.stderr.write("no mutmut here: .venv/bin/pip install --group mutants\n")
        return 2
    code = 0
    with tempfile.TemporaryDirectory(prefix="understudy-mutants-") as temporary:
        for name in given.names or groups:
            place = (given.into or Path(temporary)).resolve() / name
            copy(place, groups[name])
            code |= tell(name, groups[name], *survivors(place))
    return code


def listed() -> Mapping[str, Mapping[str, Any]]:
    """Group -> `modules`, `tests`, and `survivors` as the page has them."""
    return toml.loads("\n".join(_LISTED.findall(PAGE.read_text(encoding="utf-8"))))


def copy(place: Path, group: Mapping[str, Any]) -> None:
    """Lay out what mutmut wants: the package below `src`, its tests, and a setup.cfg."""
    place.mkdir(parents=True)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "server", place / "src", ignore=ignored)
    shutil.copytree(ROOT / "tests", place / "tests", ignore=ignored)
    for name in ("package.json", "pyproject.toml"):
        shutil.copy2(ROOT / name, place)
    modules = "\n    ".join(f"src/understudy/{module}" for module in group["modules"])
    config = _CONFIG.format(modules=modules, tests="\n    ".join(group["tests"]))
    (place / "setup.cfg").write_text(config, encoding="utf-8")


def survivors(place: Path) -> tuple[list[Mapping[str, str]], int]:
    """The mutants that no test kills, and how many there were."""
    ran = _mutmut(place, "run", "--max-children", str(os.cpu_count() or 1))
    results = _mutmut(place, "results", "--all", "true")
    states = re.findall(r"^ *(\S+__mutmut_\d+): (.+)$", results, re.MULTILINE)
    if not states or any(state in _UNFINISHED for _, state in states):
        sys.exit(f"mutmut has not come to an end:\n{ran[-3000:]}")
    alive = [name for name, state in states if state in _ALIVE]
    return [change(name, _mutmut(place, "show", name)) for name in alive], len(states)


def tell(
    name: str, group: Mapping[str, Any], alive: Sequence[Mapping[str, str]], number: int
) -> int:
    """Print how many were killed, and how the survivors differ from those of the page."""
    known = [{key: one[key] for key in ("in", "was", "is")} for one in group.get("survivors", [])]
    new = [one for one in alive if one not in known]
    gone = [one for one in known if one not in alive]
    sys.stdout.write(f"{name}: {number - len(alive)} of {number} killed\n")
    for title, ones in (("survives, and is not listed", new), ("is listed, and is killed", gone)):
        for one in ones:
            lines = "\n".join(f"{key} = {_quoted(one[key])}" for key in ("in", "was", "is"))
            sys.stdout.write(f"\n{title}:\n{lines}\n")
    return int(bool(new or gone))


def change(name: str, diff: str) -> Mapping[str, str]:
    """A mutant by what it changes: numbers are others after each change of the module."""
    module, _, mangled = name.removeprefix("understudy.").rpartition(".")
    function = mangled.rpartition("__mutmut_")[0]
    function = function.removeprefix("x_").removeprefix("xǁ").replace("ǁ", ".")
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++"))]
    was, now = (
        "\n".join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in "-+"
    )
    return {"in": f"{module}.{function}", "was": was, "is": now}


_ALIVE = frozenset({"survived", "no tests"})
_UNFINISHED = frozenset({"not checked", "suspicious", "check was interrupted by user"})


def _mutmut(place: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "mutmut", *arguments],
        cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", check=False,
    )  # fmt: skip
    return done.stdout


def _quoted(text: str) -> str:
    return f"'''{text}'''" if "\n" in text or "'" in text else f"'{text}'"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
