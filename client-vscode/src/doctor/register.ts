/** "Show What Works Here and Why Not": the server's own look at everything, as a page or as text. */
import * as os from "node:os";
import * as vscode from "vscode";
import type { FolderClient } from "../client";
import { errorText } from "../log";
import type { Feature } from "../services";
import { showError } from "../shown/notices";
import { COMMANDS, pageOf } from "./page";
import { sorted, unasked, type HealthFinding, type Sorted } from "./sorted";

const SCHEME = "understudy-doctor";
const VIEW = "understudy.doctor";

interface Looked {
  readonly title: string;
  readonly text: string;
  readonly shown: Sorted;
}

export const registerDoctor: Feature = (context, { log, clients }) => {
  const texts = new Map<string, string>();
  const changed = new vscode.EventEmitter<vscode.Uri>();
  let panel: vscode.WebviewPanel | undefined;
  let last: Looked | undefined;
  const look = async () => {
    const client = await clients.choose();
    if (client === undefined) {
      return;
    }
    last = await withProgress(() => lookAt(context, client));
    log.info(`doctor\n${last.text}`);
    panel ??= created(() => (panel = undefined));
    panel.title = last.title;
    panel.webview.html = pageOf(last.title, last.shown);
    panel.reveal();
  };
  const asText = async () => {
    if (last !== undefined) {
      const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${last.title}` });
      texts.set(uri.path, last.text);
      changed.fire(uri);
      await vscode.window.showTextDocument(uri, { preview: true });
    }
  };
  const command = (name: string, work: (text: string) => Promise<void>) =>
    vscode.commands.registerCommand(name, async (given: unknown) => {
      try {
        await work(String(given));
      } catch (error) {
        void showError(`Understudy: ${errorText(error)}`);
      }
    });
  context.subscriptions.push(
    changed,
    { dispose: () => panel?.dispose() },
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      onDidChange: changed.event,
      provideTextDocumentContent: (uri) => texts.get(uri.path) ?? "",
    }),
    command("understudy.doctor", look),
    command("understudy.doctor.asText", asText),
    command("understudy.doctor.copy", async (text) => {
      await vscode.env.clipboard.writeText(text);
      vscode.window.setStatusBarMessage("Understudy: copied", 5000);
    }),
  );
};

function created(closed: () => void): vscode.WebviewPanel {
  const panel = vscode.window.createWebviewPanel(VIEW, "Understudy", vscode.ViewColumn.Active, {
    enableScripts: false,
    enableCommandUris: COMMANDS,
    localResourceRoots: [],
  });
  panel.onDidDispose(closed);
  return panel;
}

/** Also when there is no server that could be asked: then it says why. */
async function lookAt(context: vscode.ExtensionContext, client: FolderClient): Promise<Looked> {
  const { version } = context.extension.packageJSON as { version: string };
  const title = `Understudy in ${client.folder.name}`;
  const head = [
    `Understudy ${version} in ${vscode.env.appName} ${vscode.version}`,
    `${os.type()} ${os.release()} ${os.arch()}`,
    `folder ${client.folder.uri.fsPath}, ${vscode.workspace.isTrusted ? "trusted" : "not trusted"}`,
  ];
  try {
    const { text, findings } = await client.request<{
      text: string;
      findings: readonly HealthFinding[];
    }>("understudy/doctor", {});
    return { title, text: [...head, "", text].join("\n"), shown: sorted(findings) };
  } catch (error) {
    const reason = errorText(error);
    const text = [...head, "", `The server cannot be asked: ${reason}`, ""].join("\n");
    return { title, text, shown: unasked(reason) };
  }
}

function withProgress<T>(work: () => Promise<T>): Thenable<T> {
  const title = "Understudy: looking at what works here";
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title },
    work,
  );
}
