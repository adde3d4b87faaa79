"""What the extension tells models: the declared tools and the skill are those of the server."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tools.manifest_tools import filled, language_model_tools
from understudy.context.skill_file import read_skill
from understudy.faces.calls.tools import TOOLS
from understudy.faces.params import calls as call_params
from understudy.values.structure import structure

ROOT = Path(__file__).resolve().parent.parent.parent
MANIFEST: dict[str, Any] = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
(SKILL,) = [ROOT / entry["path"] for entry in MANIFEST["contributes"]["chatSkills"]]
PROMPT = (ROOT / "client-vscode/src/first_steps/prompt.ts").read_text(encoding="utf-8")


def test_the_tools_are_those_of_the_server() -> None:
    assert filled(MANIFEST) == MANIFEST, "run: python tools/manifest_tools.py --write"
    assert [tool["name"] for tool in language_model_tools()] == [tool.name for tool in TOOLS]


@pytest.mark.parametrize("tool", language_model_tools(), ids=lambda tool: tool["name"])
def test_a_tool_is_declared_in_full(tool: dict[str, Any]) -> None:
    for key in ("displayName", "userDescription", "modelDescription", "icon", "toolReferenceName"):
        assert tool[key], key
    assert not re.search(r"\s", tool["toolReferenceName"])
    for name, schema in tool["inputSchema"]["properties"].items():
        assert schema["description"], name
        # Some models' endpoints refuse a list without a schema of its items.
        assert schema.get("type") != "array" or schema["items"], name


def test_the_skill_is_sound() -> None:
    skill = read_skill(skill_text(), SKILL.parent.name, strict=True)
    assert skill.name == "understudy"


def examples() -> list[tuple[str, dict[str, Any]]]:
    """Each input that the skill shows, with the tool that was named last before it."""
    found: list[tuple[str, dict[str, Any]]] = []
    tool = ""
    for part in re.findall(r"understudy_\w+|```json\n.*?```|`\{.*?\}`", skill_text(), re.DOTALL):
        if part.startswith("understudy_"):
            tool = part
        else:
            found.append((tool, json.loads(part.strip("`").removeprefix("json"))))
    return found


def skill_text() -> str:
    return SKILL.read_text(encoding="utf-8")


@pytest.mark.parametrize(("tool", "arguments"), examples())
def test_an_example_is_what_the_tool_takes(tool: str, arguments: dict[str, Any]) -> None:
    takes = {tool.name: tool.takes for tool in TOOLS}[tool]
    structure(arguments, takes, "bad-params", tool)
    for edit in arguments.get("edits", ()):
        fields = call_params.Lint.__dataclass_fields__["edits"].metadata["items"]["properties"]
        assert edit.keys() <= fields.keys()


def test_every_tool_that_is_named_exists() -> None:
    names = {tool.name for tool in TOOLS}
    references = {tool["toolReferenceName"] for tool in language_model_tools()}
    assert set(re.findall(r"understudy_\w+", skill_text())) == names
    assert set(re.findall(r"#(understudy[-\w]+)", PROMPT)) <= references
    pages = "".join(
        path.read_text("utf-8") for path in (ROOT / "client-vscode/media").rglob("*.md")
    )
    assert set(re.findall(r"#(understudy[-\w]+)", pages)) <= references


def test_the_walkthrough_leads_somewhere() -> None:
    contributes = MANIFEST["contributes"]
    commands = {command["command"] for command in contributes["commands"]}
    (walkthrough,) = contributes["walkthroughs"]
    assert len(walkthrough["steps"]) == 4
    for step in walkthrough["steps"]:
        assert (ROOT / step["media"]["markdown"]).is_file()
        named = re.findall(r"command:([\w.]+)", step["description"])
        assert set(named) <= commands
        assert step["completionEvents"] == [f"onCommand:{name}" for name in named]
