import assert from "node:assert/strict";
import { test } from "node:test";
import { layered, type Layer } from "../src/settings_layers";

const ENTRIES = {
  names: ["branchDays", "contextUserDays"],
  personal: ["contextUserDays"],
  editors: ["problems"],
};

function users(table: unknown, old: Record<string, unknown> = {}): Layer {
  return { isUsers: true, table, old };
}

function workspaces(table: unknown, old: Record<string, unknown> = {}): Layer {
  return { isUsers: false, table, old };
}

test("the nearest layer wins, entry by entry, by whatever name it says it", () => {
  const layers = [users({ branchDays: 1, contextUserDays: 2 }), workspaces({ branchDays: 3 })];
  assert.deepEqual(layered(layers, ENTRIES), { branchDays: 3, contextUserDays: 2 });
  const old = [users({ branchDays: 1 }), workspaces(undefined, { branchDays: 4 })];
  assert.deepEqual(layered(old, ENTRIES), { branchDays: 4 });
});

test("in one layer the table wins over an old name", () => {
  const layers = [users({ branchDays: 1 }, { branchDays: 9, contextUserDays: 5 })];
  assert.deepEqual(layered(layers, ENTRIES), { branchDays: 1, contextUserDays: 5 });
});

test("a workspace does not decide about all workspaces", () => {
  const layers = [users({ contextUserDays: 180 }), workspaces({ contextUserDays: 0 })];
  assert.deepEqual(layered(layers, ENTRIES), { contextUserDays: 180 });
});

test("null and what nobody wrote say nothing", () => {
  const layers = [users({ branchDays: 2 }), workspaces({ branchDays: null }), workspaces(null)];
  assert.deepEqual(layered(layers, ENTRIES), { branchDays: 2 });
  assert.deepEqual(layered([users(undefined)], ENTRIES), {});
});

test("what is no entry reaches the server by a name that it refuses", () => {
  assert.deepEqual(layered([users({ scope: "edited" })], ENTRIES), { "advanced.scope": "edited" });
  assert.deepEqual(layered([users([1])], ENTRIES), { advanced: [1] });
  assert.deepEqual(layered([users("all")], ENTRIES), { advanced: "all" });
});
