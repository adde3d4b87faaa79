/** The user's settings, and which of them are the server's. */
import * as vscode from "vscode";
import editorSettings from "../settings.json";

export const SECTION = "understudy";

/** A setting of a folder as the editor resolves it; undefined if it is null or empty. */
export function setting<T>(name: string, folder: vscode.WorkspaceFolder): T | undefined {
  const value = vscode.workspace.getConfiguration(SECTION, folder.uri).get<T | null>(name);
  return value === null || value === "" ? undefined : value;
}

/**
 * The server's settings that the user has set in the editor.
 *
 * Defaults are left out: the server would take them for the user's word and put them over those
 * of the folder's own files.
 */
export function serverSettings(
  context: vscode.ExtensionContext,
  folder: vscode.WorkspaceFolder,
): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration(SECTION, folder.uri);
  const set: Record<string, unknown> = {};
  for (const name of serverSettingNames(context)) {
    const at = configuration.inspect(name);
    const values = [at?.workspaceFolderValue, at?.workspaceValue, at?.globalValue];
    if (values.some((value) => value !== undefined && value !== null)) {
      set[name] = expanded(configuration.get(name), folder.uri.fsPath);
    }
  }
  return set;
}

/** The value with `${workspaceFolder}` replaced in every text; the server knows `~` by itself. */
function expanded(value: unknown, folder: string): unknown {
  if (typeof value === "string") {
    return value.replaceAll("${workspaceFolder}", folder);
  }
  if (Array.isArray(value)) {
    return value.map((item) => expanded(item, folder));
  }
  return value;
}

function serverSettingNames(context: vscode.ExtensionContext): readonly string[] {
  const { contributes } = context.extension.packageJSON as {
    contributes: { configuration: readonly { properties: Record<string, unknown> }[] };
  };
  return contributes.configuration
    .flatMap(({ properties }) => Object.keys(properties))
    .filter((name) => !(name in editorSettings))
    .map((name) => name.slice(SECTION.length + 1));
}
