import assert from "node:assert/strict";
import { test } from "node:test";
import type { Check } from "../src/branches/answers";
import { reportRows, statusShown, watchShown, type Watched } from "../src/watching/wording";

const WATCHED: Watched = {
  watching: true,
  since: 0,
  checking: false,
  error: null,
  verdict: "clean",
  introduced: 0,
  files: 2,
  unknown: 0,
};

test("only proven edits are called clean", () => {
  assert.equal(watchShown(WATCHED, "12:00")?.text, "$(pass) edits clean");
  const others: Watched[] = [
    { ...WATCHED, verdict: "unknown", unknown: 2 },
    { ...WATCHED, verdict: null },
    { ...WATCHED, error: { code: "folder-slow", text: "slow" } },
    { ...WATCHED, verdict: "findings", introduced: 3, unknown: 1 },
  ];
  for (const watched of others) {
    assert.doesNotMatch(watchShown(watched, "12:00")?.text ?? "", /pass|clean/);
  }
  const found = watchShown(others[3] ?? WATCHED, "12:00");
  assert.equal(found?.text, "$(error) edits introduce 3 findings, 1 file unknown");
  assert.equal(found?.isWarning, true);
  assert.match(watchShown({ ...WATCHED, checking: true }, "12:00")?.spoken ?? "", /checking/);
  assert.equal(watchShown({ watching: false }, ""), undefined);
});

test("servers are counted with their memory and what waits for them", () => {
  const server = { root: "", state: "ready", n_waiting: 2, last_error: null };
  const servers = [
    { ...server, name: "a", resident: 100_000_000 },
    { ...server, name: "b", resident: null, n_waiting: 0 },
  ];
  const shown = statusShown([{ folder: "w", servers }], false);
  assert.equal(shown.text, "$(versions) 2 servers · 100 MB · 2 lints waiting");
  assert.doesNotMatch(shown.spoken, /\$/);
  assert.equal(statusShown([], false).text, "$(versions) Understudy");
  assert.match(statusShown([], true).text, /loading/);
});

test("the list has what is unknown before what was found", () => {
  const report: Check = {
    verdict: "findings",
    stamp: "",
    base_moved: false,
    introduced: [
      {
        path: "a.py",
        range: { start: { line: 6, character: 0 }, end: { line: 6, character: 1 } },
        severity: "error",
        code: null,
        message: "bad",
        server: "ruff",
      },
    ],
    fixed: [],
    hidden: [],
    unattributed: [],
    remaining: 0,
    unjudged: [],
    files: [{ path: "b.py", verdict: "unknown", reason: null, servers: [] }],
  };
  assert.deepEqual(
    reportRows(report).map(({ label, path, line }) => [label, path, line]),
    [
      ["$(question) unknown, not verified", "b.py", 0],
      ["$(error) bad", "a.py", 6],
    ],
  );
});
