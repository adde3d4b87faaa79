/** Workspace Trust: the server is told at its start, and again when the user grants it. */
import * as vscode from "vscode";
import type { Feature } from "./services";

export const registerTrust: Feature = (context, { log, clients }) => {
  clients.addOptions(() => ({ trusted: vscode.workspace.isTrusted, user: true }));
  context.subscriptions.push(
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      log.info("workspace trusted");
      clients.optionsChanged();
    }),
  );
};
