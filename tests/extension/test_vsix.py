"""What is in the packaged extension, how big it is, and that it runs on every Python at hand."""

from __future__ import annotations

import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import zipfile
from collections import defaultdict
from pathlib import Path

import pytest

from tests.e2e.folders import make_folder
from tests.support.pythons import python_of
from tests.vscode.build import built_extension
from tools.bundle import PYTHONS
from tools.provision import ProvisionError
from tools.release.parts import check_licences, installed_parts

ROOT = Path(__file__).resolve().parents[2]
MB = 1_000_000
WHITELIST = re.compile(
    r"\[Content_Types\]\.xml|extension\.vsixmanifest|"
    r"extension/("
    r"package\.json|readme\.md|changelog\.md|license\.txt|"
    r"sbom\.cdx\.json|third-party\.txt|"
    r"client-vscode/dist/extension\.js|client-vscode/media/.+\.(svg|png|md)|"
    r"docs/(.+\.(md|png|svg)|"
    r"reference/(public-names\.txt|deprecated-names\.toml|requests\.(schema\.json|d\.ts)))|"
    r"skills/.+\.md|syntaxes/.+\.json|"
    r"bundled/(libs|servers)/.+"
    r")",
    re.IGNORECASE,
)
NEVER = re.compile(
    r"__pycache__|\.pyc$|\.map$|(?<!/reference/requests\.d)\.ts$|/tests?/|node_modules|driver|\.env$"
)
COMPILED = re.compile(r"\.(so|pyd|dll|dylib|node|exe)$")

PROGRAM = """
import importlib, os, pkgutil, sys
folder = os.environ["PYTHONPATH"]
names = [m.name for m in pkgutil.iter_modules([folder]) if m.name not in os.environ["WITHOUT"]]
inside = (
    "understudy.stage.inside.", "understudy.__main__",  # programs, not modules
    "understudy.adapters.inspect_ai", "understudy.adapters.mini_swe_agent",  # need their framework
    "understudy.adapters.verifiers",
)
import understudy
for module in pkgutil.walk_packages(understudy.__path__, "understudy."):
    if not module.name.startswith(inside):
        names.append(module.name)
for name in names:
    assert folder in (importlib.import_module(name).__spec__.origin or folder), name
print(len(names))
"""


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.getbasetemp()
    return built_extension(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base)


@pytest.fixture(scope="module")
def universal(tmp_path_factory: pytest.TempPathFactory, native: Path) -> Path:
    out = tmp_path_factory.mktemp("universal")
    command = [sys.executable, "-m", "tools.vsix", "--target", "universal", "--out", str(out)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    (built,) = out.glob("*.vsix")
    return built


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory, native: Path, universal: Path) -> Path:
    """Both of them, as an editor unpacks them."""
    folder = tmp_path_factory.mktemp("unpacked")
    for name, path in (("native", native), ("universal", universal)):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder / name)
    return folder


