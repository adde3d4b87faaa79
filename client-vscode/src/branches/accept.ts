/** Accept and reject: the server holds them; here the user is asked and told. */
import * as vscode from "vscode";
import { ServerError } from "../client";
import type { Accepted, BranchFiles, Parted } from "./answers";
import { openConflict } from "./conflict";
import type { Branch, BranchStore } from "./store";
import { acceptedWords, operationLines } from "./wording";
import { errorText } from "../log";
import { isAgreed, showError, showInformation, showWarning } from "../shown/notices";

/** What is meant: whole files, hunks by their file, or (neither) everything. */
export interface Wanted {
  readonly paths?: readonly string[];
  readonly hunks?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Accepts into the open documents; the user confirms files that are written to disk at once.
 *
 * Says whether it is done. With `step` it is one of many, in words: the status bar tells of it, as
 * undo takes it back.
 */
export async function accept(
  context: vscode.ExtensionContext,
  store: BranchStore,
  branch: Branch,
  wanted: Wanted,
  step?: string,
): Promise<boolean> {
  const shown = await store.filesOf(branch);
  let accepted = await ask(branch, shown, wanted, false);
  if (accepted.outcome === "unconfirmed") {
    if (!(await isConfirmed(branch, accepted))) {
      return false;
    }
    accepted = await ask(branch, shown, wanted, true);
  }
  const isDone = accepted.outcome === "applied";
  if (isDone && step !== undefined) {
    vscode.window.setStatusBarMessage(`Understudy: accepted ${step}`, 5000);
  } else {
    await tell(context, branch, accepted);
  }
  return isDone;
}

/** Drops edits from the branch; a button brings them back as a branch of their own. */
export async function reject(
  store: BranchStore,
  branch: Branch,
  wanted: Wanted,
  step?: string,
): Promise<void> {
  const { stamp } = await store.filesOf(branch);
  const params = { branch: branch.summary.branch, ...wanted, ifStamp: stamp };
  const parted = await branch.client.request<Parted>("understudy/branch/reject", params);
  const name = branch.summary.branch;
  const said = `Rejected ${step === undefined ? "" : `${step} `}from ${name}; your files are untouched.`;
  const offered = offerReopen(branch, said, parted.archived, "Bring Back");
  if (step === undefined) {
    await offered;
  } else {
    offered.catch((error: unknown) => void showError(errorText(error))); // the next step waits not
  }
}

async function ask(
  branch: Branch,
  shown: BranchFiles,
  wanted: Wanted,
  confirmed: boolean,
): Promise<Accepted> {
  // What the user has seen is what is accepted: an edit of the agent's meanwhile is refused.
  const params = { branch: branch.summary.branch, ...wanted, confirmed, ifStamp: shown.stamp };
  try {
    return await branch.client.request<Accepted>("understudy/branch/accept", params);
  } catch (error) {
    if (error instanceof ServerError && ["stale-stamp", "unknown-hunk"].includes(error.code)) {
      throw new Error(
        `${branch.summary.branch} was edited meanwhile. Look at it again, then accept.`,
        { cause: error },
      );
    }
    throw error;
  }
}

async function isConfirmed(branch: Branch, accepted: Accepted): Promise<boolean> {
  const detail = [
    "These are written to disk at once; edits of text stay unsaved.",
    "",
    ...operationLines(accepted),
  ].join("\n");
  const question = `Accept ${branch.summary.branch}, and let it change files on disk?`;
  return await isAgreed(question, detail, "Accept");
}

async function tell(
  context: vscode.ExtensionContext,
  branch: Branch,
  accepted: Accepted,
): Promise<void> {
  const said = acceptedWords(branch.summary.branch, accepted);
  if (accepted.outcome === "applied") {
    await offerReopen(branch, said, accepted.archived, "Reopen Branch");
  } else if (accepted.outcome === "conflict") {
    const conflict = accepted.conflicts[0];
    const chosen = await showWarning(said, "Show Both Sides");
    if (chosen !== undefined && conflict !== undefined) {
      await openConflict(context, branch, conflict);
    }
  } else {
    void showWarning(said);
  }
}

/** Says it in the background, so that the command is over; the archive has what was taken out. */
async function offerReopen(
  branch: Branch,
  said: string,
  archived: string | null,
  button: string,
): Promise<void> {
  const buttons = archived === null ? [] : [button];
  const chosen = await showInformation(said, ...buttons);
  if (chosen !== undefined && archived !== null) {
    await branch.client.request("understudy/branch/reopen", { branch: archived });
  }
}
