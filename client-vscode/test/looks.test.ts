import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptDetail } from "../src/branches/accept_words";
import { differing } from "../src/branches/differing";
import { KeptChecks } from "../src/branches/kept_checks";
import { KnownChecks } from "../src/branches/known_checks";
import { hasParting, marksLeft, nUntouched } from "../src/merging/untouched";
import { verdictWords } from "../src/branches/wording";
import { checked, file, finding, unknown } from "./cases";

test("before an accept the verdict, the files and what stays unsaved are told", () => {
  const files = [
    file("a.py"),
    file("new.py", { kind: "added" }),
    file("gone.py", { kind: "deleted" }),
    file("to.py", { kind: "renamed", origin: "from.py", added: 0 }),
    file(".envrc", { runs: "direnv" }),
  ];
  assert.equal(
    acceptDetail(files, "none", undefined, false),
    [
      "Verdict: not checked.",
      "",
      "These stay unsaved until you save them:",
      "a.py, +1",
      ".envrc, +1, runs something",
      "",
      "Written to disk at once (1 deleted, 1 renamed, 1 created):",
      "delete gone.py",
      "rename from.py to to.py",
      "create new.py",
    ].join("\n"),
  );
  const many = Array.from({ length: 20 }, (_, n) => file(`f${n}.py`));
  assert.match(acceptDetail(many, "clean", checked({}), true), /by itself:\nf0.*… and 8 more$/s);
  const kinds = ["added", "deleted", "renamed"] as const;
  const written = kinds.flatMap((kind) => many.map((one) => ({ ...one, kind, origin: "o.py" })));
  const [head, ...lines] = acceptDetail(written, "clean", checked({}), false)
    .split("\n\nW")[1]
    ?.split("\n") as [string, ...string[]];
  assert.equal(head, "ritten to disk at once (20 deleted, 20 renamed, 20 created):");
  const verbs = lines.map((line) => line.split(" ")[0]);
  const expected = { delete: 20, rename: 20, create: 12, "…": 1 }; // nothing that goes is cut off
  assert.deepEqual(
    verbs,
    Object.entries(expected).flatMap(([verb, n]) => Array.from({ length: n }, () => verb)),
  );
  assert.equal(lines.at(-1), "… and 8 more");
});

test("two branches are compared where they differ", () => {
  const hunk = {
    hunk: "h1",
    before: { start: 1, end: 2 },
    after: { start: 1, end: 2 },
    lines: ["+x"],
    left_out: 0,
  };
  const moved = { ...hunk, before: { start: 5, end: 6 } };
  const mine = [
    file("same.py", { hunks: [hunk] }),
    file("other.py", { hunks: [hunk] }),
    file("new.py", { kind: "added" }),
    file("to.py", { kind: "renamed", origin: "from.py" }),
    file("torn.py", { hunks: [hunk], conflict: "both sides changed it" }),
  ];
  const its = [
    file("same.py", { hunks: [hunk] }),
    file("other.py", { hunks: [moved] }),
    file("gone.py", { kind: "deleted" }),
    file("torn.py", { hunks: [hunk], conflict: "both sides changed it" }),
  ];
  assert.deepEqual(
    differing(mine, its).map(({ path, isHere, isThere }) => [path, isHere, isThere]),
    [
      ["from.py", false, true],
      ["gone.py", true, false],
      ["new.py", true, false],
      ["other.py", true, true],
      ["to.py", true, false],
      ["torn.py", true, true],
    ],
  );
});

