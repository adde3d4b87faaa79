/** A conflict that can be read: the merge editor where there is one, else a diff of both sides. */
import * as vscode from "vscode";
import { errorText } from "../log";
import type { Conflict } from "./answers";
import type { Branch } from "./store";
import { uriOf } from "./texts";
import { isAgreed, showError } from "../shown/notices";
import { oneLine } from "../shown/text";

/** Not public, but what git's own "Resolve in Merge Editor" calls; hosts may lack it. */
const MERGE_EDITOR = "_open.mergeEditor";
const SETTLE = "Settle With This Text";
const MARK = "<<<<<<< ";

/** Open merge editors whose saved text may settle something, by the document that they write. */
const waiting = new Map<string, vscode.Disposable>();

/** Shows both sides; a text that the user saves in the merge editor may settle the conflict. */
export async function openConflict(
  context: vscode.ExtensionContext,
  branch: Branch,
  conflict: Conflict,
): Promise<void> {
  const { branch: name } = branch.summary;
  const commands = await vscode.commands.getCommands(false);
  const isText = conflict.ours !== null && conflict.theirs !== null;
  if (!isText || !commands.includes(MERGE_EDITOR)) {
    const mine = vscode.Uri.joinPath(branch.client.folder.uri, conflict.path);
    const left = conflict.theirs === null ? uriOf(branch, conflict.path, "none") : mine;
    const title = `${conflict.path}: yours ↔ ${name} (conflict)`;
    await vscode.commands.executeCommand("vscode.diff", left, branchSide(branch, conflict), title);
    return;
  }
  const folder = vscode.Uri.joinPath(context.globalStorageUri, "conflicts", name);
  const [base, yours, theirs, result] = await Promise.all([
    written(folder, "base", conflict.path, conflict.base ?? ""),
    written(folder, "yours", conflict.path, conflict.theirs ?? ""),
    written(folder, "branch", conflict.path, conflict.ours ?? ""),
    written(folder, "result", conflict.path, marked(name, conflict)),
  ]);
  await vscode.commands.executeCommand(MERGE_EDITOR, {
    base,
    input1: { uri: yours, title: "Yours", description: conflict.path },
    input2: { uri: theirs, title: `Branch ${name}`, description: "" },
    output: result,
  });
  const key = result.toString();
  waiting.get(key)?.dispose();
  const saved = vscode.workspace.onDidSaveTextDocument((document) => {
    if (document.uri.toString() === key) {
      void settle(branch, conflict, document, folder);
    }
  });
  waiting.set(key, saved);
  context.subscriptions.push(saved);
}

/** Both sides with the marks that make the editor merge by itself what does not conflict. */
function marked(branch: string, { theirs, ours }: Conflict): string {
  const [yours, its] = [theirs, ours].map((text) => (text ?? "").replace(/([^\n])$/, "$1\n"));
  return `${MARK}Yours\n${yours}=======\n${its}>>>>>>> Branch ${branch}\n`;
}

/** Asks at every save until it is settled: a merge may be saved before it is done. */
async function settle(
  branch: Branch,
  conflict: Conflict,
  result: vscode.TextDocument,
  folder: vscode.Uri,
): Promise<void> {
  const text = result.getText();
  if (text.includes(MARK)) {
    return;
  }
  const { branch: name } = branch.summary;
  const question = `Settle the conflict of ${name} in ${oneLine(conflict.path)} with the text you saved?`;
  const detail = "The branch then has this text over yours; accept it when you like.";
  if (await isAgreed(question, detail, SETTLE, false)) {
    const params = { branch: name, resolve: { [conflict.path]: text } };
    try {
      await branch.client.request("understudy/branch/rebase", params);
      const key = result.uri.toString();
      waiting.get(key)?.dispose();
      waiting.delete(key);
      await vscode.window.tabGroups.close(mergeTabs(result.uri));
      await vscode.workspace.fs.delete(folder, { recursive: true });
    } catch (error) {
      void showError(`Not settled: ${errorText(error)}`);
    }
  }
}

/** Merge editors that write this file; the class of their input is not public, its fields are. */
function mergeTabs(result: vscode.Uri): vscode.Tab[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => {
      const written = (input as { readonly result?: unknown } | undefined)?.result;
      return written instanceof vscode.Uri && written.toString() === result.toString();
    });
}

function branchSide(branch: Branch, { path, ours }: Conflict): vscode.Uri {
  return uriOf(branch, path, ours === null ? "none" : "after");
}

/** A private file of ours; the merge editor wants files for what can be edited. */
async function written(
  folder: vscode.Uri,
  side: string,
  path: string,
  text: string,
): Promise<vscode.Uri> {
  const file = vscode.Uri.joinPath(folder, side, path);
  await vscode.workspace.fs.writeFile(file, Buffer.from(text, "utf8"));
  return file;
}
