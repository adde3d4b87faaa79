import assert from "node:assert/strict";
import { test } from "node:test";
import { type TerminalState, whyItFailed } from "../src/terminals/answers";
import { Backlog, MAX_WAITING } from "../src/terminals/backlog";
import { inOrder, rowOf } from "../src/terminals/wording";

const STATE: TerminalState = {
  id: "1",
  path: "/s/1.txt",
  status: "idle",
  pid: 1,
  command: "make",
  exit_code: 0,
  grade: "full",
  capture: "full redacted=1",
  cwd: "/p",
  shell: "/bin/bash",
  failed: null,
};

test("what waits is taken in its order", () => {
  const backlog = new Backlog();
  backlog.add({ kind: "begin", command: "make", cwd: "/p" });
  backlog.add({ kind: "data", text: "a" });
  backlog.add({ kind: "end", exit: 0 });
  assert.deepEqual(
    backlog.take().map(({ kind }) => kind),
    ["begin", "data", "end"],
  );
  assert.deepEqual(backlog.take(), []);
});

test("a flood is bounded, and what is dropped of it is counted where it would stand", () => {
  const backlog = new Backlog();
  const chunk = "x".repeat(MAX_WAITING / 2);
  for (let n = 0; n < 5; n++) {
    backlog.add({ kind: "data", text: chunk });
  }
  backlog.add({ kind: "end", exit: null });
  const [, , missed, end, ...rest] = backlog.take();
  assert.deepEqual(missed, { kind: "missed", characters: 3 * chunk.length });
  assert.equal(end?.kind, "end");
  assert.deepEqual(rest, []);
  backlog.add({ kind: "data", text: "again" });
  assert.deepEqual(backlog.take(), [{ kind: "data", text: "again" }]);
});

test("why a command failed: the facts, what is left out, and the lines as they are", () => {
  const failure = { command: 2, text: "make", exit_code: 2, path: "/s/1.2.txt", line: 14 };
  const record = { cwd: "/p", seconds: 1.5, complete: true };
  const text = "#| 2 start=x\n  é \n#| 2 exit=2\n";
  const reading = { ...STATE, failed: failure, text, left_out: 7, record };
  assert.equal(
    whyItFailed(reading, failure),
    "exit 2: make\nin /p, 1.5 s, output complete\n/s/1.2.txt:14\n" +
      `7 lines before these are left out here:\n\n${text}`,
  );
  const partial = whyItFailed({ ...reading, left_out: 0, record: null }, failure);
  assert.match(partial, /output not complete/);
  assert.doesNotMatch(partial, /left out/);
});

test("a row says what ran last, how it ended and how much is kept", () => {
  const failed = rowOf({ ...STATE, exit_code: 2 });
  assert.equal(failed.label, "make");
  assert.equal(failed.description, "idle, exit 2 · full");
  assert.equal(failed.icon.id, "error");
  assert.equal(failed.spoken, "Terminal 1, make, idle, exit 2 · full");
  assert.match(
    failed.tooltip,
    /^Capture: full redacted=1 \(all that the terminal shows is kept\)$/m,
  );
  const passed = rowOf(STATE);
  assert.deepEqual([passed.icon.id, passed.description], ["pass", "idle · full"]);
  assert.equal(passed.spoken, "Terminal 1, make, idle, exit 0 · full");
  const running = rowOf({ ...STATE, status: "running", exit_code: null }, "site");
  assert.equal(running.description, "running · full · site");
  assert.equal(rowOf({ ...STATE, command: null, exit_code: null }).label, "(nothing has run yet)");
});

test("what is not kept never looks like a terminal without output", () => {
  const capture = 'none reason="the editor has no shell integration in it"';
  const none = rowOf({ ...STATE, command: null, exit_code: null, grade: "none", capture });
  assert.equal(none.label, "/bin/bash");
  assert.equal(none.description, "open · none");
  assert.equal(none.icon.id, "circle-slash");
  assert.match(none.tooltip, /no shell integration in it/);
  assert.match(rowOf({ ...STATE, status: "off" }).description, /^recording is off/);
  assert.equal(rowOf({ ...STATE, status: "lost" }).icon.id, "warning");
});

test("terminals that are open come first, the newest of them on top", () => {
  const state = (id: string, status: string) => ({ ...STATE, id, status });
  const all = [state("1", "idle"), state("2", "closed"), state("3", "off"), state("4", "lost")];
  const ordered = inOrder(all, (one) => one);
  assert.deepEqual(
    ordered.map(({ id }) => id),
    ["3", "1", "4", "2"],
  );
});
