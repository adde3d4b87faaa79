import assert from "node:assert/strict";
import { test } from "node:test";
import type { Accepted, ChangedFile, Check, Finding } from "../src/branches/answers";
import { wordsOf } from "../src/branches/command_line";
import { partsOf, textOf } from "../src/branches/uris";
import {
  acceptedWords,
  changeWords,
  findingCounts,
  hunkWords,
  iconOf,
  operationLines,
  runsSomething,
  shownAs,
  verdictWords,
} from "../src/branches/wording";
import { receiptText } from "../src/branches/receipt";

const FINDING: Finding = {
  path: "a.py",
  range: { start: { line: 2, character: 4 }, end: { line: 2, character: 9 } },
  severity: "error",
  code: "reportCallIssue",
  message: "wrong",
  server: "basedpyright",
};
const CHECK: Check = {
  verdict: "unknown",
  stamp: "abc",
  base_moved: false,
  introduced: [],
  fixed: [],
  hidden: [],
  unattributed: [],
  remaining: 0,
  unjudged: ["notes.txt"],
  files: [
    { path: "a.py", verdict: "unknown", reason: { code: "timeout", text: "late" }, servers: [] },
  ],
};
const ACCEPTED: Accepted = {
  outcome: "applied",
  text: "",
  paths: ["a.py"],
  created: [],
  deleted: [],
  renamed: [],
  merged: [],
  unseen: [],
  conflicts: [],
  branch: null,
  archived: "b1",
};

test("what is not proven clean never looks or reads like it", () => {
  const judgements = ["unknown", "none", "stale", "past", "part", "checking", "findings"] as const;
  for (const judgement of judgements) {
    assert.notEqual(iconOf(judgement).id, iconOf("clean").id);
    assert.notEqual(iconOf(judgement).color, iconOf("clean").color);
    assert.doesNotMatch(verdictWords(judgement, CHECK), /^clean|pass|ok$/i);
  }
  assert.match(verdictWords("unknown", CHECK), /unknown, not verified \(1 file\)/);
  const silenced = [{ path: "a.py", line: 2, how: "comment", what: "noqa", findings: [] }];
  const whole = { ...CHECK, unjudged: [] };
  assert.equal(verdictWords("clean", { ...whole, silenced }), "clean, but 1 silenced");
  assert.equal(verdictWords("clean", whole), "clean");
  assert.equal(verdictWords("clean", CHECK), "clean, but 1 file judged by no server");
  assert.notEqual(iconOf("clean", CHECK).color, iconOf("clean", whole).color);
  assert.notEqual(iconOf("clean", CHECK).id, iconOf("clean", whole).id); // not by colour alone
  assert.match(receiptText("b1", "", { ...CHECK, silenced }), /a\.py:3: silenced: comment noqa/);
  const what = "not looked through: it is binary";
  const unread = { path: "c.h", line: 0, how: "unread", what, findings: [] };
  const both = { ...whole, silenced: [...silenced, unread] };
  assert.equal(
    verdictWords("clean", both),
    "clean, but 1 silenced and 1 not looked through for silencing",
  );
  assert.match(receiptText("b1", "", both), /\nc\.h: not looked through: it is binary\n/);
  assert.match(verdictWords("stale", CHECK), /changed since/);
  const found = { ...CHECK, verdict: "findings" as const, introduced: [FINDING] };
  assert.equal(verdictWords("stale", found), "has changed since it introduced 1 error");
  assert.equal(verdictWords("stale", undefined), "has changed since it was checked");
  assert.equal(verdictWords("past", found), "checked last, it introduced 1 error");
  const part = { ...CHECK, verdict: "clean" as const };
  assert.equal(
    verdictWords("past", part),
    "checked last, it was clean, but 1 file judged by no server",
  );
  assert.equal(verdictWords("checking", undefined), "checking…");
  assert.equal(verdictWords("checking", found), "checking again, introduced 1 error");
  assert.equal(iconOf("part", found).id, iconOf("findings").id);
  assert.equal(shownAs("part", found), "findings"); // a filter finds it there, too
  assert.equal(shownAs("clean", CHECK), "part");
  assert.equal(shownAs("clean", whole), "clean");
  assert.notEqual(iconOf("part").id, iconOf("none").id);
  const mild = { ...whole, verdict: "clean" as const, introduced: [FINDING] };
  assert.notEqual(iconOf("part", mild).id, iconOf("findings").id);
});

