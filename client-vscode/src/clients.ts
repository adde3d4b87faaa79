/** One client for each workspace folder: branches, trust and servers are a folder's own. */
import * as vscode from "vscode";
import { FolderClient, type Options, type Surroundings } from "./client";
import { errorText } from "./log";

export type OptionsSource = (folder: vscode.WorkspaceFolder) => Options | Promise<Options>;

/** A notification of a folder's server. */
export interface Notice {
  readonly client: FolderClient;
  readonly method: string;
  readonly params: unknown;
}

export class Clients implements vscode.Disposable {
  private readonly clients = new Map<string, FolderClient>();
  private readonly sources: OptionsSource[] = [];
  private readonly notices = new vscode.EventEmitter<Notice>();
  private readonly states = new vscode.EventEmitter<FolderClient>();
  private readonly subscriptions: vscode.Disposable[];
  private readonly around: Surroundings;

  /** Fires when a server starts, runs, fails or is stopped. */
  readonly onDidChangeState = this.states.event;

  constructor(
    context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.around = {
      context,
      log,
      options: (folder) => this.options(folder),
      notified: (client, method, params) => this.notices.fire({ client, method, params }),
      stateChanged: (client) => this.states.fire(client),
    };
    this.subscriptions = [
      this.notices,
      this.states,
      vscode.workspace.onDidChangeWorkspaceFolders(({ removed }) => this.forget(removed)),
    ];
  }

  /** The client of every workspace folder, in their order, started or not. */
  all(): readonly FolderClient[] {
    return (vscode.workspace.workspaceFolders ?? []).map((folder) => this.ofFolder(folder));
  }

  /** The clients whose server runs. */
  running(): readonly FolderClient[] {
    return this.all().filter((client) => client.state === "running");
  }

  /** The client of the folder that holds a file; undefined for a file outside of all folders. */
  of(uri: vscode.Uri): FolderClient | undefined {
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    return folder === undefined ? undefined : this.ofFolder(folder);
  }

  /** The folder of the active editor, else the only one, else the user's choice; raises without any. */
  async choose(): Promise<FolderClient | undefined> {
    const active = vscode.window.activeTextEditor?.document.uri;
    const all = this.all();
    const client = (active === undefined ? undefined : this.of(active)) ?? all[0];
    if (client === undefined) {
      throw new Error("Understudy needs a folder: open one first.");
    }
    if (all.length === 1 || (active !== undefined && this.of(active) !== undefined)) {
      return client;
    }
    const folder = await vscode.window.showWorkspaceFolderPick();
    return folder === undefined ? undefined : this.ofFolder(folder);
  }

  /** Calls back for each notification of that method, from every folder's server. */
  onNotification(method: string, heard: (notice: Notice) => void): vscode.Disposable {
    return this.notices.event((notice) => {
      if (notice.method === method) {
        heard(notice);
      }
    });
  }

  /** Adds to what the servers are told at `initialize` and by `optionsChanged`; later ones win. */
  addOptions(source: OptionsSource): void {
    this.sources.push(source);
  }

  /** Tells running servers the options anew, without a restart. */
  optionsChanged(): void {
    for (const client of this.running()) {
      this.options(client.folder)
        .then((options) => client.notify("understudy/optionsChanged", options))
        .catch((error: unknown) => this.log.error(`options: ${errorText(error)}`));
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.clients.values()].map((client) => client.stop()));
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private ofFolder(folder: vscode.WorkspaceFolder): FolderClient {
    const key = folder.uri.toString();
    const known = this.clients.get(key);
    if (known !== undefined) {
      return known;
    }
    const made = new FolderClient(folder, this.around);
    this.clients.set(key, made);
    return made;
  }

  private forget(removed: readonly vscode.WorkspaceFolder[]): void {
    for (const folder of removed) {
      const key = folder.uri.toString();
      void this.clients.get(key)?.stop();
      this.clients.delete(key);
    }
  }

  private async options(folder: vscode.WorkspaceFolder): Promise<Options> {
    const parts = await Promise.all(this.sources.map((source) => source(folder)));
    return Object.assign({}, ...parts) as Options;
  }
}
