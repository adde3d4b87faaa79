import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import { hunkWords, operationLines } from "../src/branches/wording";
import { oneLine, plain, visible } from "../src/shown/text";
import { question } from "../src/tools/wording";
import { reportRows } from "../src/watching/wording";

test("what hides or reorders is written out", () => {
  assert.equal(
    visible("a\x1b[2Kb\r\x9b\u202ec\u200b\u{e0041}\t\n"),
    String.raw`a\x1b[2Kb\x0d\x9b\u202ec\u200b\U000e0041` + "\t\n",
  );
  assert.equal(visible("\ud800"), String.raw`\ud800`);
  assert.equal(oneLine("a\nb"), String.raw`a\x0ab`);
});

test("marks that are a part of what is written stay", () => {
  const written = "\u2764\ufe0f \u{1f468}\u200d\u{1f469} 1\ufe0f\u20e3 \u0645\u06cc\u200c\u062e";
  assert.equal(visible(written), written);
  assert.equal(visible("ad\u200cmin"), String.raw`ad\u200cmin`);
});

test("no text becomes a link, a command or an icon", () => {
  assert.equal(plain("[Fix](command:evil) $(pass) clean"), "[Fix] (command:evil) $ (pass) clean");
});

test("what the user is asked to allow shows all of it", () => {
  const asked = question("understudy_run", { command: ["echo", "a\u202eb\x1b[2K"] }, "shop");
  assert.match(asked?.command ?? "", /a\\u202eb\\x1b\[2K/);
  const accepted = { created: ["a\ndelete b"], deleted: [], renamed: [] };
  const lines = operationLines(accepted as unknown as Parameters<typeof operationLines>[0]);
  assert.deepEqual(lines, [String.raw`create a\x0adelete b`]);
});

test("rows of a list have no icon but ours", () => {
  const finding = {
    path: "a.py",
    range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
    severity: "error",
    code: null,
    source: "s",
    message: "$(pass) all clean",
    server: "s",
  };
  const report = { files: [], introduced: [finding], unattributed: [] };
  const rows = reportRows(report as unknown as Parameters<typeof reportRows>[0]);
  assert.equal(rows[0]?.label, "$(error) $ (pass) all clean");
  const hunk = { lines: ["+$(pass)\u202e"], left_out: 0, before: { start: 0, end: 0 } };
  const words = hunkWords(hunk as unknown as Parameters<typeof hunkWords>[0]);
  assert.equal(words.label, String.raw`+ $ (pass)\u202e`);
});

test("notifications have one door", () => {
  const sources = readdirSync("client-vscode/src", { recursive: true, encoding: "utf8" });
  const around = sources
    .filter((name) => name.endsWith(".ts") && name !== path.join("shown", "notices.ts"))
    .filter((name) =>
      /show(Error|Warning|Information)Message/.test(
        readFileSync(path.join("client-vscode/src", name), "utf8"),
      ),
    );
  assert.deepEqual(around, []);
});
