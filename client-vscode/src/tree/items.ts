/** How the nodes of the tree look and read, for the eye and for a screen reader. */
import * as path from "node:path";
import * as vscode from "vscode";
import type { ChangedFile, Check, Verdict } from "../branches/answers";
import { fileWords, verdictOf } from "./file_words";
import {
  findingsBelow,
  idOf,
  type BranchNode,
  type DayNode,
  type FileNode,
  type FindingNode,
  type FolderNode,
  type Node,
  type NoteNode,
  type UnverifiedNode,
} from "./nodes";
import { rowUri, type Mark } from "./marks";
import {
  calledWords,
  count,
  iconOf,
  iconOfSeverity,
  placeWords,
  verdictWords,
  type Icon,
  type Judgement,
} from "../branches/wording";
import { liveWords, shownAt } from "../rehearsal/wording";
import { oneLine, visible } from "../shown/text";

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

/** So many files that nobody has verified are shown at once. */
const FEW = 5;

/** The row of anything but a branch, whose verdict only the store knows. */
export function itemOf(node: Exclude<Node, BranchNode>): vscode.TreeItem {
  switch (node.kind) {
    case "day":
      return dayItem(node);
    case "folder":
      return folderItem(node);
    case "unverified":
      return unverifiedItem(node);
    case "file":
      return fileItem(node);
    case "finding":
      return findingItem(node);
    case "note":
      return noteItem(node);
  }
}

export function branchItem(
  node: BranchNode,
  judgement: Judgement,
  check: Check | undefined,
): vscode.TreeItem {
  const { summary, client } = node.branch;
  const words = summary.files === 0 ? "" : verdictWords(judgement, check);
  const name = calledWords(summary);
  const item = new vscode.TreeItem(name, Collapsed);
  item.id = idOf(node);
  const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  const folder = several ? client.folder.name : "";
  const live = liveWords(summary.rehearsal);
  const isShown = shownAt(summary.rehearsal).length > 0;
  const files = count(summary.files, "file");
  item.description = joined([folder, summary.branch, live, words, files]); // two may be called the same
  item.iconPath = themeIcon(summary.files === 0 ? { id: "git-branch" } : iconOf(judgement, check));
  item.contextValue = `understudy.branch${live === "" ? "" : ".live"}${isShown ? ".shown" : ""}`;
  item.tooltip = `${name}\n${item.description}`;
  const told = [`Branch ${summary.branch}`, name, folder, live, words, files];
  item.accessibilityInformation = { label: told.filter((part) => part !== "").join(", ") };
  return item;
}

function dayItem(node: DayNode): vscode.TreeItem {
  const item = new vscode.TreeItem(node.day, Expanded);
  item.id = idOf(node);
  item.description = count(node.branches.length, "branch", "es");
  item.contextValue = "understudy.day";
  return item;
}

function folderItem(node: FolderNode): vscode.TreeItem {
  const item = new vscode.TreeItem(oneLine(node.name), Expanded);
  item.id = idOf(node);
  item.iconPath = vscode.ThemeIcon.Folder;
  item.resourceUri = rowUri(node.branch.summary.branch, node.path, {});
  item.contextValue = "understudy.folder";
  return item;
}

function unverifiedItem(node: UnverifiedNode): vscode.TreeItem {
  const n = node.below.length;
  const label = `${count(n, "file")} not verified`;
  const item = new vscode.TreeItem(label, n > FEW ? Collapsed : Expanded);
  item.id = idOf(node);
  item.description = oneLine(node.why);
  item.iconPath = themeIcon(iconOf("unknown"));
  item.tooltip = `${label}\n${oneLine(node.why)}`;
  item.accessibilityInformation = { label: `${label}, ${oneLine(node.why)}` };
  item.contextValue = "understudy.unverified";
  return item;
}

function fileItem(node: FileNode): vscode.TreeItem {
  const { path: file, change } = node;
  const hasMore = findingsBelow(node).length > 0;
  const item = new vscode.TreeItem(oneLine(path.posix.basename(file)), hasMore ? Expanded : None);
  item.id = idOf(node);
  const folder = node.isInFolder ? "." : path.posix.dirname(file);
  item.description = joined([folder === "." ? "" : oneLine(folder), ...fileWords(node)]);
  item.resourceUri = rowUri(node.branch.summary.branch, file, markOf(node, verdictOf(node)));
  item.iconPath =
    change !== undefined && change.conflict !== null
      ? themeIcon({ id: "git-merge", color: "problemsWarningIcon.foreground" })
      : vscode.ThemeIcon.File;
  item.contextValue = contextOf(node);
  const runs = oneLine(change?.runs ?? "");
  item.tooltip = [oneLine(file), item.description, ...(runs === "" ? [] : [runs])].join("\n");
  item.accessibilityInformation = { label: `${oneLine(file)}, ${item.description}` };
  item.command = { command: "understudy.branch.openDiff", title: "Open Diff", arguments: [node] };
  return item;
}

const KINDS: Readonly<Record<ChangedFile["kind"], NonNullable<Mark["kind"]>>> = {
  added: "A",
  modified: "M",
  deleted: "D",
  renamed: "R",
};

/** The letter of what is done to a file, and the colour of the worst that is known of it. */
function markOf({ change }: FileNode, verdict: Verdict | undefined): Mark {
  return {
    ...(change === undefined ? {} : { kind: KINDS[change.kind] }),
    ...(verdict === undefined || verdict === "clean" ? {} : { verdict }),
  };
}

function findingItem(node: FindingNode): vscode.TreeItem {
  const { finding, isPast, isUnattributed } = node;
  const message = visible(finding.message);
  const item = new vscode.TreeItem(message);
  item.id = idOf(node);
  item.description = joined([
    isPast ? "earlier" : "",
    isUnattributed ? "unknown whether it is new" : "",
    placeWords(finding),
  ]);
  item.iconPath = themeIcon(isPast ? { id: "history" } : iconOfSeverity(finding.severity));
  item.contextValue = "understudy.finding";
  const file = oneLine(finding.path);
  item.tooltip = `${finding.severity}: ${message}\n${file}:${item.description}`;
  const label = `${finding.severity}: ${message}, ${file} ${item.description}`;
  item.accessibilityInformation = { label };
  item.command = { command: "understudy.branch.openDiff", title: "Open Diff", arguments: [node] };
  return item;
}

function noteItem({ text, icon }: NoteNode): vscode.TreeItem {
  const item = new vscode.TreeItem(visible(text));
  item.iconPath = themeIcon(icon);
  item.tooltip = visible(text);
  return item;
}

/** What the menus of the manifest ask for. */
function contextOf({ change }: FileNode): string {
  if (change === undefined) {
    return "understudy.reached";
  }
  if (change.conflict !== null) {
    return "understudy.file.conflict";
  }
  return change.kind === "modified" ? "understudy.file.modified" : "understudy.file.whole";
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}

function themeIcon({ id, color }: Icon): vscode.ThemeIcon {
  return new vscode.ThemeIcon(id, color === undefined ? undefined : new vscode.ThemeColor(color));
}
