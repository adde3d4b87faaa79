import assert from "node:assert/strict";
import { test } from "node:test";
import {
  endedWords,
  liveNotes,
  liveWords,
  nameOf,
  sentWords,
  shownAt,
} from "../src/rehearsal/wording";

const LIVE = { command: ["/usr/bin/claude", "-p"], pid: 7, warnings: [], collisions: [] };
const SENT = { branch: "b1", verdict: "findings" as const, asks: [{}, {}], open: 0, left: 0 };

test("who lives in a branch is called by its program", () => {
  assert.equal(nameOf(LIVE), "claude");
  assert.equal(nameOf({ command: [] }), "");
  assert.equal(liveWords(LIVE), "claude is at work");
  assert.equal(liveWords(undefined), "");
  assert.equal(endedWords("claude", "b1", 1), "claude has ended: b1 holds 1 file.");
});

test("what the user is to know of it is a row each, and forges none", () => {
  const told = { ...LIVE, warnings: ["80 % of its disk\nare full"], collisions: ["a.py"] };
  const [collides, warned] = liveNotes(told);
  assert.equal(collides, "you changed the same lines: a.py");
  assert.ok(!warned?.includes("\n"));
  assert.deepEqual(liveNotes(undefined), []);
});

test("no address is opened but one of a branch on this machine", () => {
  const shown = ["http://b1.localhost:8000/", "http://dark-mode.localhost:80/"];
  const others = [
    "http://example.org/",
    "https://b1.localhost:8000/",
    "http://b1.localhost.example.org:80/",
    "http://b1.localhost:8000/path",
    "http://evil@b1.localhost:8000/",
    "command:workbench.action.quit",
    "file:///etc/passwd",
  ];
  assert.deepEqual(shownAt({ ...LIVE, published: [...shown, ...others] }), shown);
  assert.deepEqual(shownAt(LIVE), []);
  assert.deepEqual(shownAt(undefined), []);
});

test("what was sent is counted, and what was not says why", () => {
  assert.equal(
    sentWords(SENT),
    "Sent the findings of 2 lines: the agent in b1 hears them with its next call.",
  );
  assert.match(sentWords({ ...SENT, left: 3 }), / 3 more are left for the next time\.$/);
  const none = { ...SENT, asks: [] };
  assert.match(sentWords({ ...none, open: 2 }), /^Sent before, and not settled in b1: 2 lines/);
  assert.match(sentWords({ ...none, verdict: "clean" }), /^Nothing to send: b1 is clean\.$/);
  assert.match(sentWords({ ...none, verdict: "unknown" }), /not verified cannot be sent/);
  assert.match(sentWords(none), /no finding that counts/);
});
