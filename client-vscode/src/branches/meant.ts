/** Which branch, file or hunks a command is about: the tree's node, else the user's choice. */
import * as vscode from "vscode";
import type { Clients } from "../clients";
import type { ChangedFile, Hunk, Summary } from "./answers";
import { filesWords } from "./in_folder";
import type { Branch, BranchStore } from "./store";
import type { Node } from "../tree/nodes";
import { textOf } from "./uris";
import { calledWords, changeWords, hunkWords, verdictWords } from "./wording";
import { showInformation } from "../shown/notices";
import { plain } from "../shown/text";

/** What a menu was opened on: a node of the tree, or a document with a branch's text. */
export type Given = Node | vscode.Uri | undefined;

/** A node for what was given; a document's is a file of its branch, as far as one knows it here. */
export function nodeOf(clients: Clients, given: Given): Node | undefined {
  if (!(given instanceof vscode.Uri)) {
    return given;
  }
  const text = textOf(given.path, given.query);
  const client = clients.all().find(({ folder }) => folder.uri.toString() === text?.folder);
  if (text === undefined || client === undefined) {
    return undefined;
  }
  const summary: Summary = {
    branch: text.branch,
    title: "",
    called: "",
    created: 0,
    revision: -1,
    files: 1,
    ended: null,
  };
  const branch = { client, summary };
  const file = { path: text.path, change: undefined, check: undefined };
  return { kind: "file", branch, ...file, isPast: false, isInFolder: false };
}

/** The branch of a node; from the palette the user picks one. Undefined: nothing was chosen. */
export async function branchMeant(
  store: BranchStore,
  clients: Clients,
  node: Node | undefined,
): Promise<Branch | undefined> {
  if (node !== undefined && "branch" in node) {
    return current(store, node);
  }
  if (clients.running().length === 0) {
    await (await clients.choose())?.client();
  }
  const branches = await store.everyOne();
  if (branches.length === 0) {
    void showInformation("Understudy: there are no branches.");
    return undefined;
  }
  const items = branches.map((branch) => ({
    label: plain(calledWords(branch.summary)),
    description: `${branch.summary.branch} · ${filesWords(branch.summary)}`,
    detail: verdictWords(store.judgementOf(branch), store.checkOf(branch)),
    branch,
  }));
  const options = { placeHolder: "Which branch?", matchOnDescription: true };
  const picked = await vscode.window.showQuickPick(items, options);
  return picked?.branch;
}

/** The file of a node, as it is by now; from the palette the user picks one. */
export async function fileMeant(
  store: BranchStore,
  branch: Branch,
  node: Node | undefined,
): Promise<ChangedFile | undefined> {
  const { files } = await store.filesOf(branch);
  const named = pathOf(node);
  if (named !== undefined) {
    return files.find((file) => file.path === named);
  }
  const items = files.map((file) => ({
    label: plain(file.path),
    description: changeWords(file),
    file,
  }));
  const picked = await vscode.window.showQuickPick(items, { placeHolder: "Which file?" });
  return picked?.file;
}

/** Hunks of a file that the user ticks; undefined if none. */
export async function hunksMeant(
  file: ChangedFile,
  verb: "Accept" | "Reject",
): Promise<readonly Hunk[] | undefined> {
  const items = file.hunks.map((hunk) => ({ ...hunkWords(hunk), hunk }));
  const picked = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    title: `${verb} hunks of ${plain(file.path)}`,
    placeHolder: `Tick what to ${verb.toLowerCase()}; type to search in the text`,
    matchOnDetail: true,
  });
  return picked === undefined || picked.length === 0 ? undefined : picked.map(({ hunk }) => hunk);
}

export function pathOf(node: Node | undefined): string | undefined {
  return node?.kind === "file"
    ? node.path
    : node?.kind === "finding"
      ? node.finding.path
      : undefined;
}

/** The branch as it is by now: a node may have been drawn before its last change. */
async function current(
  store: BranchStore,
  node: Extract<Node, { branch: Branch }>,
): Promise<Branch> {
  const { client, summary } = node.branch;
  const all = await store.all();
  const found = all.find(
    (branch) => branch.client === client && branch.summary.branch === summary.branch,
  );
  return found ?? node.branch;
}
