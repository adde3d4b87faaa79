import assert from "node:assert/strict";
import { test } from "node:test";
import { toldOf, toolServerRow, type ToolServer } from "../src/tool_servers/wording";

const SERVER: ToolServer = {
  name: "web",
  status: "ready",
  hint: "",
  tools: 3,
  origin: ".mcp.json",
  runs: "http://localhost/mcp",
};

test("a login that is needed is told once, until the status is another", () => {
  const needs: ToolServer = { ...SERVER, status: "needs-auth", hint: "answered 401" };
  const told = "The MCP server 'web' needs re-authentication: answered 401";
  assert.deepEqual(toldOf(new Map([["web", "ready" as const]]), [needs]), [told]);
  assert.deepEqual(toldOf(new Map([["web", "needs-auth" as const]]), [needs]), []);
});

test("what needs nothing of the user is not told", () => {
  for (const status of ["ready", "starting", "needs-trust", "disabled"] as const) {
    assert.deepEqual(toldOf(new Map(), [{ ...SERVER, status }]), []);
  }
});

test("a row says what would run, before it is allowed", () => {
  const row = toolServerRow({ ...SERVER, status: "disabled", tools: 0 });
  assert.equal(row.description, "disabled, not allowed yet (.mcp.json)");
  assert.equal(row.detail, "http://localhost/mcp");
  assert.match(toolServerRow(SERVER).description, /ready, 3 tools/);
});
