"""Public harnesses at work over a branch, each with its own agent and a model that is scripted."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.e2e.command_line import Shell
from tests.support.servers import python_packages

SECONDS = 120
PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "python.md"


def block_of(heading: str, language: str) -> str:
    """The one block of a language below a heading of the page."""
    _, _, below = PAGE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", below.partition("\n## ")[0], re.M | re.S)
    return block


def run_harness(entry: str, program: str, block: str, folder: Path, state: Path) -> Any:
    """What a program prints as JSON in its last line; it uses a harness as a page's block says."""
    environ = {
        **os.environ, "PYTHONPATH": str(python_packages(entry)), "MSWEA_SILENT_STARTUP": "1",
        "MSWEA_GLOBAL_CONFIG_DIR": str(state / "mini"), "INSPECT_LOG_DIR": str(state / "logs"),
        "XDG_DATA_HOME": str(state / "data"),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder), block],
        cwd=state, env=environ, capture_output=True, text=True, timeout=SECONDS, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


MINI = """
import json, os, sys
import yaml
from minisweagent.agents.default import DefaultAgent
from minisweagent.environments import get_environment
from minisweagent.models.test_models import DeterministicModel, make_output

def says(command):
    return make_output("I run this.", [{"command": command}])

os.chdir(sys.argv[1])
env = get_environment({**yaml.safe_load(sys.argv[2])["environment"], "title": "the issue"})
agent = DefaultAgent(
    DeterministicModel(outputs=[
        says("cat a.txt; pwd"),
        says("echo BAD line >> a.txt"),
        says("exit 3"),
        says("sed -i s/BAD/good/ a.txt"),
        says("sleep 60"),
        says("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; cat a.txt"),
    ]),
    env, system_template="You work in {{cwd}}.", instance_template="{{task}}", cost_limit=0,
)
env.config.timeout = 5
ended = agent.run("mend it")
seen = [m["content"] for m in agent.messages if m["role"] == "user"]
print(json.dumps({
    "ended": ended, "seen": seen, "system": agent.messages[0]["content"], "diff": env.diff(),
    "branch": env.branch.id, "told": agent.serialize()["info"]["understudy"],
}))
env.close()
"""


def test_mini_swe_agent_works_in_a_branch(folder: Path, state: Path) -> None:
    told = run_harness("mini-swe-agent", MINI, block_of("In mini-swe-agent", "yaml"), folder, state)
    assert told["system"] == f"You work in {folder}."
    first, second, third, fourth, fifth = told["seen"][1:]
    assert f"<returncode>0</returncode>\n<output>\nfine\n{folder}\n" in first
    assert "understudy" not in first
    assert "findings: 1 introduced" in second
    assert "BAD line" in second
    assert "<returncode>3" in third
    assert "your changes are clean" in fourth
    assert "ended at its limit of time" in fifth
    assert told["ended"] == {"exit_status": "Submitted", "submission": "fine\ngood line\n"}
    assert told["diff"].endswith("@@ -1 +1,2 @@\n fine\n+good line\n")
    assert told["told"] == {"branch": told["branch"]}
    assert (folder / "a.txt").read_text() == "fine\n"
    assert "the issue" in Shell(folder, state)("branches", "list").out


INSPECT = """
import json, os, sys
from inspect_ai import Task, eval as evaluate
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.tool import bash, python

os.symlink(sys.argv[1], "shop")  # the folder that the page names
exec(compile(sys.argv[2], "the page", "exec"))

def calls(tool, **arguments):
    output = ModelOutput.for_tool_call("mockllm/model", tool, arguments)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output  # without it, Inspect counts tokens by a table that it downloads

@scorer(metrics=[accuracy()])
def diff():
    async def score(state, target):
        branch = sandbox().as_type(UnderstudySandbox).branch
        return Score(value="C", explanation=await branch.diff())
    return score

def outputs(line):
    return [
        calls("bash", command=f"cat a.txt given.txt && echo '{line}' >> a.txt"),
        calls("python", code="print(open('a.txt').read().upper())"),
        calls("bash", command="exit 4"),
        calls("submit", answer="done"),
    ]

task = Task(
    dataset=[Sample(input="mend it", id="one", files={"given.txt": "of the sample\\n"})],
    solver=react(tools=[bash(timeout=30), python(timeout=30)]),
    scorer=[breaks_nothing(), diff()],
    sandbox=SANDBOX,
)
told = []
for line in ("good", "BAD"):
    model = get_model("mockllm/model", custom_outputs=outputs(line), memoize=False)
    (log,) = evaluate(task, model=model, display="none")
    assert log.status == "success", log.error
    (sample,) = log.samples
    score = sample.scores["breaks_nothing"]
    told.append({
        "value": score.value, "text": score.explanation,
        "diff": sample.scores["diff"].explanation,
        "seen": [m.text for m in sample.messages if m.role == "tool"],
    })
print(json.dumps(told))
"""


def test_inspect_evaluates_in_branches(folder: Path, state: Path) -> None:
    good, bad = run_harness("inspect-ai", INSPECT, block_of("In Inspect", "python"), folder, state)
    assert (good["value"], bad["value"]) == ("C", "I"), bad
    assert good["seen"][0] == "fine\nof the sample\n"
    assert good["seen"][1].startswith("FINE\nGOOD\n")
    assert "findings: 1 introduced" in bad["text"]
    assert "+BAD" in bad["diff"]
    assert "+of the sample" in bad["diff"]
    assert (folder / "a.txt").read_text() == "fine\n"
    assert not (folder / "given.txt").exists()
    assert Shell(folder, state)("branches", "list").out.count("task") == 2
