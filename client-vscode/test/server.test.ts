import assert from "node:assert/strict";
import * as path from "node:path";
import { test } from "node:test";
import { CrashCount } from "../src/crashes";
import { bundledLibraries, serverArguments, serverEnvironment } from "../src/environment";
import { asServerError, ServerError } from "../src/server_error";

test("the server's environment keeps the user's packages out, and says what it changed", () => {
  const user = { PATH: "/bin", PYTHONPATH: "/theirs", PYTHONHOME: "/home" };
  const env = serverEnvironment(user, "/libs");
  assert.equal(env["PATH"], "/bin");
  assert.equal(env["PYTHONPATH"], "/libs");
  assert.equal(env["PYTHONNOUSERSITE"], "1");
  assert.equal(env["PYTHONUTF8"], "1");
  assert.equal(env["PYTHONHOME"], undefined);
  const changed = JSON.parse(env["UNDERSTUDY_USER_ENVIRONMENT"] ?? "") as Record<string, unknown>;
  assert.equal(changed["PYTHONPATH"], "/theirs");
  assert.equal(changed["PYTHONHOME"], "/home");
  assert.equal(changed["PYTHONUTF8"], null);
  const ours = Object.keys(env).filter((name) => name.startsWith("PYTHON"));
  assert.deepEqual(ours.sort(), Object.keys(changed).sort());
  assert.deepEqual(user, { PATH: "/bin", PYTHONPATH: "/theirs", PYTHONHOME: "/home" });
});

test("it runs without the site module, on what lies in the extension", () => {
  assert.deepEqual(serverArguments("lsp"), ["-S", "-m", "understudy", "lsp"]);
  assert.equal(bundledLibraries("/x"), path.join("/x", "bundled", "libs"));
});

test("a server that ends too often is left alone, until that is some time ago", () => {
  const crashes = new CrashCount();
  const minute = 60_000;
  const answers = [0, 1, 2, 3, 4].map((at) => crashes.mayRestart(at));
  assert.deepEqual(answers, [true, true, true, true, false]);
  assert.equal(crashes.mayRestart(4 * minute), true);
});

test("what the server refuses has its code and its place", () => {
  const data = { code: "no-such-branch", text: "there is no branch b9", where: "branch" };
  const error = asServerError(Object.assign(new Error("x"), { code: -32602, data }));
  assert.ok(error instanceof ServerError);
  assert.deepEqual(
    [error.code, error.message],
    ["no-such-branch", "branch: there is no branch b9"],
  );
});

test("a server that goes away is told from one that refuses", () => {
  const gone = asServerError(Object.assign(new Error("disposed"), { code: -32097 }));
  assert.ok(gone instanceof ServerError);
  assert.equal(gone.code, "crashed");
  const other = new Error("else");
  assert.equal(asServerError(other), other);
  assert.equal(asServerError("text"), "text");
});
