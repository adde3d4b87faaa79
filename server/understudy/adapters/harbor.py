"""A task's verifier in Harbor's form: a test script in the task's image that scores what was done.

`tests/test.sh` of a task:

    python -I -m understudy.adapters.harbor /tests/understudy.json

With `-I` no module of the folder where it is run is imported in the place of ours.
`understudy.json` beside it, which the agent never sees, has the fields of `VerifierTask`:

    {"root": "/app", "base": "3f2a…", "command": ["pytest", "-rA", "{tests}"],
     "fail_to_pass": ["tests/test_a.py::test_b"], "test_patch": "tests.patch"}

`/logs/verifier/reward.json` gets the reward and every fact of the score as a number, and
`understudy.json` beside it all of the score. Where something fails there is neither: no reward.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, field
from pathlib import Path

from understudy.app.batch.checkout import Checkouts
from understudy.disk.atomic import prepare
from understudy.faces.python.rewards import async_reward
from understudy.findings.rewards import Score, Weights
from understudy.values.errors import BadInput, OutsideFailure, UnderstudyError
from understudy.values.frozen import frozen
from understudy.values.json_input import read_json
from understudy.values.paths import Root
from understudy.values.structure import structure
from understudy.workspace.servers.environment import find_git

REWARDS = Path("/logs/verifier")


@frozen
class VerifierTask:
    """What a task is scored by; relative paths begin at the task's file.

    `root` is where the agent has worked, `base` the whole id of the commit that it began at,
    `repository` a git repository that has it (None: `root`), `test_patch` a file. What the agent
    may have rewritten of the repository is no part of the commit: all is held against its id.
    """

    base: str
    root: str = "/app"
    repository: str | None = None
    command: tuple[str, ...] = ()
    fail_to_pass: tuple[str, ...] = ()
    pass_to_pass: tuple[str, ...] = ()
    test_patch: str | None = None
    timeout: float = 600.0
    test_timeout: float = 1800.0
    weights: Weights = field(default_factory=Weights)


async def verify(file: Path) -> Score:
    """The score of what differs in the task's folder from where its agent began.

    It is judged in a checkout of our own: nothing of the agent's folder decides but its text.
    Raises BadInput, OutsideFailure.
    """
    task = _task(file)
    root = file.parent / task.root
    git = find_git(Root.open(root))
    if git is None:
        raise OutsideFailure("not-installed", "a verifier needs git", "git")
    repository = root if task.repository is None else file.parent / task.repository
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="understudy-verifier-"))
    try:
        checkouts = Checkouts(git, folder)
        tree = await checkouts.at("task", repository, task.base, is_hostile=True)
        patch = await checkouts.changes(tree, root)
        brought = None if task.test_patch is None else _text(file.parent / task.test_patch)
        return await async_reward(
            patch, tree, trust=True, command=task.command, fail_to_pass=task.fail_to_pass,
            pass_to_pass=task.pass_to_pass, test_patch=brought, weights=task.weights,
            timeout=task.timeout, test_timeout=task.test_timeout,
        )  # fmt: skip
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def numbers_of(score: Score) -> dict[str, float]:
    """The facts of a score as Harbor takes them: finite numbers by name."""
    facts = asdict(score)
    return {name: float(value) for name, value in facts.items() if isinstance(value, int | float)}


def write_rewards(score: Score, folder: Path) -> None:
    """Write the reward file, and the whole score beside it, in the place of what is there."""
    remove_rewards(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, told in (("understudy.json", asdict(score)), ("reward.json", numbers_of(score))):
        prepare(folder / name, f"{json.dumps(told)}\n".encode()).commit()


def remove_rewards(folder: Path) -> None:
    """Remove what stands where Harbor looks for rewards, whatever it is and whoever put it there.

    All that can be removed is, before an OSError is raised.
    """
    failure: OSError | None = None
    for path in map(folder.joinpath, ("reward.json", "reward.txt", "understudy.json")):
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        except OSError as error:
            failure = error
    if failure is not None:
        raise failure


def main(arguments: Sequence[str], folder: Path = REWARDS) -> int:
    """Score, and write the files; exit code 2 and a line on standard error where that fails."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -I -m understudy.adapters.harbor TASK.json\n")
        return 2
    try:
        remove_rewards(folder)
        score = asyncio.run(verify(Path(arguments[0]).absolute()))
        write_rewards(score, folder)
    except (UnderstudyError, OSError) as error:
        with suppress(OSError):  # half of what we wrote, or what was put there meanwhile
            remove_rewards(folder)
        code = error.code if isinstance(error, UnderstudyError) else "cannot-write"
        sys.stderr.write(f"understudy: {code}: {error}\n")
        return 2
    sys.stdout.write(f"reward {score.reward:.3f}: {score.verdict}; {'; '.join(score.why)}\n")
    return 0


def _task(file: Path) -> VerifierTask:
    raw = read_json(_text(file).encode(), str(file))
    return structure(raw, VerifierTask, "bad-task", str(file))


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput("no-such-file", f"cannot read it: {error}", str(file)) from error


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
