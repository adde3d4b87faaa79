import assert from "node:assert/strict";
import { test } from "node:test";
import { BadCall, folderMeant, sessionOf, splitRoot } from "../src/tools/input";

const ONE = { name: "one", path: "/w/one" };
const TWO = { name: "two", path: "/w/two" };

function refused(call: () => unknown, code: string, says: RegExp): void {
  assert.throws(call, (error: unknown) => {
    assert.ok(error instanceof BadCall);
    assert.equal(error.code, code);
    assert.match(error.message, says);
    return true;
  });
}

test("an input is a JSON object, and its root a string", () => {
  assert.deepEqual(splitRoot({}), { root: undefined, rest: {} });
  assert.deepEqual(splitRoot({ root: null, diff: "x" }), { root: undefined, rest: { diff: "x" } });
  assert.deepEqual(splitRoot({ root: "one", fresh: true }), { root: "one", rest: { fresh: true } });
  for (const wrong of [undefined, null, "text", 5, [], [{}]]) {
    refused(() => splitRoot(wrong), "bad-params", /JSON object/);
  }
  refused(() => splitRoot({ root: 5 }), "bad-params", /root/);
});

test("the only folder needs no name", () => {
  assert.equal(folderMeant([ONE], undefined), ONE);
  refused(() => folderMeant([], undefined), "no-such-root", /nothing can be judged/);
});

test("of several folders one is named, by its name or its path", () => {
  assert.equal(folderMeant([ONE, TWO], "two"), TWO);
  assert.equal(folderMeant([ONE, TWO], "/w/one/"), ONE);
  refused(() => folderMeant([ONE, TWO], undefined), "bad-params", /one \(.*two \(/);
  refused(() => folderMeant([ONE, TWO], "three"), "no-such-root", /one \(.*two \(/);
  const other = { name: "one", path: "/elsewhere/one" };
  refused(() => folderMeant([ONE, other], "one"), "bad-params", /several folders/);
  assert.equal(folderMeant([ONE, other], "/elsewhere/one"), other);
});

test("calls of one chat have one name, whatever the editor gives", () => {
  const resource = { scheme: "chat-session", authority: "local", path: "/42" };
  const named = "chat-session://local/42";
  assert.equal(sessionOf({ toolInvocationToken: { sessionResource: resource } }), named);
  assert.equal(sessionOf({ chatSessionResource: resource }), named);
  assert.equal(sessionOf({ toolInvocationToken: { sessionId: "abc" } }), "abc");
  for (const nothing of [
    undefined,
    {},
    { toolInvocationToken: undefined },
    { toolInvocationToken: 5 },
  ]) {
    assert.equal(sessionOf(nothing), "editor");
  }
  assert.equal(sessionOf({ toolInvocationToken: { sessionId: "" } }), "editor");
});
