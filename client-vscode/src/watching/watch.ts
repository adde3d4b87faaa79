/** Watching over an agent: what edits since it began introduce, also in files that are not open. */
import * as vscode from "vscode";
import type { Check } from "../branches/answers";
import type { FolderClient } from "../client";
import { errorText } from "../log";
import type { Feature, Services } from "../services";
import { reportRows, reportTitle, watchShown, type Watched } from "./wording";
import { showError } from "../shown/notices";
import { plain } from "../shown/text";

const OFF: Watched = { watching: false };

export const registerWatch: Feature = (context, services) => {
  const { clients } = services;
  const item = vscode.window.createStatusBarItem(
    "understudy.watch",
    vscode.StatusBarAlignment.Right,
    11,
  );
  item.name = "Understudy: Edits Since an Agent Began";
  item.command = "understudy.watch.show";
  const known = new Map<FolderClient, Watched>();
  const draw = () => {
    const shown = [...known]
      .filter(([client]) => client.state === "running")
      .map(([, watched]) => watchShown(watched, sinceOf(watched)))
      .find((one) => one !== undefined);
    if (shown === undefined) {
      item.hide();
      return;
    }
    item.text = shown.text;
    item.tooltip = shown.tooltip;
    item.accessibilityInformation = { label: shown.spoken, role: "button" };
    item.backgroundColor = shown.isWarning
      ? new vscode.ThemeColor("statusBarItem.warningBackground")
      : undefined;
    item.show();
  };
  const command = (name: string, work: (client: FolderClient) => Promise<void>) =>
    vscode.commands.registerCommand(name, async () => {
      try {
        const watched = [...known].find(([, now]) => now.watching)?.[0];
        const client =
          name === START ? await clients.choose() : (watched ?? (await clients.choose()));
        if (client !== undefined) {
          await work(client);
        }
      } catch (error) {
        void showError(`Understudy: ${errorText(error)}`);
      }
    });
  context.subscriptions.push(
    item,
    clients.onNotification("understudy/watched", ({ client, params }) => {
      known.set(client, params as Watched);
      draw();
    }),
    clients.onDidChangeState((client) => {
      if (client.state !== "running") {
        known.set(client, OFF);
      }
      draw();
    }),
    command(START, async (client) => {
      await client.request("understudy/watch", { action: "restart" });
      vscode.window.setStatusBarMessage("Understudy: watching edits from now on", 5000);
    }),
    command("understudy.watch.stop", async (client) => {
      await client.request("understudy/watch", { action: "stop" });
    }),
    command("understudy.watch.show", (client) => showReport(services, client)),
  );
};

const START = "understudy.watch.start";

async function showReport({ clients }: Services, client: FolderClient): Promise<void> {
  const watched = clients.running().includes(client)
    ? await client.request<Watched>("understudy/watch", { action: "look" })
    : OFF;
  const report = watched.watching ? watched.report : null;
  const actions = watched.watching
    ? [
        { label: "$(debug-restart) Watch from now on instead", command: START },
        { label: "$(circle-slash) Stop watching", command: "understudy.watch.stop" },
      ]
    : [{ label: "$(eye) Watch edits from now on", command: START }];
  const rows = (report ? reportRows(report) : []).map((row) => ({
    label: row.label,
    description: plain(`${row.path}:${row.line + 1}`),
    detail: row.detail,
    row,
  }));
  const items: (vscode.QuickPickItem & { command?: string; row?: (typeof rows)[number]["row"] })[] =
    [...rows, { label: "", kind: vscode.QuickPickItemKind.Separator }, ...actions];
  const picked = await vscode.window.showQuickPick(items, {
    title: titleOf(watched, report ?? undefined),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (picked?.command !== undefined) {
    await vscode.commands.executeCommand(picked.command);
  } else if (picked?.row !== undefined) {
    const { path, line } = picked.row;
    const selection = new vscode.Range(line, 0, line, 0);
    const uri = vscode.Uri.joinPath(client.folder.uri, path);
    await vscode.window.showTextDocument(uri, { selection });
  }
}

function titleOf(watched: Watched, report: Check | undefined): string {
  if (!watched.watching) {
    return "No edits are watched";
  }
  const since = sinceOf(watched);
  if (watched.error !== null) {
    return `Edits since ${since} were not judged: ${watched.error.text}`;
  }
  if (report === undefined) {
    return `Edits since ${since} are not judged yet`;
  }
  return watched.checking
    ? `Edits since ${since} are being checked; an earlier text: ${report.verdict}`
    : reportTitle(report, since);
}

function sinceOf(watched: Watched): string {
  return watched.watching
    ? new Date(watched.since * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : "";
}
