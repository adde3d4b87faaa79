/** How the nodes of the tree look and read, for the eye and for a screen reader. */
import * as path from "node:path";
import * as vscode from "vscode";
import type { Check } from "./answers";
import {
  findingsBelow,
  idOf,
  type BranchNode,
  type FileNode,
  type FindingNode,
  type NoteNode,
} from "./nodes";
import {
  changeWords,
  count,
  iconOf,
  iconOfSeverity,
  placeWords,
  runsSomething,
  verdictWords,
  type Icon,
  type Judgement,
} from "./wording";
import { liveWords } from "../rehearsal/wording";
import { oneLine, visible } from "../shown/text";

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

export function branchItem(
  node: BranchNode,
  judgement: Judgement,
  check: Check | undefined,
): vscode.TreeItem {
  const { summary, client } = node.branch;
  const words = summary.files === 0 ? "" : verdictWords(judgement, check);
  const item = new vscode.TreeItem(summary.branch, Collapsed);
  item.id = idOf(node);
  const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  const folder = several ? client.folder.name : "";
  const live = liveWords(summary.rehearsal);
  item.description = joined([
    folder,
    live,
    words,
    oneLine(summary.title),
    count(summary.files, "file"),
  ]);
  item.iconPath = themeIcon(summary.files === 0 ? { id: "git-branch" } : iconOf(judgement));
  item.contextValue = live === "" ? "understudy.branch" : "understudy.branch.live";
  item.tooltip = `Branch ${summary.branch}\n${item.description}`;
  item.accessibilityInformation = { label: `Branch ${summary.branch}, ${item.description}` };
  return item;
}

export function fileItem(node: FileNode): vscode.TreeItem {
  const { path: file, change, check } = node;
  const judged = check?.files.find((one) => one.path === file);
  const hasMore = findingsBelow(node).length > 0;
  const item = new vscode.TreeItem(oneLine(path.posix.basename(file)), hasMore ? Expanded : None);
  item.id = idOf(node);
  const folder = path.posix.dirname(file);
  const verdict = judged?.verdict === "unknown" ? "unknown, not verified" : judged?.verdict;
  item.description = joined([
    folder === "." ? "" : oneLine(folder),
    change === undefined ? "not edited, but reached" : changeWords(change),
    verdict ?? "",
    change !== undefined && runsSomething(change) ? "runs something" : "",
    check?.unjudged.includes(file) ? "judged by no server" : "",
  ]);
  item.iconPath = themeIcon(fileIcon(node, judged?.verdict));
  item.contextValue = contextOf(node);
  const runs = oneLine(change?.runs ?? "");
  item.tooltip = [oneLine(file), item.description, ...(runs === "" ? [] : [runs])].join("\n");
  item.accessibilityInformation = { label: `${oneLine(file)}, ${item.description}` };
  item.command = { command: "understudy.branch.openDiff", title: "Open Diff", arguments: [node] };
  return item;
}

export function findingItem(node: FindingNode): vscode.TreeItem {
  const { finding } = node;
  const message = visible(finding.message);
  const item = new vscode.TreeItem(message);
  item.id = idOf(node);
  item.description = placeWords(finding);
  item.iconPath = themeIcon(iconOfSeverity(finding.severity));
  item.contextValue = "understudy.finding";
  const file = oneLine(finding.path);
  item.tooltip = `${finding.severity}: ${message}\n${file}:${item.description}`;
  const label = `${finding.severity}: ${message}, ${file} ${item.description}`;
  item.accessibilityInformation = { label };
  item.command = { command: "understudy.branch.openDiff", title: "Open Diff", arguments: [node] };
  return item;
}

export function noteItem({ text, icon }: NoteNode): vscode.TreeItem {
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

function fileIcon({ change }: FileNode, verdict: Check["verdict"] | undefined): Icon {
  if (change !== undefined && change.conflict !== null) {
    return { id: "git-merge", color: "problemsWarningIcon.foreground" };
  }
  return verdict === undefined ? { id: "file" } : iconOf(verdict);
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}

function themeIcon({ id, color }: Icon): vscode.ThemeIcon {
  return new vscode.ThemeIcon(id, color === undefined ? undefined : new vscode.ThemeColor(color));
}
