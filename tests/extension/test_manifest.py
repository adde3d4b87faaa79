"""The extension's manifest: settings are the server's, commands exist, the lock names no host."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tools.manifest import ADVANCED, EDITOR_SETTINGS, MANIFEST, filled, text_of
from understudy.workspace.settings import GUARDED

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "client-vscode" / "src").rglob("*.ts"))


def manifest() -> dict[str, Any]:
    return json.loads(MANIFEST.read_text(encoding="utf-8"))


def settings() -> dict[str, Any]:
    groups = manifest()["contributes"]["configuration"]
    return {name: entry for group in groups for name, entry in group["properties"].items()}


def test_settings_are_those_of_the_server_and_of_the_editor() -> None:
    text = MANIFEST.read_text(encoding="utf-8")
    assert text == text_of(filled(json.loads(text))), "python -m tools.manifest --write"


def test_every_setting_says_what_it_is() -> None:
    for name, entry in settings().items():
        assert entry.get("description") or entry.get("markdownDescription"), name
        assert "type" in entry, name
        assert len(entry.get("enumDescriptions", [])) == len(entry.get("enum", [])), name


def test_what_names_programs_is_not_taken_from_an_untrusted_workspace() -> None:
    trust = manifest()["capabilities"]["untrustedWorkspaces"]
    camel = {re.sub(r"_(\w)", lambda match: match[1].upper(), name) for name in GUARDED}
    wanted = {f"understudy.{name}" for name in camel} | {"understudy.interpreter"}
    assert trust["supported"] == "limited"
    assert wanted <= set(trust["restrictedConfigurations"])


def test_settings_that_the_extension_reads_exist() -> None:
    read = {
        f"understudy.{name}"
        for source in SOURCES
        for name in re.findall(r'\bsetting(?:<[^>]*>)?\("(\w+)"', source.read_text())
    }
    assert read <= settings().keys()
    entries = {f"{ADVANCED}.{name}" for name in settings()[ADVANCED]["properties"]}
    assert json.loads(EDITOR_SETTINGS.read_text()).keys() <= settings().keys() | entries


def test_commands_are_those_that_the_extension_registers() -> None:
    declared = {entry["command"] for entry in manifest()["contributes"]["commands"]}
    text = "".join(source.read_text() for source in SOURCES)
    missing = {command for command in declared if f'"{command}"' not in text}
    assert not missing, "nobody registers them"


def test_nothing_starts_with_the_editor() -> None:
    assert set(manifest()["activationEvents"]).isdisjoint({"*", "onStartupFinished"})


def test_the_lock_of_node_packages_names_no_registry() -> None:
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))
    development = manifest()["devDependencies"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in development.values())
    assert lock["packages"][""]["devDependencies"] == development
    for name, entry in lock["packages"].items():
        assert "resolved" not in entry, name
        assert name == "" or entry["integrity"].startswith("sha512-"), name
