/** The nodes of the tree of branches, and which of them lie below which. */
import { liveNotes } from "../rehearsal/wording";
import type { ChangedFile, Check, Finding } from "../branches/answers";
import type { Branch } from "../branches/store";
import { count, reasonWords, type Icon } from "../branches/wording";

/** Branches of one day, where there are some of several. */
export interface DayNode {
  readonly kind: "day";
  readonly day: string;
  readonly branches: readonly BranchNode[];
}

export interface BranchNode {
  readonly kind: "branch";
  readonly branch: Branch;
}

/** A folder with the files that a branch changes in it and below; its name may be several names. */
export interface FolderNode {
  readonly kind: "folder";
  readonly branch: Branch;
  readonly path: string;
  readonly name: string;
  readonly below: readonly (FolderNode | FileNode)[];
}

/** A file that the branch changes (`change`), or one that its changes reach. */
export interface FileNode {
  readonly kind: "file";
  readonly branch: Branch;
  readonly path: string;
  readonly change: ChangedFile | undefined;
  /** The check that is told of it, if there is one. */
  readonly check: Check | undefined;
  /** Whether that check is about an earlier text. */
  readonly isPast: boolean;
  /** Whether it stands below its folder: then its name says enough. */
  readonly isInFolder: boolean;
}

/** All files that nobody has verified, behind one row. */
export interface UnverifiedNode {
  readonly kind: "unverified";
  readonly branch: Branch;
  readonly why: string;
  readonly below: readonly FileNode[];
}

export interface FindingNode {
  readonly kind: "finding";
  /** Its place among the findings of its file, from 0. */
  readonly index: number;
  readonly branch: Branch;
  readonly finding: Finding;
  /** Nobody knows whether the branch introduces it. */
  readonly isUnattributed: boolean;
  readonly isPast: boolean;
}

export interface NoteNode {
  readonly kind: "note";
  readonly text: string;
  readonly icon: Icon;
}

export type Node =
  DayNode | BranchNode | FolderNode | FileNode | UnverifiedNode | FindingNode | NoteNode;

/** What a node is known by while the tree is drawn anew: a click in between finds it again. */
export function idOf(node: Exclude<Node, NoteNode>): string {
  if (node.kind === "day") {
    return `day ${node.day}`;
  }
  const { client, summary } = node.branch;
  const branch = `${client.folder.uri.toString()} ${summary.branch}`;
  switch (node.kind) {
    // The path stands last: a file may be called like anything else here.
    case "branch":
      return branch;
    case "folder":
      return `folder ${branch} ${node.path}`;
    case "unverified":
      return `unverified ${branch}`;
    case "file":
      // Findings make it another one: a known one would stay closed when it gets them.
      return `${findingsBelow(node).length > 0 ? "found in" : "file"} ${branch} ${node.path}`;
    case "finding":
      return `finding ${node.index} ${branch} ${node.finding.path}`;
  }
}

/**
 * What is to be known of a branch, the weightiest first: what hinders it, files with findings, the
 * row of what nobody has verified, and the rest of its files by their folders.
 */
export function filesBelow(
  branch: Branch,
  changed: readonly ChangedFile[],
  check: Check | undefined,
  isPast: boolean,
): Node[] {
  const notes = liveNotes(branch.summary.rehearsal).map((text): NoteNode => {
    return { kind: "note", text, icon: { id: "warning", color: "problemsWarningIcon.foreground" } };
  });
  if (changed.length === 0) {
    const text =
      branch.summary.files === 0 ? "no edits yet" : "no change: your text has all of it already";
    return [...notes, { kind: "note", text, icon: { id: "info" } }];
  }
  const edited = new Map(changed.map((file) => [file.path, file]));
  const reached = (check?.files ?? []).map(({ path }) => path).filter((path) => !edited.has(path));
  const files = [...edited.keys(), ...reached].map((path): FileNode => {
    const change = edited.get(path);
    return { kind: "file", branch, path, change, check, isPast, isInFolder: false };
  });
  const rank = weightOf(check);
  const found = files
    .filter(({ path }) => rank(path) < NOTHING)
    .sort((one, other) => rank(one.path) - rank(other.path));
  const unverified = isPast ? [] : files.filter((file) => isUnverified(file, rank));
  const apart = new Set([...found, ...unverified]);
  const rest = files.filter((file) => file.change !== undefined && !apart.has(file));
  return [...notes, ...found, ...unverifiedRow(branch, unverified), ...inFolders(branch, rest)];
}