test("checks are kept over a reload: the newest, and none that is too long", () => {
  const held = new Map<string, unknown>();
  const memory = {
    keys: () => [...held.keys()],
    get: (name: string, otherwise: unknown) => held.get(name) ?? otherwise,
    update: (name: string, value: unknown) => {
      held.set(name, JSON.parse(JSON.stringify(value)));
      return Promise.resolve();
    },
  };
  const kept = new KeptChecks(memory as never);
  for (let n = 0; n < 60; n++) {
    kept.keep(`b${n}`, { created: n, revision: 1, check: checked({ files: [unknown("a.py")] }) });
  }
  const long = checked({ stamp: "long", introduced: [finding("x".repeat(60_000))] });
  kept.keep("b59", { created: 59, revision: 2, check: long });
  const again = new KeptChecks(memory as never);
  assert.deepEqual([...again.all()].map(([key]) => key).at(0), "b10");
  assert.equal([...again.all()].length, 49);
  assert.equal(again.of("b59"), undefined);
  again.drop("b20");
  assert.equal(new KeptChecks(memory as never).of("b20"), undefined);

  const known = new KnownChecks(again);
  assert.equal(known.judgementOf("b30", 1), "past");
  assert.equal(known.checkOfNow("b30", 1), undefined);
  assert.equal(known.judgementOf("b30", 2), "stale");
  known.dropNamesake("b30", 30);
  assert.equal(known.judgementOf("b30", 1), "past");
  known.dropNamesake("b30", 31);
  assert.equal(known.judgementOf("b30", 1), "none");
  const found = { revision: 1, check: checked({}), isStale: false };
  known.know("b30", 31, { ...found, isPart: true });
  assert.equal(known.judgementOf("b30", 1), "part");
  assert.equal(known.checkOfNow("b30", 1)?.isPart, true);
  known.began("b30");
  const words = () => verdictWords(known.judgementOf("b30", 1), known.checkOf("b30"));
  assert.equal(words(), "checking again, was checked in part");
  known.know("b30", 31, { ...found, isPart: false });
  assert.equal(words(), "checking again, was clean");
  known.ended("b30");
  known.know("b30", 31, { ...found, isPart: false });
  assert.equal(known.judgementOf("b30", 1), "clean");
  known.textMoved("b3");
  assert.equal(known.judgementOf("b30", 1), "stale");
  known.know("b30", 31, { ...found, isPart: true, isStale: true });
  assert.equal(known.judgementOf("b30", 1), "none"); // a part clears nothing, then or now
  const bad = checked({ verdict: "findings", introduced: [finding("a.py")] });
  known.know("b30", 31, { revision: 1, check: bad, isPart: true, isStale: true });
  assert.equal(known.judgementOf("b30", 1), "stale");
  const later = new KnownChecks(new KeptChecks(memory as never));
  assert.equal(later.checkOf("b30")?.verdict, "findings"); // of the same texts, but found later
});

test("a merge that nobody has touched is noticed", () => {
  const region = { base_lines: ["old\n"], ours_lines: ["mine\n"], theirs_lines: ["yours\n"] };
  const before = "a\nold\nb\n";
  assert.equal(nUntouched(before, before, [region]), 1);
  assert.equal(nUntouched("a\r\nmine\r\nb\r\n", before, [region]), 0);
  assert.equal(nUntouched("a\nsomething else\nb\n", before, [region]), 0);
  const elsewhere = `mine\nnot mine\n${before}`; // and in a line of its own besides
  assert.equal(nUntouched(elsewhere, elsewhere, [region]), 1);
  assert.equal(nUntouched(elsewhere.replace("old", "mine"), elsewhere, [region]), 0);
  assert.equal(nUntouched(`${before}almost mine\n`, before, [region]), 1);
  const inserted = { ...region, base_lines: [] };
  assert.equal(nUntouched("a\nb\n", "a\nb\n", [inserted]), 1); // the editor begins with neither side's lines
  assert.equal(nUntouched("a\nyours\nmine\nb", "a\nb\n", [inserted]), 0);
  assert.equal(nUntouched("a\nb\n", before, [{ ...region, ours_lines: [] }]), 0); // deleted by one side
});

test("marks that are left of a conflict are found, whichever; those of a side's own are its text", () => {
  const sides = ["<<<<<<< how git marks it\n=======\n", null, "x\n"];
  assert.deepEqual(marksLeft("<<<<<<< how git marks it\n=======\nx\n", sides), []);
  for (const mark of ["<<<<<<< Yours", ">>>>>>> Branch b1", "||||||| base"]) {
    assert.deepEqual(marksLeft(`a\r\n${mark}\r\nb\r\n`, ["a\r\n", "b\r\n"]), [mark]);
  }
  assert.deepEqual(marksLeft("a <<<<<<< b\n======== \n", ["x"]), []);
  const heading = "Title\r\n=======\r\n"; // it may be meant, so it is asked about
  assert.deepEqual(marksLeft(heading, ["a\n"]), []);
  assert.ok(hasParting(heading, ["a\n", null]));
  assert.ok(!hasParting(heading, sides));
  assert.ok(!hasParting("========\n", ["a\n"]));
});
