/** The status bar's item about servers; it is there once Understudy is in use. */
import * as vscode from "vscode";
import { errorText } from "../log";
import type { Feature, Services } from "../services";
import { serverLine, statusShown, type FolderStatus, type ServerStatus } from "./wording";

/** While language servers run, their memory changes without anybody telling. */
const LOOK_MS = 5000;

export const registerStatus: Feature = (context, services) => {
  const { clients } = services;
  const item = vscode.window.createStatusBarItem(
    "understudy.servers",
    vscode.StatusBarAlignment.Right,
    10,
  );
  item.name = "Understudy: Language Servers";
  item.command = "understudy.showServers";
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;

  const look = async (): Promise<void> => {
    clearTimeout(timer);
    if (isLooking) {
      return;
    }
    isLooking = true;
    try {
      const isStarting = clients.all().some(({ state }) => state === "starting");
      const folders = await statuses(services);
      const shown = statusShown(folders, isStarting);
      item.text = shown.text;
      item.tooltip = shown.tooltip;
      item.accessibilityInformation = { label: shown.spoken, role: "button" };
      if (isStarting || clients.running().length > 0) {
        item.show();
      } else {
        item.hide();
      }
      if (folders.some(({ servers }) => servers.length > 0)) {
        timer = setTimeout(() => void look(), LOOK_MS);
      }
    } finally {
      isLooking = false;
    }
  };
  context.subscriptions.push(
    item,
    { dispose: () => clearTimeout(timer) },
    clients.onDidChangeState(() => void look()),
    clients.onNotification("understudy/serversChanged", () => void look()),
    vscode.commands.registerCommand("understudy.showServers", () => showServers(services)),
  );
};

/** Of the folders whose server runs; one that does not answer is left out until the next look. */
async function statuses({ clients, log }: Services): Promise<FolderStatus[]> {
  const asked = clients.running().map(async (client): Promise<FolderStatus[]> => {
    try {
      const status = await client.request<{ servers: readonly ServerStatus[] }>(
        "understudy/status",
        {},
      );
      return [{ folder: client.folder.name, servers: status.servers }];
    } catch (error) {
      log.debug(`status of ${client.folder.name}: ${errorText(error)}`);
      return [];
    }
  });
  return (await Promise.all(asked)).flat();
}

async function showServers(services: Services): Promise<void> {
  const folders = await statuses(services);
  const several = folders.length > 1;
  const rows = folders.flatMap(({ folder, servers }) =>
    servers.map((server) => ({
      label: server.name,
      description: serverLine(server).slice(server.name.length + 2),
      detail: several ? folder : server.root,
      command: "understudy.doctor",
    })),
  );
  const doctor = {
    label: "$(pulse) Show what works here and why not",
    command: "understudy.doctor",
  };
  const restart = { label: "$(refresh) Restart the server", command: "understudy.restart" };
  const log = { label: "$(output) Show log", command: "understudy.showLog" };
  const title = rows.length === 0 ? "No language server is running" : "Language servers for lints";
  const picked = await vscode.window.showQuickPick([...rows, doctor, restart, log], { title });
  if (picked !== undefined) {
    await vscode.commands.executeCommand(picked.command);
  }
}
