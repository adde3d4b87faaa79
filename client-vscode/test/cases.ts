/** Branches, files and checks for tests, each with what is left out of it. */
import type { ChangedFile, Check, Finding, Summary } from "../src/branches/answers";
import type { Branch } from "../src/branches/store";

export const SUMMARY: Summary = {
  branch: "b1",
  title: "",
  called: "Mend it",
  created: 0,
  revision: 1,
  files: 3,
  ended: null,
};
export const BRANCH = {
  client: { folder: { uri: { toString: () => "file:///w" } } },
  summary: SUMMARY,
} as unknown as Branch;

export function finding(path: string, severity: Finding["severity"] = "error"): Finding {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  return { path, range, severity, code: "E1", message: `in ${path}`, server: "ruff" };
}

export function file(path: string, more: Partial<ChangedFile> = {}): ChangedFile {
  const kind = "modified" as const;
  return { path, kind, origin: null, conflict: null, added: 1, removed: 0, hunks: [], ...more };
}

export function checked(more: Partial<Check>): Check {
  return {
    verdict: "clean",
    stamp: "s",
    base_moved: false,
    introduced: [],
    fixed: [],
    hidden: [],
    unattributed: [],
    remaining: 0,
    unjudged: [],
    files: [],
    ...more,
  };
}

export function unknown(path: string, code = "timeout", text = "late") {
  return { path, verdict: "unknown" as const, reason: { code, text }, servers: [] };
}
