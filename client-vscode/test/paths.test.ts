import assert from "node:assert/strict";
import * as os from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { expandPath } from "../src/paths";

test("a path setting may begin with the home folder or name the workspace's", () => {
  assert.equal(expandPath("~/bin/python", "/w"), path.join(os.homedir(), "bin/python"));
  assert.equal(expandPath("~", "/w"), os.homedir());
  assert.equal(expandPath("${workspaceFolder}/.venv/bin/python", "/w"), "/w/.venv/bin/python");
});

test("a bare name is looked up on PATH, a relative path is the workspace folder's", () => {
  assert.equal(expandPath("python3.12", "/w"), "python3.12");
  assert.equal(expandPath(".venv/bin/python", "/w"), path.join("/w", ".venv/bin/python"));
  assert.equal(expandPath("~user/bin/python", "/w"), path.join("/w", "~user/bin/python"));
});
