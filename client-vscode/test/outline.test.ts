import assert from "node:assert/strict";
import { test } from "node:test";
import { placeAt, placesIn } from "../src/outline/lines";
import { partsOf, viewOf, type View } from "../src/outline/views";

const OUTLINE = `# outline of a.py: python, 70 lines, 12 entries, sha 154d43de, complete
3-13: imports (9)
16-21: class Place
 20: link: str
`;
const MAP = `# map of server: 2 files
# most referenced first
server/a.py
 28-30: def one() -> str: ...
  101: x = {1: 2}
server/b 2.py
 4: y: int
# not shown: 5 declarations
`;

test("an outline's entries lead to its file's lines", () => {
  const places = placesIn(OUTLINE);
  assert.deepEqual(
    places.map(({ line, indent, length, path, first, last }) => [
      line,
      indent,
      length,
      path,
      first,
      last,
    ]),
    [
      [1, 0, 4, "", 3, 13],
      [2, 0, 5, "", 16, 21],
      [3, 1, 2, "", 20, 20],
    ],
  );
  assert.equal(placeAt(places, 3)?.first, 20);
  assert.equal(placeAt(places, 0), undefined);
});

test("a map's entries lead to the file above them", () => {
  assert.deepEqual(
    placesIn(MAP).map(({ path, first }) => `${path}:${first}`),
    ["server/a.py:28", "server/a.py:101", "server/b 2.py:4"],
  );
});

test("a view's document names it", () => {
  const view: View = { kind: "outline", folder: "file:///w%20x", path: "src/ä#?.py" };
  assert.equal(partsOf(view).path, "/src/ä#?.py.outline");
  assert.deepEqual(viewOf(partsOf(view).query), view);
  assert.equal(partsOf({ ...view, lines: [3, 4] }).path, "/src/ä#?.py:3-4.lines");
  assert.equal(partsOf({ ...view, kind: "map", path: "" }).path, "/folder.map");
  for (const other of [
    "",
    "{",
    "null",
    "5",
    "{}",
    '{"kind":"outline"}',
    '{"kind":"x","path":""}',
  ]) {
    assert.equal(viewOf(other), undefined);
  }
});
