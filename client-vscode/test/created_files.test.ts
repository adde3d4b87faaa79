import assert from "node:assert/strict";
import { test } from "node:test";
import { withContents } from "../src/created_files";

const MADE = { kind: "create" as const, uri: "file:///w/new.txt" };
const START = { line: 0, character: 0 };

function filled(uri: string, newText: string) {
  const edits = [{ range: { start: START, end: START }, newText }];
  return { textDocument: { uri, version: null }, edits };
}

test("a new file is made with its text, and all else stays as it was", () => {
  const typed = filled("file:///w/old.txt", "x");
  const gone = { kind: "delete" as const, uri: "file:///w/gone.txt" };
  const given = [typed, gone, MADE, filled(MADE.uri, "é\n"), { ...MADE, uri: "file:///w/empty" }];
  const { edit, label } = withContents({ label: "b1", edit: { documentChanges: given } });
  assert.equal(label, "b1");
  assert.deepEqual(edit.documentChanges, [
    typed,
    gone,
    { ...MADE, options: { contents: new Uint8Array([0xc3, 0xa9, 0x0a]) } },
    { ...MADE, uri: "file:///w/empty" },
  ]);
});

test("an edit without new files is passed on as it is", () => {
  const params = { edit: { documentChanges: [filled("file:///w/old.txt", "x")] } };
  assert.equal(withContents(params), params);
  const other = { edit: { documentChanges: [MADE, filled("file:///w/other.txt", "x")] } };
  assert.equal(withContents(other), other);
});
