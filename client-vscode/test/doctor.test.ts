/** The page of what works: a summary, what to mend with its buttons, and nothing that runs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { COMMANDS, pageOf } from "../src/doctor/page";
import { sorted, unasked, type HealthFinding } from "../src/doctor/sorted";

const GOPLS = "gopls is not installed: go install gopls; `understudy servers add gopls` does it";
const FOUND: readonly HealthFinding[] = [
  { subject: "understudy", state: "ok", text: "0.1.0 on Linux" },
  { subject: "trust", state: "ok", text: "not trusted: nothing of it is executed" },
  { subject: "stage overlay", state: "ok", text: "commands run at the folder's own path" },
  { subject: "stage variables", state: "ok", text: "kept back: TOKEN" },
  { subject: "ruff", state: "ok", text: "answered about main.py in 0.1 s" },
  { subject: "gopls", state: "problem", text: GOPLS },
  { subject: "clangd", state: "unused", text: "installed, not needed for the files here" },
];

test("problems come first, what concerns no file here is folded", () => {
  const { summary, problems, working, rest } = sorted(FOUND);
  assert.equal(
    summary,
    "1 language server of this folder can be asked: ruff; commands can be run. 2 things to mend.",
  );
  assert.deepEqual(subjects(problems), ["trust", "gopls"]);
  assert.deepEqual(subjects(working), ["ruff"]);
  assert.deepEqual(subjects(rest), ["understudy", "stage overlay", "stage variables", "clangd"]);
});

test("every problem has a button, and the page may run no other command", () => {
  const broken = ["python", "recording", "stage settings", "ruff", "folders"].map((subject) => {
    return { subject, state: "problem" as const, text: "it does not work" };
  });
  const all = [...sorted([...FOUND, ...broken]).problems, ...unasked("no Python").problems];
  assert.deepEqual(subjects(all.filter(({ remedies }) => remedies.length === 0)), []);
  const commands = all.flatMap(({ remedies }) => remedies.map(({ command }) => command));
  assert.deepEqual(
    commands.filter((command) => !COMMANDS.includes(command)),
    [],
  );
});

test("to trust the folder is offered where that is what is missing", () => {
  const words = [
    "ruff executes code of this folder, and it is not trusted: trust it",
    "untrusted: no",
  ];
  const others = ["crashed: the crate `untrusted` does not build"];
  const offered = [...words, ...others].map((text) => {
    const [row] = sorted([{ subject: "ruff", state: "problem", text }]).problems;
    return row?.remedies[0]?.title;
  });
  const trust = "Trust This Folder…";
  assert.deepEqual(offered, [trust, trust, "Restart the Server"]);
});

test("what to install is what is copied", () => {
  const [, gopls] = sorted(FOUND).problems;
  assert.deepEqual(gopls?.remedies[0]?.given, ["go install gopls"]);
  assert.ok(pageOf("t", sorted(FOUND)).includes(encodeURIComponent('["go install gopls"]')));
});

test("a folder or a server cannot write into the page", () => {
  const evil = '<img src=x onerror="alert(1)">\u202e';
  const shown = sorted([{ subject: evil, state: "problem", text: evil }]);
  const html = pageOf(evil, shown);
  assert.ok(!html.includes("<img"));
  assert.ok(!html.includes("\u202e"));
});

function subjects(rows: readonly HealthFinding[]): string[] {
  return rows.map(({ subject }) => subject);
}
