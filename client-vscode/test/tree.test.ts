import assert from "node:assert/strict";
import { test } from "node:test";
import type { Check } from "../src/branches/answers";
import { calledWords } from "../src/branches/wording";
import { byDay, leftOfDay } from "../src/tree/days";
import { fileWords } from "../src/tree/file_words";
import { CHOICES, filterWords, isShown } from "../src/tree/filter";
import { filesBelow, heldBelow, idOf, type BranchNode, type Node } from "../src/tree/nodes";
import { BRANCH, checked, file, finding, SUMMARY, unknown } from "./cases";

/** The rows in their order, those below with two more spaces. */
function drawn(nodes: readonly Node[], indent = ""): string[] {
  return nodes.flatMap((node) => {
    const words = {
      day: () => (node.kind === "day" ? node.day : ""),
      branch: () => "branch",
      folder: () => (node.kind === "folder" ? `${node.name}/` : ""),
      file: () => (node.kind === "file" ? node.path : ""),
      unverified: () => (node.kind === "unverified" ? `not verified: ${node.why}` : ""),
      finding: () => (node.kind === "finding" ? node.finding.message : ""),
      note: () => (node.kind === "note" ? node.text : ""),
    }[node.kind]();
    return [indent + words, ...drawn(heldBelow(node) ?? [], `${indent}  `)];
  });
}

test("findings come before everything else, introduced ones first", () => {
  const check = checked({
    verdict: "findings",
    introduced: [finding("z/late.py", "warning"), finding("reached.py")],
    unattributed: [finding("a/b.py"), finding("reached.py")],
    files: [unknown("far.py"), unknown("a/c.py"), unknown("reached.py")],
  });
  const files = ["a/b.py", "a/c.py", "a/x/y/deep.py", "a/x/y/z.py", "top.py", "z/late.py"];
  const rows = filesBelow(
    BRANCH,
    files.map((path) => file(path)),
    check,
    false,
  );
  assert.deepEqual(drawn(rows), [
    "reached.py",
    "  in reached.py",
    "  in reached.py",
    "  unknown, not verified: timeout: late",
    "z/late.py",
    "  in z/late.py",
    "a/b.py",
    "  in a/b.py",
    "not verified: timeout: late",
    "  a/c.py",
    "  far.py",
    "a/x/y/",
    "  a/x/y/deep.py",
    "  a/x/y/z.py",
    "top.py",
  ]);
});

test("a hundred files that nobody could judge are one row", () => {
  const paths = Array.from({ length: 100 }, (_, n) => `src/f${n}.py`);
  const many = checked({ verdict: "unknown", files: paths.map((path) => unknown(path)) });
  const rows = filesBelow(
    BRANCH,
    paths.slice(0, 50).map((path) => file(path)),
    many,
    false,
  );
  assert.equal(rows.length, 1);
  assert.equal(heldBelow(rows[0] as Node)?.length, 100);
  const reasons = [unknown("a.py", "timeout", "1 s"), unknown("b.py", "timeout", "2 s")];
  const alike = checked({ files: reasons });
  assert.equal(drawn(filesBelow(BRANCH, [file("a.py")], alike, false))[0], "not verified: timeout");
  const unlike = checked({ files: [...reasons, unknown("c.py", "crashed")] });
  assert.equal(
    drawn(filesBelow(BRANCH, [file("a.py")], unlike, false))[0],
    "not verified: 2 reasons",
  );
});

test("what was known earlier says nothing of what is not verified now", () => {
  const check = checked({ introduced: [finding("a.py")], files: [unknown("b.py")] });
  const rows = filesBelow(BRANCH, [file("a.py"), file("b.py")], check, true);
  assert.deepEqual(drawn(rows), ["a.py", "  in a.py", "b.py"]);
});

test("no file is clean by a check of a part", () => {
  const clean = { path: "a.py", verdict: "clean" as const, reason: null, servers: [] };
  const whole = checked({ files: [clean, unknown("b.py")], unjudged: ["c.txt"] });
  const part: Check = { ...whole, isPart: true };
  const words = (check: Check, isPast: boolean) =>
    filesBelow(BRANCH, [file("a.py"), file("b.py"), file("c.txt")], check, isPast)
      .flatMap((row) => [row, ...(heldBelow(row) ?? [])])
      .flatMap((row) => (row.kind === "file" ? [fileWords(row).filter(Boolean).join()] : []));
  assert.deepEqual(words(whole, false), [
    "+1,unknown, not verified",
    "+1,clean",
    "+1,judged by no server",
  ]);
  assert.deepEqual(words(part, false), ["+1,unknown, not verified", "+1", "+1"]);
  assert.deepEqual(words(whole, true), ["+1", "+1", "+1"]);
});

