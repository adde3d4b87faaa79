"""Traces of an agent at work on public projects: about 300 real tool calls each, recorded once.

A script does what agents do: it lists, searches, reads, breaks and mends functions, builds and
tests, and looks again at what it saw long ago. Every output is that of a real command in a copy of
the project. What each call must have seen is written down beside it: the lines of earlier outputs
that the agent could not have made it without.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.project_corpora import PROJECTS
from bench.sources import cache_folder
from tests.support.servers import environment

VERSION = 1
N_CALLS = 300
CALLS_A_TURN = 50
"""A user speaks about so often: long tasks are what contexts run full of."""
_READ_LINES = 2000
_SECONDS = 300
_OUTPUT_BYTES = 400_000
SEEN, UNSEEN = ("click", "pflag"), ("rxjs", "smallvec")
"""Nothing was tuned on the unseen ones: they were recorded before, and measured at the end."""


@dataclass(frozen=True)
class Need:
    """Lines of an earlier call's output, from 1, that a call could not be made without."""

    step: int
    first: int
    last: int


@dataclass(frozen=True)
class Step:
    """One tool call: what the model said, what it asked, what came; `turn` is the user's."""

    turn: int
    said: str
    tool: str
    input: str
    output: str
    exit: int
    needs: tuple[Need, ...] = ()


