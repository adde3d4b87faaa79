// Says which files' findings an edit changes, for many small projects kept in memory.
// node script_truth.mjs PACKAGE, with a list of [files, changed files] as JSON on stdin, where a
// file that is gone is null; PACKAGE is the compiler's folder. Prints a list of lists of paths.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { posix } from "node:path";

const ts = createRequire(import.meta.url)(process.argv[2]);
const ROOT = "/project/";
const libraries = new Map();

const projects = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(projects.map(([files, changes]) => changed(files, changes))));

function changed(files, changes) {
  const kept = Object.entries({ ...files, ...changes }).filter(([, text]) => text !== null);
  const before = findings(files);
  const after = findings(Object.fromEntries(kept));
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}

function findings(files) {
  const host = hostOf(new Map(Object.entries(files).map(([path, text]) => [ROOT + path, text])));
  const { options, fileNames } = configured(host);
  const program = ts.createProgram(fileNames, options, host);
  const found = new Map(Object.keys(files).map((path) => [path, ""]));
  for (const one of ts.getPreEmitDiagnostics(program)) {
    const path = one.file?.fileName.startsWith(ROOT) ? one.file.fileName.slice(ROOT.length) : "";
    const text = ts.flattenDiagnosticMessageText(one.messageText, "\n");
    found.set(path, `${found.get(path) ?? ""}${one.start} ${one.code} ${text}\n`);
  }
  return found;
}

function configured(host) {
  const defaults = { noEmit: true, strict: true, types: [], skipLibCheck: true };
  const usual = { target: "es2022", module: "esnext", moduleResolution: "bundler" };
  const file = ROOT + "tsconfig.json";
  const text = host.readFile(file) ?? "{}";
  const { config } = ts.parseConfigFileTextToJson(file, text);
  config.compilerOptions = { ...usual, lib: ["es5"], ...config.compilerOptions };
  const reader = { ...host, useCaseSensitiveFileNames: true };
  return ts.parseJsonConfigFileContent(config, reader, ROOT, defaults, file);
}

function hostOf(files) {
  const folders = new Set();
  for (let path of files.keys()) {
    while (path !== "/") folders.add((path = posix.dirname(path)));
  }
  const library = posix.dirname(ts.sys.resolvePath(ts.getDefaultLibFilePath({})));
  return {
    useCaseSensitiveFileNames: () => true,
    getCurrentDirectory: () => ROOT,
    getCanonicalFileName: (path) => path,
    getNewLine: () => "\n",
    getDefaultLibFileName: (options) => posix.join(library, ts.getDefaultLibFileName(options)),
    getDefaultLibLocation: () => library,
    writeFile: () => {},
    fileExists: (path) => files.has(path),
    directoryExists: (path) => folders.has(path.replace(/\/$/, "") || "/"),
    readFile: (path) => files.get(path),
    readDirectory: (folder, endings, excluded, included, depth) =>
      ts.matchFiles(folder, endings, excluded, included, true, ROOT, depth, entriesOf, (p) => p),
    getSourceFile: (path, options) => {
      const text = files.get(path);
      if (text !== undefined) return ts.createSourceFile(path, text, options);
      return path.startsWith(library) ? libraryFile(path, options) : undefined;
    },
  };

  function entriesOf(folder) {
    const start = folder.endsWith("/") ? folder : folder + "/";
    const below = [...files.keys()].filter((path) => path.startsWith(start));
    const inner = below.map((path) => path.slice(start.length).split("/"));
    return {
      files: inner.filter((parts) => parts.length === 1).map(([name]) => name),
      directories: [...new Set(inner.filter((p) => p.length > 1).map(([name]) => name))],
    };
  }
}

function libraryFile(path, options) {
  if (!libraries.has(path)) {
    const text = ts.sys.readFile(path);
    libraries.set(path, text && ts.createSourceFile(path, text, options));
  }
  return libraries.get(path);
}
