/** The Python environment that the user has selected in the Python extension, if that is there. */
import * as vscode from "vscode";
import { errorText } from "./log";

const EXTENSION = "ms-python.python";
const PATIENCE_MS = 5000;

/** The part of the Python extension's API that is used; its documentation calls it stable. */
interface PythonApi {
  readonly environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(
      environment: unknown,
    ): Promise<{ readonly executable?: { readonly uri?: vscode.Uri } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
  };
}

/**
 * The selected interpreter's path; undefined without the Python extension or a selection.
 *
 * An extension that fails or takes long is as good as none: Python is then looked for elsewhere.
 */
export async function selectedPython(
  folder: vscode.WorkspaceFolder,
  log: vscode.LogOutputChannel,
): Promise<string | undefined> {
  const late = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS),
  );
  try {
    return await Promise.race([askSelected(folder), late]);
  } catch (error) {
    log.warn(`the Python extension does not say which Python is selected: ${errorText(error)}`);
    return undefined;
  }
}

async function askSelected(folder: vscode.WorkspaceFolder): Promise<string | undefined> {
  const { environments } = (await pythonApi()) ?? {};
  if (environments === undefined) {
    return undefined;
  }
  const active = environments.getActiveEnvironmentPath(folder.uri);
  const resolved = await environments.resolveEnvironment(active);
  return resolved?.executable?.uri?.fsPath;
}

/** The Python extension's API; undefined where that extension is not there. */
export async function pythonApi(): Promise<PythonApi | undefined> {
  return vscode.extensions.getExtension<PythonApi>(EXTENSION)?.activate();
}
