/** Tells the servers which Python is selected in the Python extension, if that is there. */
import * as vscode from "vscode";
import { pythonApi, selectedPython } from "./selected_python";
import type { Feature, Services } from "./services";

/** Tells it at the start, and again when another one is selected. */
export const registerPython: Feature = (context, { log, clients }) => {
  let follows = false;
  clients.addOptions(async (folder) => {
    if (!vscode.workspace.isTrusted) {
      return {};
    }
    const python = await selectedPython(folder, log);
    if (python !== undefined && !follows) {
      follows = true;
      await follow(context, clients);
    }
    return python === undefined ? {} : { python };
  });
};

async function follow(
  context: vscode.ExtensionContext,
  clients: Services["clients"],
): Promise<void> {
  const { environments } = (await pythonApi()) ?? {};
  const changed = environments?.onDidChangeActiveEnvironmentPath?.(() => clients.optionsChanged());
  if (changed !== undefined) {
    context.subscriptions.push(changed);
  }
}
