/** The house rule that no linter here knows: no module imports itself, however far around. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import type * as TypeScript from "typescript";

// Loaded as it lies there: the compiler is not to be put into this test's bundle.
const load = createRequire(join(process.cwd(), "package.json"));
const ts = load("typescript") as typeof TypeScript;
const SOURCES = join(process.cwd(), "client-vscode", "src");

/** The modules of ours that a module's text imports; those for types and dynamic ones count. */
function importsOf(file: string, text: string, known: ReadonlySet<string>): readonly string[] {
  return ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) => join(dirname(file), fileName))
    .flatMap((path) => [`${path}.ts`, join(path, "index.ts")].filter((name) => known.has(name)));
}

/** The first circle that there is, as its modules in their order; undefined without one. */
function circle(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, above: readonly string[]): readonly string[] | undefined => {
    if (above.includes(file)) {
      return [...above.slice(above.indexOf(file)), file];
    }
    if (!done.has(file)) {
      done.add(file);
      for (const imported of graph.get(file) ?? []) {
        const found = visit(imported, [...above, file]);
        if (found !== undefined) {
          return found;
        }
      }
    }
    return undefined;
  };
  for (const file of graph.keys()) {
    const found = visit(file, []);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

test("no circle of imports", () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(SOURCES, name));
  const known = new Set(files);
  const graph = new Map(
    files.map((file) => [file, importsOf(file, readFileSync(file, "utf8"), known)]),
  );
  assert.ok([...graph.values()].flat().length > files.length, "the imports are read");
  assert.deepEqual(
    circle(graph)?.map((file) => relative(SOURCES, file)),
    undefined,
  );
});

test("a circle through an import for types alone is seen", () => {
  const texts = new Map([
    ["a.ts", 'import type { B } from "./b";\n'],
    ["b.ts", 'export const c = () => import("./c");\n'],
    ["c.ts", 'export { a } from "./a";\n'],
  ]);
  const known = new Set(texts.keys());
  const graph = new Map([...texts].map(([file, text]) => [file, importsOf(file, text, known)]));
  assert.deepEqual(circle(graph), ["a.ts", "b.ts", "c.ts", "a.ts"]);
});
