"""What people write down: settings, profiles, kits, tool servers, skills, rows."""

from __future__ import annotations

import contextlib
import json
import posixpath
from itertools import islice
from typing import Any

from tests.fuzz.targets.model import FuzzTarget, chosen, scratch, text_of
from understudy.app.batch.rows import read_rows
from understudy.context.canonical import digest_of
from understudy.context.events import decode
from understudy.context.policy import policy_of
from understudy.context.skill_file import BadSkill, read_skill
from understudy.dependents.named_configuration import may_name, names_in, places
from understudy.disk.store.pretty_json import pretty
from understudy.langserver.catalogue import Catalogue
from understudy.langserver.proven.kit import parse_kit
from understudy.langserver.proven.profile_proof import parse_proofs
from understudy.mcpclient.configuration import FILES, read_definitions
from understudy.values import toml
from understudy.values.errors import UnderstudyError
from understudy.values.json_input import loads_with_comments
from understudy.values.paths import Root
from understudy.workspace.agents.profile import parse_agent
from understudy.workspace.settings import load


def _settings(data: bytes) -> None:
    folder = scratch() / "settings"
    folder.mkdir(exist_ok=True)
    which, rest = chosen(data, 2)
    for name in ("understudy.toml", "pyproject.toml"):
        (folder / name).unlink(missing_ok=True)
    (folder / ("understudy.toml", "pyproject.toml")[which]).write_bytes(rest)
    for trusted in (True, False):
        with contextlib.suppress(UnderstudyError):
            load(Root.open(folder), trusted=trusted)


def _table(data: bytes) -> dict[str, Any] | None:
    try:
        return toml.loads(text_of(data))
    except (ValueError, RecursionError):
        return None


def _profiles(data: bytes) -> None:
    table = _table(data)
    if table is None:
        return
    with contextlib.suppress(UnderstudyError):
        Catalogue.load(table)
    for name, record in table.items():
        if isinstance(record, dict):
            with contextlib.suppress(UnderstudyError):
                parse_agent(name, record)


def _kits(data: bytes) -> None:
    which, rest = chosen(data, 2)
    try:
        if which:
            parse_proofs(rest, "here")
        else:
            parse_kit(text_of(rest), "here")
    except UnderstudyError:
        pass


def _tools(data: bytes) -> None:
    read_definitions(dict.fromkeys(FILES, text_of(data)))


def _skills(data: bytes) -> None:
    for strict in (True, False):
        with contextlib.suppress(BadSkill):
            read_skill(text_of(data), "folder", strict=strict)


def _json(data: bytes) -> None:
    """JSON that people write, and the same laid out: it means what it meant."""
    with contextlib.suppress(ValueError, RecursionError):
        loads_with_comments(text_of(data))
    shown = pretty(data)
    if shown is not None:
        assert json.loads(shown) == json.loads(data)


_NAMES = ("ruff.toml", "tsconfig.json", ".eslintrc", "a.yml", "a.json5", "eslint.config.mjs")
_KEYS = {"*": ("extends", "extend", "a.b", "overrides.extends")}


def _extends(data: bytes) -> None:
    """What a server's configuration names, and where that leads."""
    which, rest = chosen(data, len(_NAMES))
    path = f"a/{_NAMES[which]}"
    if may_name(path, rest, _KEYS):
        for name in names_in(path, rest, _KEYS) or ():
            for group in islice(places(path, name), 4):
                assert all(place == posixpath.normpath(place) for place in group)


def _context(data: bytes) -> None:
    text = text_of(data)
    whole = f'{text},"sum":"{digest_of(f"{text}}}")[:16]}"}}'
    for line in (text, whole):
        with contextlib.suppress(ValueError):
            decode(line, 0, "")
    with contextlib.suppress(UnderstudyError, ValueError, RecursionError):
        policy_of(json.loads(text))


def _rows(data: bytes) -> None:
    which, rest = chosen(data, 2)
    file = scratch() / f"rows.{('jsonl', 'json')[which]}"
    file.write_bytes(rest)
    with contextlib.suppress(UnderstudyError):
        read_rows(file)


TARGETS = (
    FuzzTarget(
        "settings",
        _settings,
        (
            b'\x00timeout_s = 30\nscope = "affected"\n[servers.ruff]\ncommand = ["ruff"]\n',
            b'\x01[tool.understudy]\nseverity = "warning"\ngroups = ["types"]\nredact = ["a+"]\n',
        ),
    ),
    FuzzTarget(
        "profiles",
        _profiles,
        (
            (
                b'[mine]\ngroup = "types"\ncommand = ["x", "{files}"]\nfiles = { "*.py" = "python" }\n'
                b'rule = "canary"\nscope = "file"\ncanary = "{token}"\ninstall = "x"\n'
            ),
            (
                b'[mine]\nrule = "command"\n[mine.checker]\noutput = "lines"\nfinding = "(?P<path>.)"\n'
                b'[ruff]\ncommand = ["a"]\nhides = [{ within = "users" }]\n'
            ),
        ),
    ),
    FuzzTarget(
        "kits",
        _kits,
        (
            b'\x00language = "x"\nfile = "a.x"\nfine = "a"\n[[configuration]]\npath = "c"\n',
            b'\x01[{"server": "x", "version": "1.2", "rule": "pull"}]',
        ),
    ),
    FuzzTarget(
        "extends",
        _extends,
        (
            b'\x00extend = "../b.toml"\n[a]\nb = ["c", { d = "~/e" }]\n',
            b'\x01{"extends": ["./b", "@c/d/e.json"], /* f */ "a": [{"b": "g"}],}',
            b"\x02extends: &x [./a, b]\noverrides:\n  - extends: *x\n",
            b'\x05import a from "./b.mjs";\nexport default [require("c"), read("d.json")];\n',
        ),
    ),
    FuzzTarget(
        "tools",
        _tools,
        (
            b'{"mcpServers": {"a": {"command": "x", "args": ["y"], "env": {"K": "${V}"}}}}',
            b'{"servers": {"a": {"type": "http", "url": "http://h", /* c */ "headers": {}}}, }',
        ),
    ),
    FuzzTarget(
        "skills",
        _skills,
        (
            b"---\nname: folder\ndescription: what it does\nmetadata:\n  a: b\n---\n\nbody\n",
            b"---\ndescription: one: two\nallowed-tools: [a, &x b, *x]\n---\n",
        ),
    ),
    FuzzTarget(
        "json", _json, (b'{"a": [1, "\\u00e9", null, {}], // c\n "b": 1e9,}', b'[{"a": ""}]')
    ),
    FuzzTarget(
        "context", _context, (b'{"kind": "result", "text": "x"}', b'{"unit": 10, "rule": "x"}')
    ),
    FuzzTarget(
        "rows",
        _rows,
        (
            b'\x00{"instance_id": "a", "repo": "r", "base_commit": "c", "model_patch": ""}\n{"x": 1}',
            b'\x01[{"instance_id": "a", "FAIL_TO_PASS": "[]"}]',
        ),
    ),
)
