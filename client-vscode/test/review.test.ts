import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangedFile, Check, Finding, Hunk } from "../src/branches/answers";
import { chainWords, chatText, originWords, shownOf, withOld } from "../src/review/findings";
import { fileFrom, hunkAt, placeFrom, stepAfter, stepFrom } from "../src/review/walk";
import { inMarkdown } from "../src/shown/text";

const at = (path: string, line: number, severity: Finding["severity"] = "error"): Finding => ({
  path,
  range: { start: { line, character: 0 }, end: { line, character: 3 } },
  severity,
  code: "E1",
  message: `wrong in ${line}`,
  server: "ruff",
});
const CHECK = {
  introduced: [at("a.py", 9, "hint"), at("a.py", 2), at("b.py", 1)],
  unattributed: [at("a.py", 4, "warning")],
} as unknown as Check;
const hunk = (name: string, start: number, end: number): Hunk => ({
  hunk: name,
  before: { start, end },
  after: { start: start + 1, end: end + 1 },
  lines: [],
  left_out: 0,
});
const file = (path: string, ...hunks: Hunk[]): ChangedFile => ({
  ...{ path, kind: "modified", origin: null, conflict: null, added: 1, removed: 1 },
  hunks,
});
const FILES = [file("a.py", hunk("a1", 2, 3), hunk("a2", 8, 8)), file("b.py", hunk("b1", 0, 1))];

test("what is shown in a document is its own, the worst first, the old ones last", () => {
  const shown = shownOf(CHECK, "a.py");
  assert.deepEqual(
    shown.map(({ finding, origin }) => [finding.range.start.line, origin]),
    [
      [2, "introduced"],
      [4, "unattributed"],
      [9, "introduced"],
    ],
  );
  const all = withOld(shown, [at("a.py", 2), at("a.py", 7)]);
  assert.deepEqual(
    all.filter(({ origin }) => origin === "old").map(({ finding }) => finding.range.start.line),
    [7],
  );
  assert.equal(all.at(-1)?.origin, "old");
  assert.match(originWords(shown[1]!, "b3"), /unknown whether b3 introduces it/);
  assert.deepEqual(shownOf(undefined, "a.py"), []);
});

test("a chain begins with the edited file, and an edited file has none", () => {
  const reached = { path: "c.py", distance: 2, names: ["f", "g"], via: ["a.py", "b.py"] };
  assert.equal(chainWords(reached), "a.py → b.py → c.py, by f, g");
  assert.equal(chainWords({ ...reached, distance: 0 }), "");
  assert.equal(chainWords(undefined), "");
});

test("a chat gets the finding with its place, chain and code", () => {
  const lines = ["zero", "one", "two", "three", "four", "five", "six"];
  const text = chatText(shownOf(CHECK, "a.py")[0]!, "b3", "a.py → c.py", lines);
  assert.match(text, /^In branch b3, a\.py:3:1 E1 \(ruff\): error:\nwrong in 2\n/);
  assert.match(text, /over a\.py → c\.py/);
  assert.match(text, /\n3 two\n/);
  assert.doesNotMatch(text, /seven|\n7 six/);
});

test("a walk goes over the ends of files, round and round, and falls back on the nearest", () => {
  const name = (step: ReturnType<typeof stepFrom>) => step?.hunk.hunk;
  assert.equal(name(stepFrom(FILES, "a.py", 0, 1)), "a1");
  assert.equal(name(stepFrom(FILES, "a.py", 3, 1)), "a2");
  assert.equal(name(stepFrom(FILES, "a.py", 9, 1)), "b1");
  assert.equal(name(stepFrom(FILES, "b.py", 1, 1)), "a1");
  assert.equal(name(stepFrom(FILES, "b.py", 1, -1)), "a2");
  assert.equal(stepFrom([], "a.py", 0, 1), undefined);
  const [first] = FILES;
  const done = { file: first!, hunk: first!.hunks[0]! };
  assert.equal(name(stepAfter([file("a.py", hunk("a2", 8, 8)), FILES[1]!], done)), "a2");
  assert.equal(name(stepAfter([FILES[1]!], done)), "b1");
  assert.equal(hunkAt(first!.hunks, 100, "after")?.hunk, "a2");
  assert.equal(hunkAt(first!.hunks, 0, "before")?.hunk, "a1");
  assert.equal(hunkAt([], 0, "after"), undefined);
  assert.equal(fileFrom(FILES, "b.py", 1)?.path, "a.py");
  assert.equal(fileFrom(FILES, "a.py", -1)?.path, "b.py");
  const places = [
    { path: "b.py", line: 1 },
    { path: "a.py", line: 5 },
  ];
  assert.deepEqual(placeFrom(places, "a.py", 5, 1), places[0]);
  assert.deepEqual(placeFrom(places, "a.py", 5, -1), places[0]);
  assert.deepEqual(placeFrom(places, "", -1, 1), places[1]);
});

test("a message is words in Markdown, whatever is in it", () => {
  const said = "[a](command:x) $(alert) <img src=x> `code` **b** # c\n&amp; http://x.y";
  const told = inMarkdown(said);
  assert.doesNotMatch(told, /(?<!\\)[[\]()`*#$:]|<img/);
  assert.match(told, /&amp;amp;/);
});
