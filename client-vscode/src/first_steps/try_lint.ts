/** "Try a lint": an agent's whole loop on the open file, with an edit that is made up. */
import * as path from "node:path";
import * as vscode from "vscode";
import { partsOf } from "../branches/uris";
import type { FolderClient } from "../client";
import { ServerError } from "../server_error";
import type { Clients } from "../clients";
import { LANGUAGES, sampleOf, type Sample } from "./sample";
import { verdictText, type Check } from "./verdict";
import { showInformation } from "../shown/notices";

const DISCARD = "Discard the Branch";

export async function tryLint(clients: Clients): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const client = document === undefined ? undefined : clients.of(document.uri);
  const sample =
    document === undefined ? undefined : sampleOf(document.languageId, document.getText());
  if (document === undefined || client === undefined || sample === undefined) {
    const known = LANGUAGES.join(", ");
    throw new Error(`Open a file of a folder first, in one of these languages: ${known}.`);
  }
  const file = path
    .relative(client.folder.uri.fsPath, document.uri.fsPath)
    .split(path.sep)
    .join("/");
  const location = vscode.ProgressLocation.Notification;
  const title = "Understudy: checking a sample edit";
  const { branch, check } = await vscode.window.withProgress(
    { location, title, cancellable: true },
    (_, token) => checked(client, file, sample, token),
  );
  const folder = client.folder.uri.toString();
  const shown = vscode.Uri.from(partsOf({ folder, branch, path: file, side: "after" }));
  const label = `${path.basename(file)} ↔ sample edit (${check.verdict})`;
  await vscode.commands.executeCommand("vscode.diff", document.uri, shown, label);
  const chosen = await showInformation(
    `A sample edit of ${file} was checked: ${sample.mistake}. ` +
      `The verdict: ${verdictText(check)}. Your file is untouched, unless you accept it there.`,
    DISCARD,
    "Keep It",
  );
  if (chosen === DISCARD) {
    await discard(client, branch);
  }
}

/** Discards the branch, unless it has gone: accepted or rejected in its diff. */
async function discard(client: FolderClient, branch: string): Promise<void> {
  try {
    await client.request("understudy/branch/discard", { branch });
  } catch (error) {
    if (!(error instanceof ServerError && error.code === "unknown-branch")) {
      throw error;
    }
  }
}

async function checked(
  client: FolderClient,
  file: string,
  sample: Sample,
  token: vscode.CancellationToken,
): Promise<{ branch: string; check: Check }> {
  const title = `a sample edit of ${path.posix.basename(file)}`;
  const { branch } = await client.request<{ branch: string }>("understudy/branch/create", {
    title: title.slice(0, 200),
  });
  try {
    const edits = [{ kind: "write", path: file, text: sample.text }];
    await client.request("understudy/branch/edit", { branch, edits }, token);
    const check = await client.request<Check>("understudy/branch/check", { branch }, token);
    return { branch, check };
  } catch (error) {
    await client.request("understudy/branch/discard", { branch });
    throw error;
  }
}
