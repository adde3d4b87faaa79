import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { findPython, NoPython, type Rejection, systemCandidates } from "../src/python";

const folder = mkdtempSync(path.join(os.tmpdir(), "understudy-python-"));

/** A program that stands where a Python is looked for. */
function program(name: string, script: string): { command: string[]; origin: string } {
  const place = path.join(folder, name);
  writeFileSync(place, `#!/bin/sh\n${script}\n`);
  chmodSync(place, 0o755);
  return { command: [place], origin: "test" };
}

const good = program("good", `echo '["/opt/python", [3, 14, 0]]'`);

test("the first that will do is taken, and those before it are told", async () => {
  const old = program("old", `echo '["/opt/old", [3, 9, 18]]'`);
  const shim = program("shim", "echo 'pyenv: python3.12: command not found' >&2; exit 127");
  const absent = { command: [path.join(folder, "absent")], origin: "test" };
  const chatty = program("chatty", "echo hello");
  const rejected: Rejection[] = [];
  const found = await findPython([old, shim, absent, chatty, good], (one) => rejected.push(one));
  assert.deepEqual(found, { path: "/opt/python", version: "3.14.0", origin: "test" });
  assert.deepEqual(
    rejected.map(({ reason }) => reason),
    [
      "is Python 3.9.18",
      "fails with exit code 127: pyenv: python3.12: command not found",
      "not found",
      "does not answer as a Python does",
    ],
  );
});

test("a program that may not be run is told as such", async () => {
  const place = path.join(folder, "text");
  writeFileSync(place, "no program");
  const rejected: Rejection[] = [];
  await findPython([{ command: [place], origin: "test" }, good], (one) => rejected.push(one));
  assert.equal(rejected[0]?.reason, "cannot be run (EACCES)");
});

test("without any, the error names each with its reason, and what is needed", async () => {
  const two = program("two", `echo '["/opt/two", [2, 7, 18]]'`);
  await assert.rejects(
    findPython([two], () => undefined),
    (error: unknown) => {
      assert.ok(error instanceof NoPython);
      assert.match(error.message, /needs Python 3\.10 or newer/);
      assert.match(error.message, /two: is Python 2\.7\.18/);
      return true;
    },
  );
  await assert.rejects(
    findPython([], () => undefined),
    NoPython,
  );
});

test("each is asked in isolation from the user's environment", async () => {
  const said = path.join(folder, "said");
  const noted = program("noted", `echo "$*" > ${said}; echo '["/p", [3, 12, 1]]'`);
  await findPython([{ ...noted, command: [...noted.command, "-3"] }], () => undefined);
  const { readFileSync } = await import("node:fs");
  assert.match(readFileSync(said, "utf8"), /^-3 -I -c import json/);
});

test("Windows has its launcher", () => {
  assert.deepEqual(systemCandidates("win32").at(-1)?.command, ["py", "-3"]);
  assert.deepEqual(
    systemCandidates("linux").map(({ command }) => command),
    [["python3"], ["python"]],
  );
});
