/** "Show What Works Here and Why Not": the server's own look at everything, as a document. */
import * as os from "node:os";
import * as vscode from "vscode";
import type { FolderClient } from "./client";
import { errorText } from "./log";
import type { Feature } from "./services";

const SCHEME = "understudy-doctor";

export const registerDoctor: Feature = (context, { log, clients }) => {
  const texts = new Map<string, string>();
  const changed = new vscode.EventEmitter<vscode.Uri>();
  context.subscriptions.push(
    changed,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      onDidChange: changed.event,
      provideTextDocumentContent: (uri) => texts.get(uri.path) ?? "",
    }),
    vscode.commands.registerCommand("understudy.doctor", async () => {
      const client = await clients.choose();
      if (client !== undefined) {
        const uri = vscode.Uri.from({
          scheme: SCHEME,
          path: `/Understudy in ${client.folder.name}`,
        });
        texts.set(uri.path, await withProgress(() => report(context, client)));
        changed.fire(uri);
        await vscode.window.showTextDocument(uri, { preview: true });
        log.info(`doctor\n${texts.get(uri.path)}`);
      }
    }),
  );
};

/** Its text; also when there is no server that could be asked: then it says why. */
async function report(context: vscode.ExtensionContext, client: FolderClient): Promise<string> {
  const { version } = context.extension.packageJSON as { version: string };
  const head = [
    `Understudy ${version} in ${vscode.env.appName} ${vscode.version}`,
    `${os.type()} ${os.release()} ${os.arch()}`,
    `folder ${client.folder.uri.fsPath}, ${vscode.workspace.isTrusted ? "trusted" : "not trusted"}`,
  ];
  try {
    const { text } = await client.request<{ text: string }>("understudy/doctor", {});
    return [...head, "", text].join("\n");
  } catch (error) {
    return [...head, "", `The server cannot be asked: ${errorText(error)}`, ""].join("\n");
  }
}

function withProgress<T>(work: () => Promise<T>): Thenable<T> {
  const title = "Understudy: looking at what works here";
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title },
    work,
  );
}
