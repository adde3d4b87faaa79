/** What the user is told of a branch before they take it. */
import type { ChangedFile, Check } from "./answers";
import { changeWords, operationLines, runsSomething, verdictWords } from "./wording";
import type { Judgement } from "./wording";
import { oneLine } from "../shown/text";

/** Files that are listed one by one, where nothing of the user's goes with them. */
const MOST = 12;

/** The verdict, the files, what is written to disk at once, and what stays unsaved. */
export function acceptDetail(
  files: readonly ChangedFile[],
  judgement: Judgement,
  check: Check | undefined,
  isAutoSaved: boolean,
): string {
  const created = pathsOf(files, "added");
  const deleted = pathsOf(files, "deleted");
  const renamed = files.flatMap(({ path, kind, origin }) =>
    kind === "renamed" && origin !== null ? [{ path: origin, to: path }] : [],
  );
  const counts = Object.entries({ deleted, renamed, created })
    .filter(([, { length }]) => length > 0)
    .map(([kind, { length }]) => `${length} ${kind}`);
  const edited = files.filter(
    ({ kind, added, removed }) =>
      kind === "modified" || (kind === "renamed" && added + removed > 0),
  );
  const saved = isAutoSaved
    ? "Your editor saves these by itself:"
    : "These stay unsaved until you save them:";
  return [
    `Verdict: ${verdictWords(judgement, check)}.`,
    ...(edited.length === 0 ? [] : ["", saved, ...first(edited.map(fileLine))]),
    ...(counts.length === 0 ? [] : ["", `Written to disk at once (${counts.join(", ")}):`]),
    ...operationLines({ created: [], deleted, renamed }), // all: who agrees has seen what goes
    ...first(operationLines({ created, deleted: [], renamed: [] })),
  ].join("\n");
}

function first(lines: readonly string[]): string[] {
  const left = lines.length - MOST;
  return [...lines.slice(0, MOST), ...(left > 0 ? [`… and ${left} more`] : [])];
}

function fileLine(file: ChangedFile): string {
  const words = [changeWords(file), runsSomething(file) ? "runs something" : ""];
  return [oneLine(file.path), ...words.filter((part) => part !== "")].join(", ");
}

function pathsOf(files: readonly ChangedFile[], kind: ChangedFile["kind"]): string[] {
  return files.filter((file) => file.kind === kind).map(({ path }) => path);
}
