/** The texts of branches as documents, and the diff editor of a file: yours against the branch's. */
import * as path from "node:path";
import * as vscode from "vscode";
import { ServerError } from "../client";
import type { Clients } from "../clients";
import { errorText } from "../log";
import type { ChangedFile } from "./answers";
import type { Branch, BranchStore } from "./store";
import { partsOf, SCHEME, textOf, type BranchText } from "./uris";

interface Texts {
  readonly before: string | null;
  readonly after: string | null;
}

export class BranchTexts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changes.event;

  constructor(private readonly clients: Clients) {}

  async provideTextDocumentContent(
    uri: vscode.Uri,
    token: vscode.CancellationToken,
  ): Promise<string> {
    const wanted = textOf(uri.path, uri.query);
    const client = this.clients
      .all()
      .find(({ folder }) => folder.uri.toString() === wanted?.folder);
    if (wanted === undefined || client === undefined || wanted.side === "none") {
      return "";
    }
    const { branch, path: file, side } = wanted;
    const params = { branch, path: file };
    try {
      const texts = await client.request<Texts>("understudy/branch/text", params, token);
      return texts[side] ?? "";
    } catch (error) {
      const code = error instanceof ServerError ? `${error.code}: ` : "";
      return `Nothing to show of ${branch}: ${code}${errorText(error)}\n`;
    }
  }

  /** The branches, or the user's text, have changed: what is shown of them is made anew. */
  refresh(): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme === SCHEME) {
        this.changes.fire(uri);
      }
    }
  }

  dispose(): void {
    this.changes.dispose();
  }
}

/** Closes diffs with branches that were put away: they would show nothing but that. */
export async function closeEnded(store: BranchStore, clients: Clients): Promise<void> {
  const shown = vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .flatMap((tab) => {
      const uri = tab.input instanceof vscode.TabInputTextDiff ? tab.input.modified : undefined;
      const text = uri?.scheme === SCHEME ? textOf(uri.path, uri.query) : undefined;
      return text === undefined ? [] : [{ tab, text }];
    });
  if (shown.length === 0) {
    return;
  }
  const kept = new Set(
    (await store.all()).map(({ client, summary }) => {
      return `${client.folder.uri.toString()} ${summary.branch}`;
    }),
  );
  const running = new Set(clients.running().map(({ folder }) => folder.uri.toString()));
  const ended = shown.filter(
    ({ text }) => running.has(text.folder) && !kept.has(`${text.folder} ${text.branch}`),
  );
  await vscode.window.tabGroups.close(
    ended.map(({ tab }) => tab),
    true,
  );
}

/** Opens the diff of a file, at a line (from 0) of the branch's side if one is given. */
export async function openDiff(
  branch: Branch,
  file: ChangedFile,
  line?: number,
  viewColumn?: vscode.ViewColumn,
): Promise<void> {
  const after = uriOf(branch, file.path, file.kind === "deleted" ? "none" : "after");
  const name = path.posix.basename(file.path);
  const title = `${name} (yours ↔ ${branch.summary.branch})`;
  const at = line === undefined ? {} : { selection: new vscode.Range(line, 0, line, 0) };
  const options = { preview: true, ...(viewColumn === undefined ? {} : { viewColumn }), ...at };
  await vscode.commands.executeCommand("vscode.diff", mine(branch, file), after, title, options);
}

/** The user's own document of a file; nothing where the branch makes a new one. */
function mine(branch: Branch, file: ChangedFile): vscode.Uri {
  return file.kind === "added"
    ? uriOf(branch, file.path, "none")
    : vscode.Uri.joinPath(branch.client.folder.uri, file.origin ?? file.path);
}

export function uriOf(branch: Branch, file: string, side: BranchText["side"]): vscode.Uri {
  const folder = branch.client.folder.uri.toString();
  return vscode.Uri.from(partsOf({ folder, branch: branch.summary.branch, path: file, side }));
}

/** Opens the user's own file, by the name that it has there; one that is made is not there yet. */
export async function openOwn(
  store: BranchStore,
  branch: Branch,
  path: string | undefined,
): Promise<void> {
  const { files } = await store.filesOf(branch);
  const own = files.find((file) => file.path === path)?.origin ?? path ?? "";
  const uri = vscode.Uri.joinPath(branch.client.folder.uri, own);
  try {
    await vscode.window.showTextDocument(uri, { preview: true });
  } catch (error) {
    throw new Error(`your folder has no ${path ?? "such file"} that opens as text.`, {
      cause: error,
    });
  }
}

/** Opens the diff of a file at a line; of a file without edits, the branch's document of it. */
export async function openPlace(
  store: BranchStore,
  branch: Branch,
  path: string,
  line?: number,
): Promise<void> {
  const { files } = await store.filesOf(branch);
  const file = files.find((one) => one.path === path);
  if (file !== undefined) {
    await openDiff(branch, file, line);
    return;
  }
  const at = line === undefined ? {} : { selection: new vscode.Range(line, 0, line, 0) };
  await vscode.window.showTextDocument(uriOf(branch, path, "after"), { preview: true, ...at });
}