test("findings are counted by severity", () => {
  const warning = { ...FINDING, severity: "warning" as const };
  assert.equal(findingCounts([FINDING, warning, FINDING]), "2 errors, 1 warning");
  assert.equal(findingCounts([]), "no findings");
});

test("a file says what is done to it, a conflict first", () => {
  const file: ChangedFile = {
    path: "b.py",
    kind: "renamed",
    origin: "a.py",
    conflict: null,
    added: 2,
    removed: 1,
    hunks: [],
  };
  assert.equal(changeWords(file), "renamed from a.py, +2 −1");
  assert.equal(changeWords({ ...file, kind: "modified", removed: 0 }), "+2");
  assert.match(changeWords({ ...file, conflict: "why" }), /^conflicts with your text/);
});

test("what the user's own tools run is told apart; an earlier server says nothing of it", () => {
  const file = { path: ".envrc", kind: "added" as const, origin: null, conflict: null };
  const change: ChangedFile = { ...file, added: 1, removed: 0, hunks: [] };
  assert.equal(runsSomething(change), false);
  assert.equal(runsSomething({ ...change, runs: null }), false);
  assert.equal(runsSomething({ ...change, runs: "direnv runs it" }), true);
});

test("a hunk shows its first lines and counts the others", () => {
  const words = hunkWords({
    hunk: "x",
    before: { start: 4, end: 6 },
    after: { start: 4, end: 8 },
    lines: ["-old", "-older", "+  new", "+newer", "+", "+more"],
    left_out: 10,
  });
  assert.equal(words.label, "+ new");
  assert.equal(words.description, "line 5, 16 changed lines");
  assert.match(words.detail, /^-old .*… 12 more$/);
});

test("an accept is told as what it was", () => {
  assert.equal(acceptedWords("b1", ACCEPTED), "Accepted 1 file of b1.");
  const hunk = acceptedWords("b1", ACCEPTED, "1 hunk in a.py");
  assert.equal(hunk, "Accepted 1 hunk in a.py of b1.");
  const moved = { ...ACCEPTED, paths: ["o", "p"], renamed: [{ path: "o", to: "p" }] };
  assert.equal(acceptedWords("b1", moved), "Accepted 1 file of b1.");
  const part = {
    ...ACCEPTED,
    merged: ["a.py"],
    branch: { branch: "b1", stamp: "s", files: ["b.py"] },
  };
  assert.match(acceptedWords("b1", part), /merged with yours in a\.py\. Left in b1: 1 file\./);
  const unknown = { ...ACCEPTED, outcome: "unknown" as const, text: "no answer" };
  assert.match(acceptedWords("b1", unknown), /^Unknown whether .*the branch is kept/);
  const files = { ...ACCEPTED, created: ["n"], deleted: ["d"], renamed: [{ path: "o", to: "p" }] };
  assert.deepEqual(operationLines(files), ["create n", "delete d", "rename o to p"]);
});

test("a receipt has the verdict, the stamp and everything unknown", () => {
  const text = receiptText("b1", "mine", { ...CHECK, introduced: [FINDING] });
  assert.match(text, /^Understudy: branch b1 \(mine\): unknown, not verified/);
  assert.match(text, /stamp abc/);
  assert.match(text, /a\.py:3:5: error reportCallIssue wrong \(basedpyright\)/);
  assert.match(text, /a\.py: unknown, not verified: timeout: late/);
  assert.match(text, /notes\.txt: judged by no server/);
});

test("a command line is split as it is typed", () => {
  assert.deepEqual(wordsOf(` pytest -q 'a b' "c\\"d" e\\ f '' `), [
    "pytest",
    "-q",
    "a b",
    'c"d',
    "e f",
    "",
  ]);
  assert.deepEqual(wordsOf("  "), []);
  assert.throws(() => wordsOf("echo 'x"), /not closed/);
});

test("a text's URI leads back to what it is about", () => {
  const text = { folder: "file:///w", branch: "b1", path: "src/ä b.py", side: "after" } as const;
  const { path, query } = partsOf(text);
  assert.deepEqual(textOf(path, query), text);
  assert.equal(textOf("/a", "{}"), undefined);
  assert.equal(textOf("/a", "no json"), undefined);
});
