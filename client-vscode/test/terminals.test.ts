import assert from "node:assert/strict";
import { test } from "node:test";
import { whyItFailed } from "../src/terminals/answers";
import { Backlog, MAX_WAITING } from "../src/terminals/backlog";

test("what waits is taken in its order", () => {
  const backlog = new Backlog();
  backlog.add({ kind: "begin", command: "make", cwd: "/p" });
  backlog.add({ kind: "data", text: "a" });
  backlog.add({ kind: "end", exit: 0 });
  assert.deepEqual(
    backlog.take().map(({ kind }) => kind),
    ["begin", "data", "end"],
  );
  assert.equal(backlog.isEmpty, true);
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
  const failure = { command: 2, text: "make", exit_code: 2, line: 14 };
  const record = { cwd: "/p", seconds: 1.5, complete: true };
  const text = "#| 2 start=x\n  é \n#| 2 exit=2\n";
  const state = { id: "1", path: "/s/1.txt", status: "idle", pid: 1, command: "make" };
  const reading = { ...state, grade: "full", failed: failure, text, left_out: 7, record };
  assert.equal(
    whyItFailed(reading, failure),
    "exit 2: make\nin /p, 1.5 s, output complete\n/s/1.txt:14\n" +
      `7 lines before these are left out here:\n\n${text}`,
  );
  const partial = whyItFailed({ ...reading, left_out: 0, record: null }, failure);
  assert.match(partial, /output not complete/);
  assert.doesNotMatch(partial, /left out/);
});
