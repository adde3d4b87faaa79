/** What the user is told of a branch before they take it. */
import type { ChangedFile, Check } from "./answers";
import { changeWords, operationLines, runsSomething, verdictWords } from "./wording";
import type { Judgement } from "./wording";
import { oneLine } from "../shown/text";

/** Files that are listed one by one. */
const MOST = 12;

/** The verdict, the files, what is written to disk at once, and what stays unsaved. */
export function acceptDetail(
  files: readonly ChangedFile[],
  judgement: Judgement,
  check: Check | undefined,
  isAutoSaved: boolean,
): string {
  const operations = operationLines({
    created: pathsOf(files, "added"),
    deleted: pathsOf(files, "deleted"),
    renamed: files.flatMap(({ path, kind, origin }) =>
      kind === "renamed" && origin !== null ? [{ path: origin, to: path }] : [],
    ),
  });
  const edited = files.filter(
    ({ kind, added, removed }) =>
      kind === "modified" || (kind === "renamed" && added + removed > 0),
  );
  const saved = isAutoSaved
    ? "Your editor saves these by itself:"
    : "These stay unsaved until you save them:";
  return [
    `Verdict: ${verdictWords(judgement, check)}.`,
    ...block(edited.length === 0 ? "" : saved, edited.map(fileLine)),
    ...block(operations.length === 0 ? "" : "Written to disk at once:", operations),
  ].join("\n");
}

function block(head: string, lines: readonly string[]): string[] {
  const left = lines.length - MOST;
  const more = left > 0 ? [`… and ${left} more`] : [];
  return head === "" ? [] : ["", head, ...lines.slice(0, MOST), ...more];
}

function fileLine(file: ChangedFile): string {
  const words = [changeWords(file), runsSomething(file) ? "runs something" : ""];
  return [oneLine(file.path), ...words.filter((part) => part !== "")].join(", ");
}

function pathsOf(files: readonly ChangedFile[], kind: ChangedFile["kind"]): string[] {
  return files.filter((file) => file.kind === kind).map(({ path }) => path);
}
