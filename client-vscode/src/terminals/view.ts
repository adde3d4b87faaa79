/** The side bar's list of recorded terminals, drawn anew while it is looked at. */
import * as vscode from "vscode";
import type { FolderClient } from "../client";
import { errorText } from "../log";
import type { Feature, Services } from "../services";
import type { TerminalList, TerminalState } from "./answers";
import { isRecorder } from "./recorded_shell";
import { inOrder, isLive, rowOf } from "./wording";
import { showError } from "../shown/notices";

const VIEW = "understudy.terminals";
/** Folders that had logs when they were open last: then the view may start their servers. */
const KEPT = "understudy.terminalsKept";
/** Logs are written a few times a second; whoever looks at a list reads less often. */
const PAUSE_MS = 300;

/** A terminal's log, and the folder's server that has it. */
export interface Found {
  readonly client: FolderClient;
  readonly terminal: TerminalState;
}

export const registerTerminalView: Feature = (context, services) => {
  const { clients } = services;
  const list = new TerminalRows(services, context.workspaceState);
  const view = vscode.window.createTreeView(VIEW, { treeDataProvider: list });
  const shown = () => {
    list.isShown = view.visible;
    if (view.visible) {
      list.startWhereKept();
      list.look();
    }
  };
  context.subscriptions.push(
    ...[list, view],
    view.onDidChangeVisibility(shown),
    clients.onDidChangeState(() => list.look()),
    vscode.window.onDidOpenTerminal((terminal) => {
      const [folder] = vscode.workspace.workspaceFolders ?? [];
      if (isRecorder(terminal) && folder !== undefined) {
        void list.remember(folder, true).then(shown); // its log is there in a moment
      }
    }),
    vscode.commands.registerCommand("understudy.terminal.show", async () => {
      try {
        await Promise.all(clients.all().map((client) => client.client()));
        const first = await list.first();
        if (first === undefined) {
          await vscode.commands.executeCommand(`${VIEW}.focus`);
        } else {
          // The editor would focus what stands there while there is no row, which goes as rows come.
          await view.reveal(first, { focus: true, select: false });
        }
      } catch (error) {
        void showError(`Understudy: ${errorText(error)}`);
      }
    }),
  );
  shown();
};

/** The logs of a folder, and where they lie; starts its server. */
export function listOf(client: FolderClient): Promise<TerminalList> {
  return client.request<TerminalList>("understudy/terminal/list", {});
}

class TerminalRows implements vscode.TreeDataProvider<Found>, vscode.Disposable {
  isShown = false;
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly watchers = new Map<string, vscode.Disposable>();
  private rows: readonly Found[] = [];
  private drawn = "";
  private isLooking = false;
  private isBehind = false;
  readonly onDidChangeTreeData = this.changes.event;

  constructor(
    private readonly services: Services,
    private readonly memory: vscode.Memento,
  ) {}

  getChildren(node?: Found): Found[] {
    return node === undefined ? [...this.rows] : [];
  }

  /** There is one level. */
  getParent(): undefined {
    return undefined;
  }

  getTreeItem(found: Found): vscode.TreeItem {
    const { client, terminal } = found;
    const { label, description, tooltip, spoken, icon } = rowOf(terminal, folderWord(client));
    const item = new vscode.TreeItem(label);
    item.id = `${client.folder.uri.toString()} ${terminal.id}`;
    item.description = description;
    item.tooltip = tooltip;
    item.accessibilityInformation = { label: spoken };
    const color = icon.color === undefined ? undefined : new vscode.ThemeColor(icon.color);
    item.iconPath = new vscode.ThemeIcon(icon.id, color);
    item.contextValue = contextOf(terminal);
    item.command = {
      command: "understudy.terminal.openLog",
      title: "Open Log",
      arguments: [found],
    };
    return item;
  }

  /** The row on top, by now. */
  async first(): Promise<Found | undefined> {
    if (await this.read()) {
      this.changes.fire();
    }
    return this.rows[0];
  }

  /** Asks the servers soon, once for all calls meanwhile; nothing while nobody looks. */
  look(): void {
    this.isBehind = true;
    if (this.isShown && !this.isLooking) {
      void this.lookUntilDone();
    }
  }

  startWhereKept(): void {
    const { clients, log } = this.services;
    const kept = this.kept();
    for (const client of clients.all()) {
      if (client.state === "idle" && kept.has(client.folder.uri.toString())) {
        client.client().catch((error: unknown) => log.debug(errorText(error)));
      }
    }
  }

  /** Remembers whether a folder has logs. */
  async remember({ uri }: vscode.WorkspaceFolder, hasLogs: boolean): Promise<void> {
    const kept = this.kept();
    if (kept.has(uri.toString()) !== hasLogs) {
      kept[hasLogs ? "add" : "delete"](uri.toString());
      await this.memory.update(KEPT, [...kept]);
    }
  }

  dispose(): void {
    vscode.Disposable.from(this.changes, ...this.watchers.values()).dispose();
  }

  private async lookUntilDone(): Promise<void> {
    this.isLooking = true;
    while (this.isBehind && this.isShown) {
      this.isBehind = false;
      if (await this.read()) {
        this.changes.fire();
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    this.isLooking = false;
  }

  /** Gives whether the rows are others now. Never raises. */
  private async read(): Promise<boolean> {
    const found: Found[] = [];
    for (const client of this.services.clients.running()) {
      try {
        const { terminals, folder } = await listOf(client);
        this.watch(folder);
        found.push(...terminals.map((terminal) => ({ client, terminal })));
        await this.remember(client.folder, terminals.length > 0);
      } catch (error) {
        this.services.log.info(`terminals of ${client.folder.name}: ${errorText(error)}`);
      }
    }
    this.rows = inOrder(found, ({ terminal }) => terminal);
    const rows = this.rows.map(({ terminal }) => [rowOf(terminal), terminal.failed !== null]);
    const facts = JSON.stringify(rows);
    const areOthers = facts !== this.drawn;
    this.drawn = facts;
    return areOthers;
  }

  /** Looks whenever a log is written. */
  private watch(folder: string): void {
    if (!this.watchers.has(folder)) {
      const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), "*");
      const watcher = vscode.workspace.createFileSystemWatcher(pattern);
      watcher.onDidCreate(() => this.look());
      watcher.onDidChange(() => this.look());
      watcher.onDidDelete(() => this.look());
      this.watchers.set(folder, watcher);
      this.isBehind = true; // of what was written before it watched
    }
  }

  private kept(): Set<string> {
    return new Set(this.memory.get<string[]>(KEPT, []));
  }
}

/** What the menus of the manifest ask for: whether it is written down, and whether anything failed. */
function contextOf({ status, failed }: TerminalState): string {
  const recording = status === "off" ? ".off" : isLive(status) ? ".on" : "";
  return `${VIEW}${recording}${failed === null ? "" : ".failed"}`;
}

function folderWord({ folder }: FolderClient): string {
  return (vscode.workspace.workspaceFolders?.length ?? 0) > 1 ? folder.name : "";
}
