/** The merge editor on a conflict of a branch: what the user makes of it settles it at their word. */
import * as vscode from "vscode";
import type { Conflict } from "../branches/answers";
import type { Branch } from "../branches/store";
import { count } from "../branches/wording";
import { errorText } from "../log";
import { isAgreed, showError, showInformation } from "../shown/notices";
import { oneLine } from "../shown/text";
import { MERGE_SCHEME, MergeTexts } from "./texts";
import { hasParting, marksLeft, nUntouched } from "./untouched";

/** Not public, but what git's own "Resolve in Merge Editor" calls; hosts may lack it. */
const MERGE_EDITOR = "_open.mergeEditor";
const COMPLETE = "Complete Merge";

/** A merge that the user has not completed yet. */
interface Merge {
  readonly branch: Branch;
  readonly conflict: Conflict;
  /** What both began with, the user's side, the branch's, and what is made of them. */
  readonly uris: readonly [vscode.Uri, vscode.Uri, vscode.Uri, vscode.Uri];
}

/** By the document that its merge editor writes. */
const open = new Map<string, Merge>();
const texts = new MergeTexts();

export function registerMerges(): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.workspace.registerFileSystemProvider(MERGE_SCHEME, texts, { isCaseSensitive: true }),
    vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
      for (const { input } of closed) {
        const uri = resultOf(input);
        if (uri !== undefined && !texts.isWritten(uri) && mergeTabs(uri).length === 0) {
          forget(uri); // what was saved is there when its conflict is shown again
        }
      }
    }),
  );
}

/** What the user has given up, or completed. */
function forget(result: vscode.Uri): void {
  const merge = open.get(result.toString());
  if (open.delete(result.toString())) {
    texts.drop(merge?.uris ?? []);
  }
}

export async function hasMergeEditor(): Promise<boolean> {
  return (await vscode.commands.getCommands(false)).includes(MERGE_EDITOR);
}

/** Shows both sides of a text; what the user makes of them settles it when they say so. */
export async function openMerge(branch: Branch, conflict: Conflict): Promise<void> {
  const { branch: name } = branch.summary;
  const begun = [...open.values()].find(({ branch: of, conflict: one }) => {
    const isThis = of.client === branch.client && of.summary.branch === name;
    return isThis && one.path === conflict.path && one.seen === conflict.seen;
  });
  // What somebody has made of it is never begun anew: auto save has put it where it came from.
  const [base, yours, its, output] = begun?.uris ?? put(branch, conflict);
  await vscode.commands.executeCommand(MERGE_EDITOR, {
    base,
    input1: { uri: yours, title: "Yours", description: conflict.path },
    input2: { uri: its, title: `Branch ${name}`, description: "" },
    output,
  });
  open.set(output.toString(), { branch, conflict, uris: [base, yours, its, output] });
  if (begun === undefined) {
    void offerCompletion(conflict.path, output);
  }
}

/** The texts under names that nothing else here has. */
function put({ client, summary }: Branch, conflict: Conflict): Merge["uris"] {
  const first = `/${client.folder.name}/${summary.branch}`;
  let folder = first;
  for (let n = 2; texts.hasBelow(folder); n++) {
    folder = `${first} (${n})`;
  }
  const { path, base, theirs, ours } = conflict;
  return [
    texts.put(`${folder}/Before/${path}`, base ?? "", true),
    texts.put(`${folder}/Yours/${path}`, theirs ?? "", true),
    texts.put(`${folder}/Branch/${path}`, ours ?? "", true),
    texts.put(`${folder}/${path}`, marked(summary.branch, conflict), false),
  ];
}

async function offerCompletion(path: string, output: vscode.Uri): Promise<void> {
  const said = `Merge both sides of ${oneLine(path)}, then complete the merge.`;
  if ((await showInformation(said, COMPLETE)) === COMPLETE) {
    await completeMerge(output).catch((error: unknown) => void showError(errorText(error)));
  }
}

/** Both sides with the marks that make the editor merge by itself what does not conflict. */
function marked(branch: string, { theirs, ours }: Conflict): string {
  const end = theirs?.includes("\r\n") === true ? "\r\n" : "\n"; // else a short text would lose its own
  const [yours, its] = [theirs, ours].map((text) => (text ?? "").replace(/([^\n])$/, `$1${end}`));
  return `<<<<<<< Yours${end}${yours}=======${end}${its}>>>>>>> Branch ${branch}${end}`;
}

/** Settles a conflict with the text of its merge editor as it is now, saved or not. */
export async function completeMerge(given?: vscode.Uri): Promise<void> {
  const shown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const uri = given ?? resultOf(shown);
  const merge = uri === undefined ? undefined : open.get(uri.toString());
  if (uri === undefined || merge === undefined) {
    throw new Error("no conflict of a branch is being merged here; show its both sides first.");
  }
  const { branch, conflict } = merge;
  const text = (await vscode.workspace.openTextDocument(uri)).getText();
  const sides = [conflict.base, conflict.ours, conflict.theirs];
  const [mark] = marksLeft(text, sides);
  if (mark !== undefined) {
    throw new Error(
      `the text still has a mark of the conflict, “${mark}”; merge that place first.`,
    );
  }
  const left = nUntouched(text, conflict.base, conflict.regions ?? []);
  const question = `Complete the merge of ${oneLine(conflict.path)} all the same?`;
  const doubts = [
    ...(left > 0 ? [`${count(left, "place")} with neither your lines nor the branch's.`] : []),
    ...(hasParting(text, sides) ? ["A line “=======”, which neither side has."] : []),
  ];
  if (doubts.length > 0 && !(await isAgreed(question, doubts.join("\n"), COMPLETE))) {
    return;
  }
  const { branch: name } = branch.summary;
  const { path, seen } = conflict;
  // Only over what was shown: what either side has typed since must not go unseen.
  const params = { branch: name, resolve: { [path]: text }, seen: { [path]: seen } };
  await branch.client.request("understudy/branch/rebase", params);
  await (await vscode.workspace.openTextDocument(uri)).save(); // else the editor asks at closing
  await vscode.window.tabGroups.close(mergeTabs(uri));
  forget(uri);
  const said = `Understudy: ${name} has the merged text over yours; accept it when you like`;
  vscode.window.setStatusBarMessage(said, 8000);
}

/** The file that a merge editor writes; the class of its input is not public, its fields are. */
function resultOf(input: unknown): vscode.Uri | undefined {
  const written = (input as { readonly result?: unknown } | undefined)?.result;
  return written instanceof vscode.Uri ? written : undefined;
}

function mergeTabs(result: vscode.Uri): vscode.Tab[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => resultOf(input)?.toString() === result.toString());
}
