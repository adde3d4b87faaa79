import assert from "node:assert/strict";
import { test } from "node:test";
import { progressLine, question, shellLine } from "../src/tools/wording";

test("a command is shown as it would be typed", () => {
  assert.equal(shellLine(["pytest", "-q", "tests/a.py"]), "pytest -q tests/a.py");
  assert.equal(shellLine(["sh", "-c", "rm -rf $HOME; echo `x`"]), "sh -c 'rm -rf $HOME; echo `x`'");
  assert.equal(shellLine(["echo", "it's", ""]), `echo 'it'"'"'s' ''`);
});

test("a run is asked for, with its command, place and network", () => {
  const asked = question("understudy_run", { command: ["make", "all tests"], cwd: "sub" }, "shop");
  assert.equal(asked?.command, "make 'all tests'");
  assert.match(
    asked?.text ?? "",
    /below would run in `sub` of a private copy of `shop`.*no network.*it is not run/,
  );
  const online = question("understudy_run", { command: ["make"], network: "host" }, "shop");
  assert.match(online?.text ?? "", /your network/);
  assert.notEqual(question("understudy_run", {}, "shop"), undefined);
  assert.doesNotMatch(online?.text ?? "", /goes on/);
});

test("a service is asked for as one, its end is not", () => {
  const asked = question("understudy_run", { command: ["x"], stage: "web", until: ":80" }, "shop");
  assert.match(asked?.text ?? "", /It goes on until the AI ends it, or this window closes\.$/);
  assert.equal(question("understudy_run", { command: [], stage: "web" }, "shop"), undefined);
  assert.notEqual(question("understudy_run", { command: [] }, "shop"), undefined);
  assert.notEqual(
    question("understudy_run", { command: [], stage: "web", until: "up" }, "shop"),
    undefined,
  );
});

test("what a model has chosen cannot pass for our words", () => {
  const cwd = "x` **safe**\n\n[allow](command:x)";
  const asked = question("understudy_run", { command: ["make"], cwd }, "shop");
  assert.match(asked?.text ?? "", /in `x' \*\*safe\*\* \[allow\]\(command:x\)` of a private/);
});

test("a tool of another server is asked for, nothing else is", () => {
  const call = { action: "call", tool: "github/search", arguments: { q: "x" } };
  assert.equal(question("understudy_context", call, "shop")?.command, 'github/search {"q":"x"}');
  assert.equal(question("understudy_context", { action: "map" }, "shop"), undefined);
  assert.equal(question("understudy_lint", { edits: [] }, "shop"), undefined);
});

test("the line in the chat says what is done", () => {
  assert.match(progressLine("understudy_lint", {}), /since this chat began/);
  assert.match(progressLine("understudy_lint", { edits: [{}] }), /Checking edits/);
  assert.match(progressLine("understudy_lint", { diff: "x" }), /Checking edits/);
  assert.match(progressLine("understudy_lint", { branch: "b1" }), /b1/);
  assert.match(progressLine("understudy_context", { action: "outline", path: "a.py" }), /a\.py/);
  assert.match(progressLine("understudy_context", { action: "map" }), /the map/);
});