const SEVERITIES: readonly Finding["severity"][] = ["error", "warning", "information", "hint"];
const NOTHING = 2 * SEVERITIES.length;

/** How much a file's findings weigh, less is more: introduced ones before what only may be. */
function weightOf(check: Check | undefined): (path: string) => number {
  const weights = new Map<string, number>();
  const lists = [check?.introduced ?? [], check?.unattributed ?? []];
  lists.forEach((list, at) =>
    list.forEach(({ path, severity }) => {
      const weight = SEVERITIES.length * at + SEVERITIES.indexOf(severity);
      weights.set(path, Math.min(weight, weights.get(path) ?? NOTHING));
    }),
  );
  return (path) => weights.get(path) ?? NOTHING;
}

function isUnverified({ path, check, change }: FileNode, rank: (path: string) => number): boolean {
  const judged = check?.files.find((one) => one.path === path);
  const isAtPeace = change === undefined || change.conflict === null;
  return judged?.verdict === "unknown" && isAtPeace && rank(path) === NOTHING;
}

/** One row for them all; the reason is told where it is the same for all. */
function unverifiedRow(branch: Branch, below: readonly FileNode[]): UnverifiedNode[] {
  if (below.length === 0) {
    return [];
  }
  const reasons = below.map((file) => reasonOf(file));
  const texts = new Set(reasons.map((reason) => reason?.text ?? ""));
  const codes = new Set(reasons.map((reason) => reason?.code ?? ""));
  const [first] = reasons;
  const why =
    codes.size > 1
      ? count(codes.size, "reason")
      : texts.size > 1 || first === undefined
        ? [...codes].join("")
        : `${first.code}: ${first.text}`;
  return [{ kind: "unverified", branch, why, below }];
}

function reasonOf({ path, check }: FileNode) {
  return check?.files.find((one) => one.path === path)?.reason ?? undefined;
}

/** Files as a tree of their folders; a folder that holds but a folder is one row with it. */
function inFolders(branch: Branch, files: readonly FileNode[]): (FolderNode | FileNode)[] {
  const below = (prefix: string, mine: readonly FileNode[]): (FolderNode | FileNode)[] => {
    const folders = new Map<string, FileNode[]>();
    const here: FileNode[] = [];
    for (const file of mine) {
      const rest = file.path.slice(prefix.length);
      const end = rest.indexOf("/");
      if (end < 0) {
        here.push({ ...file, isInFolder: true });
      } else {
        const name = rest.slice(0, end);
        const known = folders.get(name);
        if (known === undefined) {
          folders.set(name, [file]);
        } else {
          known.push(file);
        }
      }
    }
    const made = [...folders].map(([name, inside]): FolderNode => {
      const path = prefix + name;
      const held = below(`${path}/`, inside);
      const [only] = held;
      return held.length === 1 && only?.kind === "folder"
        ? { ...only, name: `${name}/${only.name}` }
        : { kind: "folder", branch, path, name, below: held };
    });
    return [...made.sort((one, other) => (one.name < other.name ? -1 : 1)), ...here];
  };
  return below("", files);
}

/** What the branch introduces in a file, then what it may introduce, each the worst first. */
export function findingsBelow({ branch, path, check, isPast }: FileNode): Node[] {
  if (check === undefined) {
    return [];
  }
  const judged = check.files.find((one) => one.path === path);
  const of = (list: readonly Finding[]) =>
    list
      .filter((one) => one.path === path)
      .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  const found = [...of(check.introduced), ...of(check.unattributed)];
  const nIntroduced = of(check.introduced).length;
  const isTold = !isPast && found.length > 0 && judged?.verdict === "unknown";
  const reasons = isTold && judged.reason !== null ? [judged.reason] : [];
  return [
    ...found.map((finding, index): FindingNode => {
      const isUnattributed = index >= nIntroduced;
      return { kind: "finding", index, branch, finding, isUnattributed, isPast };
    }),
    ...reasons.map((reason): NoteNode => {
      return { kind: "note", text: reasonWords(reason), icon: { id: "question" } };
    }),
  ];
}

/** What lies below a row whatever the servers say; undefined: nothing ever does. */
export function heldBelow(node: Node): readonly Node[] | undefined {
  switch (node.kind) {
    case "day":
      return node.branches;
    case "folder":
    case "unverified":
      return node.below;
    case "file":
      return findingsBelow(node);
    default:
      return undefined;
  }
}