@dataclass(frozen=True)
class Trace:
    """A session on one project."""

    name: str
    language: str
    turns: tuple[str, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Tools:
    """How a language is built and tested; `{}` is the file that is worked on, or its folder."""

    suffix: str
    definition: re.Pattern[str]
    build: str
    test: str
    test_one: str
    broken: Callable[[str], str]


def trace(name: str) -> Trace:
    """The trace of a project; recorded where it is not in the cache."""
    kept = cache_folder() / "traces" / f"{name}-{VERSION}.json.gz"
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        made = record(name)
        text = json.dumps(asdict(made), ensure_ascii=False)
        part = kept.with_suffix(".part")
        part.write_bytes(gzip.compress(text.encode("utf-8", "surrogatepass"), mtime=0))
        part.replace(kept)
    raw = json.loads(gzip.decompress(kept.read_bytes()).decode("utf-8", "surrogatepass"))
    steps = tuple(
        Step(**{**step, "needs": tuple(Need(**need) for need in step["needs"])})
        for step in raw["steps"]
    )
    return Trace(raw["name"], raw["language"], tuple(raw["turns"]), steps)


def record(name: str) -> Trace:
    """Let the script work on a fresh copy of the project."""
    project = next(each for each in PROJECTS if each.name == name)
    with tempfile.TemporaryDirectory(prefix="trace-") as folder:
        work = Path(folder) / "work"
        shutil.copytree(project.ready(), work, symlinks=True)
        agent = _Agent(work, _TOOLS[project.language], random.Random(name))  # noqa: S311
        agent.begin()
        while len(agent.steps) < N_CALLS:
            agent.task()
        steps = tuple(agent.steps[:N_CALLS])
    turns = tuple(agent.turns[: steps[-1].turn + 1])
    return Trace(name, project.language, turns, steps)


def _broken_python(body: str) -> str:
    return re.sub(r"\breturn\b", "return undefined_name_here or", body, count=1)


def _broken_braces(body: str) -> str:
    return re.sub(r"\breturn\b\s", "return undefined_name_here + ", body, count=1)


_TOOLS: Mapping[str, Tools] = {
    "Python": Tools(
        ".py", re.compile(r"^( *)def (\w+)\("), ".venv/bin/python -m compileall -f src",
        ".venv/bin/python -m pytest -x -v", ".venv/bin/python -m pytest -v -k {}", _broken_python,
    ),
    "Go": Tools(
        ".go", re.compile(r"^()func (?:\([^)]*\) )?(\w+)\("), "go build ./... && go vet ./...",
        "go test -count=1 -v ./...", "go test -count=1 -v -run {} ./...", _broken_braces,
    ),
    "Rust": Tools(
        ".rs", re.compile(r"^( *)(?:pub )?fn (\w+)"), "cargo build --offline",
        "cargo test --offline", "cargo test --offline {}", _broken_braces,
    ),
    "TypeScript": Tools(
        ".ts", re.compile(r"^()export function (\w+)"),
        "node node_modules/typescript/bin/tsc -p tsconfig.bench.json --noEmit",
        "node node_modules/typescript/bin/tsc -p tsconfig.bench.json --noEmit --listFiles",
        "node node_modules/typescript/bin/tsc -p tsconfig.bench.json --noEmit --strict {}",
        _broken_braces,
    ),
}  # fmt: skip


@dataclass
class _Seen:
    """What the agent has read of a file: the call, and the file's line that it begins with."""

    step: int
    first: int
    lines: list[str] = field(default_factory=list[str])


class _Agent:
    """One session; each method makes calls, and what the next call needs stands in `_next`."""

    def __init__(self, folder: Path, tools: Tools, chance: random.Random) -> None:
        self._folder, self._tools, self._chance = folder, tools, chance
        self.steps: list[Step] = []
        self.turns: list[str] = []
        self._next: list[Need] = []
        self._seen: dict[str, _Seen] = {}
        self._runs: list[int] = []
        self._done: list[tuple[str, str, int, int]] = []

    def begin(self) -> None:
        """Make the copy a repository, and look around in it."""
        identity = "-c user.name=a -c user.email=a@b"
        shutil.rmtree(self._folder / ".git", ignore_errors=True)
        (self._folder / ".gitignore").open("a").write("\n.venv\nnode_modules\ntarget\n*.pyc\n")
        made = self._shell(f"git init -q && git add -A && git {identity} commit -qm first")
        assert made[0] == 0, made
        self.turns.append("Find what is weak in this project's functions, and mend it.")
        self.call("bash", {"command": "git ls-files | head -300"}, "I look around first.")
        self.call("bash", {"command": "cat README* | head -200"}, "What is this about?")
        self.call("bash", {"command": self._tools.test}, "The tests, before I change anything.")
        self._need_telling()

    def task(self) -> None:
        """Work on one function: find it, read it and its users, break and mend it, test."""
        if len(self.steps) >= CALLS_A_TURN * len(self.turns):
            self.turns.append(f"Go on with the next ones ({len(self.turns)}); keep them tested.")
        path, name, first, last = self._chosen()
        self._search(name)
        self._read(path, first)
        for user in self._users(name, path)[: self._chance.randint(0, 2)]:
            self._read(user, 1)
        if self._chance.random() < 0.4:
            self.call("bash", {"command": f"git log --stat -5 -- {path}"}, "Who changed it?")
        text = (self._folder / path).read_text("utf-8", "replace")
        lines = text.split("\n")
        body = "\n".join(lines[first - 1 : last])
        worse = self._tools.broken(body)
        self._need_body(path, first, last)
        self._edit(path, text, body, worse, f"I change {name}.")
        self._run(self._tools.build, "Does it build?")
        if self._chance.random() < 0.6:
            self._run(self._tools.test_one.replace("{}", name if worse else path), "And the tests?")
        if self._chance.random() < 0.5:
            self._again()
        self._need_body(path, first, last)
        self._edit(path, (self._folder / path).read_text("utf-8", "replace"), worse, body,
                   "That was wrong; I write it as it has to be.")  # fmt: skip
        self._run(self._tools.test, "All tests again.")
        self.call("bash", {"command": "git diff"}, "What is left of my change?")
        self._done.append((path, name, first, last))
        if self._chance.random() < 0.5 and len(self._done) > 2:
            self._revisit()

    def call(self, tool: str, table: Mapping[str, object], said: str) -> Step:
        """Make a call; what it needs was gathered since the one before."""
        code, output = self._shell(str(table.get("command", "true")))
        return self._keep(tool, table, said, code, output)

    def _keep(
        self, tool: str, table: Mapping[str, object], said: str, code: int, output: str
    ) -> Step:
        needs = tuple(need for need in self._next if need.first <= need.last)
        self._next = []
        step = Step(
            len(self.turns) - 1, said, tool, json.dumps(table), output[-_OUTPUT_BYTES:], code, needs
        )
        self.steps.append(step)
        return step

    def _search(self, name: str) -> None:
        suffix = self._tools.suffix
        found = self.call(
            "bash", {"command": f"grep -rn '\\b{name}\\b' --include='*{suffix}' . "
                     "--exclude-dir=node_modules --exclude-dir=.venv --exclude-dir=target"},
            f"Where is {name} used?",
        )  # fmt: skip
        n_lines = found.output.count("\n")
        # Of what a search finds, the agent goes on with some.
        chosen = sorted(self._chance.sample(range(1, n_lines + 1), min(3, n_lines)))
        self._next += [Need(len(self.steps) - 1, line, line) for line in chosen]

    def _read(self, path: str, around: int) -> None:
        """As read tools do: the whole of a short file, else 2,000 lines, numbered."""
        lines = (self._folder / path).read_text("utf-8", "replace").split("\n")
        first = 1 if len(lines) <= _READ_LINES or around < _READ_LINES else around - 200
        if self._chance.random() < 0.35 and len(lines) > 150:
            first, shown = max(1, around - 40), 160
        else:
            shown = _READ_LINES
        part = lines[first - 1 : first - 1 + shown]
        output = "\n".join(f"{n:6}\t{line}" for n, line in enumerate(part, first)) + "\n"
        table = {"path": path, "offset": first, "limit": shown}
        self._keep("read", table, f"I read {path}.", 0, output)
        self._seen[path] = _Seen(len(self.steps) - 1, first, part)
        # It was read to be read: the lines around the place, and a look at all of it.
        here = max(1, around - first + 1)
        self._next.append(Need(len(self.steps) - 1, max(1, here - 20), min(len(part), here + 60)))

    def _need_body(self, path: str, first: int, last: int) -> None:
        """To edit a text one must have seen it, as it was when it was read last."""
        seen = self._seen[path]
        lines = (self._folder / path).read_text("utf-8", "replace").split("\n")
        inside = (first - seen.first + 1, last - seen.first + 1)
        if inside[0] < 1 or inside[1] > len(seen.lines):
            self._read(path, first)
            return
        del lines
        self._next.append(Need(seen.step, *inside))

    def _edit(self, path: str, text: str, old: str, new: str, said: str) -> None:
        (self._folder / path).write_text(text.replace(old, new, 1))
        table = {"path": path, "old": old, "new": new}
        self._keep("edit", table, said, 0, f"The file {path} has been updated.\n")

    def _run(self, command: str, said: str) -> None:
        self.call("bash", {"command": command}, said)
        self._runs.append(len(self.steps) - 1)
        self._need_telling()

    def _need_telling(self) -> None:
        """Of a run's output: its end, and where it failed the first lines that say why."""
        step = len(self.steps) - 1
        lines = self.steps[step].output.rstrip("\n").split("\n")
        wanted = {len(lines)}
        if self.steps[step].exit:
            why = [n for n, line in enumerate(lines, 1) if "undefined_name_here" in line
                   or re.search(r"\b[Ee]rror\b", line)]  # fmt: skip
            wanted.update(why[:2])
        self._next += [Need(step, n, n) for n in sorted(wanted)]

    def _again(self) -> None:
        """Compare with an earlier run: some lines from the midst of what it printed."""
        step = self._chance.choice(self._runs)
        n_lines = self.steps[step].output.rstrip("\n").count("\n") + 1
        at = self._chance.randint(1, n_lines)
        self._next.append(Need(step, at, min(n_lines, at + 3)))
        self.call("bash", {"command": "git status --short"}, "Was that so before?")

    def _revisit(self) -> None:
        """Come back to a function of long ago, to change it once more."""
        path, name, first, last = self._chance.choice(self._done)
        self._need_body(path, first, last)
        text = (self._folder / path).read_text("utf-8", "replace")
        body = "\n".join(text.split("\n")[first - 1 : last])
        mark = "# seen" if self._tools.suffix == ".py" else "// seen"
        line = body.split("\n")[0]
        self._edit(path, text, body, body.replace(line, f"{line}  {mark}", 1), f"Back to {name}.")
        self._run(self._tools.build, "It must still build.")

    def _chosen(self) -> tuple[str, str, int, int]:
        """A function of the project's own sources that returns something: path, name, lines."""
        found = list(self._functions())
        return self._chance.choice(found)

    def _functions(self) -> Iterator[tuple[str, str, int, int]]:
        for path in self._sources():
            lines = (self._folder / path).read_text("utf-8", "replace").split("\n")
            for number, line in enumerate(lines, 1):
                match = self._tools.definition.match(line)
                if match is None:
                    continue
                last = _end(lines, number, len(match[1]), self._tools.suffix)
                body = "\n".join(lines[number - 1 : last])
                if 3 <= last - number <= 60 and self._tools.broken(body) != body:
                    yield path, match[2], number, last

    def _sources(self) -> list[str]:
        listed = self._shell(f"git ls-files '*{self._tools.suffix}'")[1].split("\n")
        return [path for path in listed if path and "test" not in path.lower()
                and "example" not in path]  # fmt: skip

    def _users(self, name: str, path: str) -> Sequence[str]:
        told = self._shell(f"git grep -lw {name} -- '*{self._tools.suffix}'")[1].split("\n")
        users = [one for one in told if one and one != path]
        self._chance.shuffle(users)
        return users

    def _shell(self, command: str) -> tuple[int, str]:
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd=self._folder, env=environment(), check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=_SECONDS,
        )  # fmt: skip
        return done.returncode, done.stdout.decode("utf-8", "replace")


def _end(lines: Sequence[str], number: int, indent: int, suffix: str) -> int:
    """The last line of the definition that begins at a line."""
    for at in range(number, min(len(lines), number + 80)):
        line = lines[at]
        inside = len(line) - len(line.lstrip())
        if suffix == ".py":
            if line.strip() and inside <= indent and not line.lstrip().startswith((")", "#")):
                return at
        elif line.strip() == "}" and inside == indent:
            return at + 1
    return number
