/** Tells the server what the editor brings: language servers in extensions, and its own Node.js. */
import * as path from "node:path";
import * as vscode from "vscode";
import type { Feature } from "./services";

/** The option `editor`, see `initializationOptions` in docs/reference/lsp.md. */
interface Brought {
  readonly node: string;
  readonly extensions: Record<string, string>;
  readonly bundled: string;
}

export const registerBroughtServers: Feature = (context, { clients }) => {
  clients.addOptions(() => ({ editor: brought(context.extensionPath) }));
  context.subscriptions.push(vscode.extensions.onDidChange(() => clients.optionsChanged()));
};

/** Which of the extensions the server uses, it knows by itself: only those that allow it. */
function brought(extensionPath: string): Brought {
  const onDisk = vscode.extensions.all.filter(({ extensionUri }) => extensionUri.scheme === "file");
  return {
    node: process.execPath,
    extensions: Object.fromEntries(onDisk.map((one) => [one.id.toLowerCase(), one.extensionPath])),
    bundled: path.join(extensionPath, "bundled", "servers"),
  };
}
