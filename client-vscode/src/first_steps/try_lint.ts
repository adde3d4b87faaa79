/** "Try a lint": an agent's whole loop on the open file, with an edit that is made up. */
import * as path from "node:path";
import * as vscode from "vscode";
import type { FolderClient } from "../client";
import type { Clients } from "../clients";
import { LANGUAGES, sampleOf, type Sample } from "./sample";
import { verdictText, type Check } from "./verdict";
import { showInformation } from "../shown/notices";

/** Shows the checked text; the only other side of the diff is the user's own document. */
export const SAMPLE_SCHEME = "understudy-sample";

const DISCARD = "Discard the Branch";

/** The texts that samples are shown with, by the URI of the document. */
export class Samples implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  show(branch: string, file: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SAMPLE_SCHEME, path: `/${file}`, query: branch });
    this.texts.set(uri.toString(), text);
    return uri;
  }

  forget(uri: vscode.Uri): void {
    this.texts.delete(uri.toString());
  }
}

export async function tryLint(clients: Clients, samples: Samples): Promise<void> {
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
  const shown = samples.show(branch, file, sample.text);
  const label = `${path.basename(file)} ↔ sample edit (${check.verdict})`;
  await vscode.commands.executeCommand("vscode.diff", document.uri, shown, label);
  const chosen = await showInformation(
    `A sample edit of ${file} was checked: ${sample.mistake}. ` +
      `The verdict: ${verdictText(check)}. Your file is untouched.`,
    DISCARD,
    "Keep It",
  );
  if (chosen === DISCARD) {
    await client.request("understudy/branch/discard", { branch });
    samples.forget(shown);
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
