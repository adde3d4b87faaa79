"""Public harnesses at work over a branch, each with its own agent and a model that is scripted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.e2e.command_line import Shell
from tests.support.servers import python_packages

SECONDS = 120


def run_harness(entry: str, program: str, folder: Path, state: Path) -> Any:
    """What a program that uses a harness prints as JSON in its last line."""
    environ = {
        **os.environ, "PYTHONPATH": str(python_packages(entry)), "MSWEA_SILENT_STARTUP": "1",
        "MSWEA_GLOBAL_CONFIG_DIR": str(state / "mini"), "INSPECT_LOG_DIR": str(state / "logs"),
        "XDG_DATA_HOME": str(state / "data"),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)],
        cwd=state, env=environ, capture_output=True, text=True, timeout=SECONDS, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


MINI = """
import json, sys
from minisweagent.agents.default import DefaultAgent
from minisweagent.environments import get_environment
from minisweagent.models.test_models import DeterministicModel, make_output

def says(command):
    return make_output("I run this.", [{"command": command}])

env = get_environment({
    "environment_class": "understudy.adapters.mini_swe_agent.UnderstudyEnvironment",
    "folder": sys.argv[1], "trust": True, "title": "the issue",
})
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
    told = run_harness("mini-swe-agent", MINI, folder, state)
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
import json, sys
from inspect_ai import Task, eval as evaluate
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.tool import bash, python
from inspect_ai.util import SandboxEnvironmentSpec, sandbox
from understudy.adapters.inspect_ai import UnderstudyConfig, UnderstudySandbox
import understudy as u

def calls(tool, **arguments):
    output = ModelOutput.for_tool_call("mockllm/model", tool, arguments)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output  # without it, Inspect counts tokens by a table that it downloads

@scorer(metrics=[accuracy()])
def breaks_nothing():
    async def score(state, target):
        branch = sandbox().as_type(UnderstudySandbox).branch
        verdict = await branch.check()
        return Score(
            value="C" if isinstance(verdict, u.Clean) else "I", explanation=verdict.text,
            metadata={"diff": await branch.diff()},
        )
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
    scorer=breaks_nothing(),
    sandbox=SandboxEnvironmentSpec("understudy", UnderstudyConfig(folder=sys.argv[1], trust=True)),
)
told = []
for line in ("good", "BAD"):
    model = get_model("mockllm/model", custom_outputs=outputs(line), memoize=False)
    (log,) = evaluate(task, model=model, display="none")
    assert log.status == "success", log.error
    (sample,) = log.samples
    score = sample.scores["breaks_nothing"]
    told.append({
        "value": score.value, "text": score.explanation, "diff": score.metadata["diff"],
        "seen": [m.text for m in sample.messages if m.role == "tool"],
    })
print(json.dumps(told))
"""


def test_inspect_evaluates_in_branches(folder: Path, state: Path) -> None:
    good, bad = run_harness("inspect-ai", INSPECT, folder, state)
    assert (good["value"], bad["value"]) == ("C", "I"), bad
    assert good["seen"][0] == "fine\nof the sample\n"
    assert good["seen"][1].startswith("FINE\nGOOD\n")
    assert "findings: 1 introduced" in bad["text"]
    assert "+BAD" in bad["diff"]
    assert "+of the sample" in bad["diff"]
    assert (folder / "a.txt").read_text() == "fine\n"
    assert not (folder / "given.txt").exists()
    assert Shell(folder, state)("branches", "list").out.count("task") == 2