def names(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def libraries(unpacked: Path, kind: str) -> Path:
    return unpacked / kind / "extension" / "bundled" / "libs"


def test_nothing_is_in_it_but_what_is_meant_to_be(native: Path, universal: Path) -> None:
    for path in (native, universal):
        stray = [name for name in names(path) if not WHITELIST.fullmatch(name)]
        bad = [name for name in names(path) if NEVER.search(name) and "typeshed" not in name]
        assert not stray
        assert not bad
        assert "extension/bundled/libs/understudy/outline/queries/python.scm" in names(path)
        assert "extension/client-vscode/media/icon.png" in names(path)


def test_its_pictures_are_those_of_its_walkthrough(native: Path, universal: Path) -> None:
    for path in (native, universal):
        with zipfile.ZipFile(path) as archive:
            page = archive.read("extension/readme.md").decode()
            steps = [name for name in archive.namelist() if "/media/walkthrough/" in name]
            shown = "".join(archive.read(name).decode() for name in steps)
        assert "![" not in page, "an editor loads them from the web alone"
        named = re.findall(r"!\[[^\]]+\]\((?:\.\./)+(docs/pictures/\w+\.png)\)", shown)
        assert len(named) == 2
        assert {f"extension/{name}" for name in named} <= set(names(path))


def test_every_page_is_there_and_leads_on(native: Path, universal: Path) -> None:
    for path in (native, universal):
        inside = set(names(path))
        pages = [
            name
            for name in inside
            if re.match(r"extension/(docs/|client-vscode/media/).+\.md", name)
        ]
        assert len(pages) > 60
        assert not [name for name in pages if "/decisions/" in name]  # named by their number
        with zipfile.ZipFile(path) as archive:
            texts = {name: archive.read(name).decode() for name in pages}
        for name, text in texts.items():
            for target in re.findall(r"\]\((?!#|\w+:)([^)#]+)", text):
                assert posixpath.normpath(f"{posixpath.dirname(name)}/{target}") in inside, (
                    name,
                    target,
                )
            for page in re.findall(r"\(command:understudy\.openPage\?%22([\w%-]+)%22\)", text):
                assert f"extension/docs/{page.replace('%2F', '/')}.md" in inside, (name, page)


def test_it_says_what_it_carries_and_under_which_licence(native: Path, universal: Path) -> None:
    for path, is_native in ((native, True), (universal, False)):
        with zipfile.ZipFile(path) as archive:
            told = json.loads(archive.read("extension/sbom.cdx.json"))
            notices = archive.read("extension/THIRD-PARTY.txt").decode()
        listed = {one["name"].replace("-", "_").lower(): one for one in told["components"]}
        records = {
            name.split("/")[3].partition("-")[0].lower()
            for name in names(path)
            if ".dist-info/" in name
        }
        assert records
        assert records <= listed.keys()
        assert {"vscode_languageclient", "vscode_jsonrpc", "gitleaks"} <= listed.keys()
        brought = {"ruff", "basedpyright", "typescript_language_server", "psutil", "google_re2"}
        assert brought & listed.keys() == (brought if is_native else set())
        for one in listed.values():
            assert one["licenses"]
            assert f"{one['name']} {one['version']}: " in notices
        assert "Copyright (c) Microsoft Corporation" in notices


def test_a_licence_that_does_not_go_with_ours_is_refused(tmp_path: Path) -> None:
    for name, licence in (("fine", "MIT"), ("other", "GPL-3.0-only"), ("silent", "")):
        records = tmp_path / f"{name}-1.dist-info"
        records.mkdir()
        head = f"Name: {name}\nVersion: 1\n" + f"License-Expression: {licence}\n" * bool(licence)
        (records / "METADATA").write_text(head)
        (records / "LICENSE").write_text("as you like\n")
    with pytest.raises(ProvisionError) as caught:
        check_licences(installed_parts(tmp_path))
    assert str(caught.value).endswith(": other (GPL-3.0-only), silent (none named)")


def test_sizes(native: Path, universal: Path) -> None:
    assert native.stat().st_size <= 45 * MB
    assert universal.stat().st_size <= 3 * MB


def test_compiled_parts_are_those_of_every_python(native: Path, universal: Path) -> None:
    tags: dict[str, set[str]] = defaultdict(set)
    for name in names(native):
        if COMPILED.search(name) and "/libs/" in name and ".abi3." not in name:
            stem, tag = re.fullmatch(r"(.+?)\.(cp\w+-|cpython-)(\d+).*", name).group(1, 3)  # pyright: ignore[reportOptionalMemberAccess]
            tags[stem].add(tag)
    assert {stem.rpartition("/")[2] for stem in tags} == {"_binding", "_re2"}
    assert all(found == {p.replace(".", "") for p in PYTHONS} for found in tags.values())
    assert not [name for name in names(universal) if COMPILED.search(name)]


def test_the_servers_in_it_can_be_run(unpacked: Path) -> None:
    servers = unpacked / "native" / "extension" / "bundled" / "servers"
    ruff = servers / "bin" / "ruff"
    ruff.chmod(0o755)  # the zip of Python keeps no modes; editors do
    said = subprocess.run([str(ruff), "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.startswith("ruff ")
    assert (servers / "basedpyright" / "langserver.index.js").is_file()
    assert (servers / "typescript-language-server" / "lib" / "cli.mjs").is_file()
    assert (servers / "licences" / "ruff" / "LICENSE").is_file()
    assert not (unpacked / "universal" / "extension" / "bundled" / "servers").exists()


def test_modes_are_kept_for_editors(native: Path) -> None:
    with zipfile.ZipFile(native) as archive:
        entry = archive.getinfo("extension/bundled/servers/bin/ruff")
    assert (entry.external_attr >> 16) & 0o111 == 0o111


def pythons() -> list[str]:
    """One Python of each version at hand that the server may run on, by its path."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    found = [sys.executable if version == own else python_of(version) for version in PYTHONS]
    return [place for place in found if place is not None]


@pytest.mark.parametrize("python", pythons())
@pytest.mark.parametrize("kind", ["native", "universal"])
def test_every_module_can_be_imported(unpacked: Path, python: str, kind: str) -> None:
    folder = libraries(unpacked, kind)
    env = {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "WITHOUT": "_yaml"}
    done = run([python, "-S", "-c", PROGRAM], folder, env)
    assert int(done.stdout) > 300


@pytest.mark.parametrize("python", pythons())
def test_outlines_are_parsed(unpacked: Path, python: str, tmp_path: Path) -> None:
    work = make_folder(tmp_path / "work", {"a.py": "class A:\n    def f(self): ...\n"})
    for kind, parsed in (("native", True), ("universal", False)):
        said = understudy(python, unpacked, kind, tmp_path, "outline", str(work / "a.py"))
        assert "class A" in said
        assert ("complete" in said) is parsed, said


def test_doctor_names_what_is_missing_without_compiled_parts(
    unpacked: Path, tmp_path: Path
) -> None:
    work = str(make_folder(tmp_path / "work", {"a.txt": "fine\n"}))
    said = understudy(sys.executable, unpacked, "universal", tmp_path, "doctor", "--root", work)
    assert "PROBLEM outlines" in said
    assert "PROBLEM processes" in said
    said = understudy(sys.executable, unpacked, "native", tmp_path, "doctor", "--root", work)
    assert "outlines" not in said


def test_whom_an_edit_breaks_is_found_without_a_parser(unpacked: Path, tmp_path: Path) -> None:
    """Without one nobody knows who imports the edited file: all that might are judged."""
    work = tmp_path / "demo"
    shutil.copytree(ROOT / "tests" / "data" / "demo", work)
    patch = str(ROOT / "tests" / "data" / "demo.patch")
    for kind in ("native", "universal"):
        asked = ("check", patch, "--root", str(work))
        said = understudy(sys.executable, unpacked, kind, tmp_path / kind, *asked)
        assert "invoices/totals.py:22:15: error" in said
        assert "invoices/printing.py:17:15: error" in said


def understudy(python: str, unpacked: Path, kind: str, state: Path, *arguments: str) -> str:
    folder = libraries(unpacked, kind)
    env = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
        "UNDERSTUDY_STATE_DIR": str(state / "state"),
    }
    return run([python, "-S", "-m", "understudy", *arguments], folder, env, (0, 1)).stdout


def run(
    command: list[str], folder: Path, env: dict[str, str], codes: tuple[int, ...] = (0,)
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode in codes, done.stdout + done.stderr
    return done
