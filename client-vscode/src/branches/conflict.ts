/** A conflict that can be read: the merge editor where there is one, else a diff of both sides. */
import * as vscode from "vscode";
import type { Conflict } from "./answers";
import type { Branch } from "./store";
import { uriOf } from "./texts";
import { hasMergeEditor, openMerge } from "../merging/merges";
import { showWarning } from "../shown/notices";

/** Says that both sides changed the same lines; the user looks. */
export async function offerConflict(
  branch: Branch,
  conflict: Conflict,
  said: string,
): Promise<void> {
  if ((await showWarning(said, "Show Both Sides")) !== undefined) {
    await openConflict(branch, conflict);
  }
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