test("a conflict stays in sight", () => {
  const check = checked({ verdict: "unknown", files: [unknown("a.py", "conflict")] });
  const rows = filesBelow(BRANCH, [file("a.py", { conflict: "both" })], check, false);
  assert.deepEqual(drawn(rows), ["a.py"]);
});

test("branches stand by days where they are of several", () => {
  const now = new Date(2026, 10, 26, 12);
  const at = (...day: [number, number, number]): BranchNode => {
    const created = new Date(...day, 23).getTime() / 1000;
    return { kind: "branch", branch: { ...BRANCH, summary: { ...SUMMARY, created } } };
  };
  const today = [at(2026, 10, 26), at(2026, 10, 26)];
  assert.deepEqual(byDay(today, now), today);
  const days = byDay([...today, at(2026, 10, 25), at(2026, 9, 1)], now) as readonly Node[];
  assert.deepEqual(
    days.map((node) => node.kind === "day" && [node.day, node.branches.length]).slice(0, 2),
    [
      ["Today", 2],
      ["Yesterday", 1],
    ],
  );
});

test("a day ends at midnight here, however long it is", (context) => {
  const zone = process.env["TZ"];
  process.env["TZ"] = "Europe/Berlin"; // it has a midnight each day, and days of 23 and 25 hours
  context.after(() => (zone === undefined ? delete process.env["TZ"] : (process.env["TZ"] = zone)));
  for (const month of Array.from({ length: 12 }, (_, at) => at)) {
    for (const day of Array.from({ length: 31 }, (_, at) => at + 1)) {
      const now = new Date(2026, month, day, 0, 0, 1);
      const next = new Date(now.getTime() + leftOfDay(now));
      assert.equal(next.getHours(), 0);
      assert.notEqual(next.toDateString(), now.toDateString());
      const at = (created: Date): BranchNode => {
        const summary = { ...SUMMARY, created: created.getTime() / 1000 };
        return { kind: "branch", branch: { ...BRANCH, summary } };
      };
      const [today, yesterday] = byDay([at(next), at(now)], next) as readonly Node[];
      assert.equal(today?.kind === "day" && today.day, "Today");
      assert.equal(yesterday?.kind === "day" && yesterday.day, "Yesterday");
    }
  }
});

test("whatever files are called, each row is another one", () => {
  const check = checked({ introduced: [finding("a.py"), finding("a.py")], files: [unknown("u")] });
  const names = ["a.py", "u", "a.py 0", "a.py +", "not verified", "a.py/", " ", "u/x", "finding 0"];
  const rows = filesBelow(
    BRANCH,
    names.map((name) => file(name)),
    check,
    false,
  );
  const below = (nodes: readonly Node[]): Node[] =>
    nodes.flatMap((node) => [node, ...below(heldBelow(node) ?? [])]);
  const ids = below(rows).map((node) => (node.kind === "note" ? node.text : idOf(node)));
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.length > names.length);
});

test("a branch is called by what it is for, and found by it", () => {
  assert.equal(calledWords(SUMMARY), "Mend it");
  assert.equal(calledWords({ ...SUMMARY, called: "" }), "Branch b1");
  assert.ok(isShown({ words: "MEND" }, SUMMARY, "none"));
  assert.ok(isShown({ words: "b1" }, SUMMARY, "none"));
  assert.ok(!isShown({ words: "other" }, SUMMARY, "none"));
  assert.ok(!isShown({ isLive: true }, SUMMARY, "clean"));
  const all = ["clean", "findings", "unknown", "stale", "past", "part", "none"] as const;
  for (const judgement of all) {
    const found = CHOICES.filter(({ judgements }) => judgements?.includes(judgement));
    assert.equal(found.length, 1, judgement);
    assert.ok(isShown(found[0] ?? {}, SUMMARY, judgement));
  }
  assert.ok(isShown({ judgements: ["clean"] }, SUMMARY, "checking"));
  const hiding = CHOICES.filter((filter) => filterWords(filter, 0, 2) === undefined);
  assert.deepEqual(hiding, [{}]); // whatever hides a branch says so, even where it hides all
  assert.equal(filterWords({ name: "Clean" }, 1, 2), "Clean: 1 of 2 branches");
});
