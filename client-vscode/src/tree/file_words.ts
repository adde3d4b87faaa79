/** What a file's row says of it. */
import type { Verdict } from "../branches/answers";
import { changeWords, runsSomething } from "../branches/wording";
import type { FileNode } from "./nodes";

/** What a file was judged as, where that is of now: none is clean while only a part was asked. */
export function verdictOf({ path, check, isPast }: FileNode): Verdict | undefined {
  const verdict = isPast ? undefined : check?.files.find((one) => one.path === path)?.verdict;
  return verdict === "clean" && check?.isPart === true ? undefined : verdict;
}

/** What is done to a file, and how it was judged. */
export function fileWords(node: FileNode): string[] {
  const { path, change, check, isPast } = node;
  const verdict = verdictOf(node);
  const isAsked = !isPast && check?.isPart !== true; // of a part: by no server that was asked
  return [
    change === undefined ? "not edited, but reached" : changeWords(change),
    verdict === "unknown" ? "unknown, not verified" : (verdict ?? ""),
    change !== undefined && runsSomething(change) ? "runs something" : "",
    isAsked && check?.unjudged.includes(path) === true ? "judged by no server" : "",
  ];
}
