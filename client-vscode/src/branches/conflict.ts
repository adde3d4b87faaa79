/** A conflict that can be read: the merge editor where there is one, else a diff of both sides. */
import * as vscode from "vscode";
import type { Conflict } from "./answers";
import type { Branch } from "./store";
import { uriOf } from "./texts";
import { hasMergeEditor, openMerge } from "../merging/merges";
import { showWarning } from "../shown/notices";
import { oneLine } from "../shown/text";

const SHOW = "Show Both Sides";
const SEND = "Ask the Agent to Resolve";

/** Says that both sides changed the same lines; the user looks, or leaves it to the agent. */
export async function offerConflict(
  branch: Branch,
  conflicts: readonly Conflict[],
  said: string,
): Promise<void> {
  const isLive = branch.summary.rehearsal !== undefined;
  const paths = conflicts.filter((one) => one.can_send === true && !isLive).map(({ path }) => path);
  const chosen = await showWarning(said, SHOW, ...(paths.length > 0 ? [SEND] : []));
  const [first] = conflicts;
  if (chosen === SHOW && first !== undefined) {
    await openConflict(branch, first);
  } else if (chosen === SEND) {
    await sendConflicts(branch, paths);
  }
}

/** The agent hears of it with its next call, and its edits of the files find both sides there. */
export async function sendConflicts(
  { client, summary: { branch } }: Branch,
  paths: readonly string[],
): Promise<void> {
  for (const path of paths) {
    await client.request("understudy/branch/sendConflict", { branch, path });
  }
  const said = `Understudy: the agent of ${branch} is asked to settle ${oneLine(paths.join(", "))}`;
  vscode.window.setStatusBarMessage(said, 8000);
}

async function openConflict(branch: Branch, conflict: Conflict): Promise<void> {
  const { path, ours, theirs } = conflict;
  if (ours !== null && theirs !== null && (await hasMergeEditor())) {
    await openMerge(branch, conflict);
    return;
  }
  const mine = vscode.Uri.joinPath(branch.client.folder.uri, path);
  const left = theirs === null ? uriOf(branch, path, "none") : mine;
  const right = uriOf(branch, path, ours === null ? "none" : "after");
  const title = `${path}: yours ↔ ${branch.summary.branch} (conflict)`;
  await vscode.commands.executeCommand("vscode.diff", left, right, title);
}
