import assert from "node:assert/strict";
import { test } from "node:test";
import { LANGUAGES, sampleOf } from "../src/first_steps/sample";
import { verdictText, type Check } from "../src/first_steps/verdict";

test("a sample keeps the user's text and its line ends", () => {
  for (const language of LANGUAGES) {
    const text = "first\r\nlast";
    const sample = sampleOf(language, text);
    assert.ok(sample !== undefined, language);
    assert.ok(sample.text.startsWith(`${text}\r\n`), language);
    assert.doesNotMatch(sample.text, /(?<!\r)\n/);
  }
  assert.equal(sampleOf("python", "")?.text.startsWith("\n\ndef"), true);
  assert.equal(sampleOf("brainfuck", "+"), undefined);
});

const SERVER = { name: "basedpyright" };
const FINDING = { message: "`x` is\n not defined", severity: "error", server: "basedpyright" };

function check(part: Partial<Check>): Check {
  return {
    verdict: "clean",
    introduced: [],
    files: [{ reason: null, servers: [SERVER] }],
    ...part,
  };
}

test("a verdict is told with who gave it", () => {
  assert.equal(verdictText(check({})), "clean (basedpyright)");
  const found = check({ verdict: "findings", introduced: [FINDING, FINDING, FINDING] });
  assert.equal(
    verdictText(found),
    'findings (basedpyright): error "`x` is not defined" and 2 more',
  );
});

test("what is unknown is never told as a pass", () => {
  const reason = { code: "not-installed", text: "nothing is installed" };
  const unknown = check({ verdict: "unknown", files: [{ reason, servers: [] }] });
  assert.equal(
    verdictText(unknown),
    "unknown, which is not a pass: not-installed: nothing is installed",
  );
  assert.match(verdictText(check({ verdict: "unknown", files: [] })), /not a pass: no server/);
  const long = { code: "crashed", text: "x".repeat(1000) };
  assert.equal(
    verdictText(check({ verdict: "unknown", files: [{ reason: long, servers: [] }] })).length,
    300,
  );
});
