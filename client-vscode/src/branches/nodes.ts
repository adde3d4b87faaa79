/** The nodes of the tree of branches, and which of them lie below a file. */
import { liveNotes } from "../rehearsal/wording";
import type { ChangedFile, Check, Finding } from "./answers";
import type { Branch } from "./store";
import { iconOf, reasonWords, type Icon } from "./wording";

export interface BranchNode {
  readonly kind: "branch";
  readonly branch: Branch;
}

/** A file that the branch changes (`change`), or one that its changes reach. */
export interface FileNode {
  readonly kind: "file";
  readonly branch: Branch;
  readonly path: string;
  readonly change: ChangedFile | undefined;
  /** The check that is about the texts of now, if there is one. */
  readonly check: Check | undefined;
}

export interface FindingNode {
  readonly kind: "finding";
  /** Its place among the findings of its file, from 0. */
  readonly index: number;
  readonly branch: Branch;
  readonly finding: Finding;
}

export interface NoteNode {
  readonly kind: "note";
  readonly text: string;
  readonly icon: Icon;
}

export type Node = BranchNode | FileNode | FindingNode | NoteNode;

/** What a node is known by while the tree is drawn anew: a click in between finds it again. */
export function idOf(node: BranchNode | FileNode | FindingNode): string {
  const { client, summary } = node.branch;
  const branch = `${client.folder.uri.toString()} ${summary.branch}`;
  switch (node.kind) {
    case "branch":
      return branch;
    case "file":
      // Findings make it another one: a known one would stay closed when it gets them.
      return `${branch} ${node.path}${findingsBelow(node).length > 0 ? " +" : ""}`;
    case "finding":
      return `${branch} ${node.finding.path} ${node.index}`;
  }
}

/** The files that a branch changes, then those that its changes reach and that are not clean. */
export function filesBelow(
  branch: Branch,
  changed: readonly ChangedFile[],
  check: Check | undefined,
): Node[] {
  const notes = liveNotes(branch.summary.rehearsal).map((text): NoteNode => {
    return { kind: "note", text, icon: { id: "warning", color: "problemsWarningIcon.foreground" } };
  });
  if (changed.length === 0) {
    const text =
      branch.summary.files === 0 ? "no edits yet" : "no change: your text has all of it already";
    return [...notes, { kind: "note", text, icon: { id: "info" } }];
  }
  const paths = new Set(changed.map((file) => file.path));
  const reached = (check?.files ?? [])
    .filter((file) => !paths.has(file.path) && file.verdict !== "clean")
    .map((file) => file.path);
  return [
    ...notes,
    ...changed.map((change): FileNode => {
      return { kind: "file", branch, path: change.path, change, check };
    }),
    ...reached.map((path): FileNode => {
      return { kind: "file", branch, path, change: undefined, check };
    }),
  ];
}

/** Why a file is unknown, then the findings that the branch introduces in it, or may. */
export function findingsBelow({ branch, path, check }: FileNode): Node[] {
  if (check === undefined) {
    return [];
  }
  const judged = check.files.find((one) => one.path === path);
  const found = [...check.introduced, ...check.unattributed].filter((one) => one.path === path);
  const reasons = judged?.verdict === "unknown" && judged.reason !== null ? [judged.reason] : [];
  return [
    ...reasons.map((reason): NoteNode => {
      return { kind: "note", text: reasonWords(reason), icon: iconOf("unknown") };
    }),
    ...found.map((finding, index): FindingNode => ({ kind: "finding", index, branch, finding })),
  ];
}
