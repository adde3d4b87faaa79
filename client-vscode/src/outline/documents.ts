/** Outlines and maps as documents beside the code; their line numbers lead to it. */
import * as path from "node:path";
import * as vscode from "vscode";
import { ServerError, type FolderClient } from "../client";
import type { Clients } from "../clients";
import { errorText } from "../log";
import type { Feature } from "../services";
import { placeAt, placesIn } from "./lines";
import { SCHEME, partsOf, viewOf, type View } from "./views";
import { showError } from "../shown/notices";

/** Typing pauses for so long before an outline is made anew. */
const PAUSE_MS = 300;

export const registerOutlines: Feature = (context, { clients }) => {
  const documents = new OutlineDocuments(clients);
  context.subscriptions.push(
    documents,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, documents),
    vscode.languages.registerDocumentLinkProvider({ scheme: SCHEME }, documents),
    vscode.workspace.onDidChangeTextDocument(({ document }) => documents.changed(document.uri)),
    vscode.workspace.onDidSaveTextDocument(({ uri }) => documents.changed(uri)),
    command("understudy.openOutline", (uri?: vscode.Uri) => openOutline(clients, uri)),
    command("understudy.openOutlineLines", openLines),
    command("understudy.openMap", (uri?: vscode.Uri) => openMap(clients, uri)),
  );
};

class OutlineDocuments
  implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider, vscode.Disposable
{
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  private readonly pauses = new Map<string, NodeJS.Timeout>();
  readonly onDidChange = this.changes.event;

  constructor(private readonly clients: Clients) {}

  async provideTextDocumentContent(
    uri: vscode.Uri,
    token: vscode.CancellationToken,
  ): Promise<string> {
    try {
      const view = viewOf(uri.query);
      const client = view === undefined ? undefined : clientOf(this.clients, view);
      if (view === undefined || client === undefined) {
        return "# nothing to show: its folder is not open\n";
      }
      return await textOf(client, view, token);
    } catch (error) {
      const code = error instanceof ServerError ? `${error.code}: ` : "";
      return `# nothing to show: ${code}${errorText(error)}\n`;
    }
  }

  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    const view = viewOf(document.uri.query);
    if (view === undefined || view.lines !== undefined) {
      return [];
    }
    return placesIn(document.getText()).map((place) => {
      const range = new vscode.Range(
        place.line,
        place.indent,
        place.line,
        place.indent + place.length,
      );
      const link = new vscode.DocumentLink(range, fileOf(view, place.path, place.first));
      link.tooltip = `Go to line ${place.first}`;
      return link;
    });
  }

  /** A file has changed: what is shown of it is made anew, after a pause. */
  changed(file: vscode.Uri): void {
    if (file.scheme !== "file") {
      return;
    }
    for (const { uri } of vscode.workspace.textDocuments) {
      const view = uri.scheme === SCHEME ? viewOf(uri.query) : undefined;
      if (view !== undefined && concerns(view, file)) {
        const key = uri.toString();
        clearTimeout(this.pauses.get(key));
        this.pauses.set(
          key,
          setTimeout(() => {
            this.pauses.delete(key);
            this.changes.fire(uri);
          }, PAUSE_MS),
        );
      }
    }
  }

  dispose(): void {
    this.changes.dispose();
    this.pauses.forEach((pause) => clearTimeout(pause));
  }
}

async function textOf(
  client: FolderClient,
  view: View,
  token: vscode.CancellationToken,
): Promise<string> {
  const params =
    view.kind === "map"
      ? { folder: view.path === "" ? null : view.path }
      : view.lines === undefined
        ? { path: view.path }
        : { path: view.path, form: "full", range: view.lines };
  const answer = await client.request<{ text: string }>(`understudy/${view.kind}`, params, token);
  return answer.text;
}

async function openOutline(clients: Clients, given?: vscode.Uri): Promise<void> {
  const file = given ?? vscode.window.activeTextEditor?.document.uri;
  const folder = file === undefined ? undefined : vscode.workspace.getWorkspaceFolder(file);
  if (file === undefined || folder === undefined || clients.of(file) === undefined) {
    throw new Error("Understudy shows outlines of files in an open folder: open one first.");
  }
  await open({ kind: "outline", folder: folder.uri.toString(), path: relative(folder, file) });
}

/** The text of the entry at the cursor of an outline. */
async function openLines(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const view =
    editor?.document.uri.scheme === SCHEME ? viewOf(editor.document.uri.query) : undefined;
  const places = editor === undefined ? [] : placesIn(editor.document.getText());
  const place = placeAt(places, editor?.selection.active.line ?? -1);
  if (view === undefined || place === undefined) {
    throw new Error("Put the cursor on an entry of an outline first.");
  }
  const file = view.kind === "map" ? place.path : view.path;
  await open({
    kind: "outline",
    folder: view.folder,
    path: file,
    lines: [place.first, place.last],
  });
}

async function openMap(clients: Clients, given?: vscode.Uri): Promise<void> {
  const folder = given === undefined ? undefined : vscode.workspace.getWorkspaceFolder(given);
  const client = given === undefined ? await clients.choose() : clients.of(given);
  if (client === undefined) {
    return;
  }
  const path = given === undefined || folder === undefined ? "" : relative(folder, given);
  await open({ kind: "map", folder: client.folder.uri.toString(), path });
}

async function open(view: View): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.from(partsOf(view)));
  const viewColumn = vscode.ViewColumn.Beside;
  await vscode.window.showTextDocument(document, {
    viewColumn,
    preview: true,
    preserveFocus: true,
  });
}

function concerns(view: View, file: vscode.Uri): boolean {
  const folder = vscode.workspace.getWorkspaceFolder(file);
  if (folder === undefined || folder.uri.toString() !== view.folder) {
    return false;
  }
  const changed = relative(folder, file);
  return view.kind === "map"
    ? view.path === "" || changed.startsWith(`${view.path}/`)
    : changed === view.path;
}

function clientOf(clients: Clients, view: View): FolderClient | undefined {
  return clients.all().find(({ folder }) => folder.uri.toString() === view.folder);
}

function fileOf(view: View, named: string, line: number): vscode.Uri {
  const below = named === "" ? view.path : named;
  return vscode.Uri.joinPath(vscode.Uri.parse(view.folder), below).with({ fragment: `L${line}` });
}

function relative(folder: vscode.WorkspaceFolder, file: vscode.Uri): string {
  return path.relative(folder.uri.fsPath, file.fsPath).split(path.sep).join("/");
}

function command<A extends unknown[]>(
  name: string,
  run: (...given: A) => Promise<void>,
): vscode.Disposable {
  return vscode.commands.registerCommand(name, async (...given: A) => {
    try {
      await run(...given);
    } catch (error) {
      void showError(errorText(error));
    }
  });
}
