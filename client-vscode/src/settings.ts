/** The user's settings, and which of them are the server's. */
import * as vscode from "vscode";
import editorSettings from "../settings.json";
import { layered, type Entries } from "./settings_layers";

export const SECTION = "understudy";
/** The table of those that few people need. */
const ADVANCED = "advanced";
const LAYERS = ["globalValue", "workspaceValue", "workspaceFolderValue"] as const;

interface Declared {
  readonly scope: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** A setting of a folder as the editor resolves it; undefined if it is null or empty. */
export function setting<T>(name: string, folder: vscode.WorkspaceFolder): T | undefined {
  const value = vscode.workspace.getConfiguration(SECTION, folder.uri).get<T | null>(name);
  return value === null || value === "" ? undefined : value;
}

/** An entry of the table of advanced settings that is the editor's alone. */
export function editorSetting<T>(name: string, folder: vscode.WorkspaceFolder): T | undefined {
  return setting<Record<string, T>>(ADVANCED, folder)?.[name];
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
  const declared = declaredSettings(context);
  const entries = entriesOf(declared);
  const set = advancedSettings(configuration, entries);
  for (const name of Object.keys(declared)) {
    if (name === ADVANCED || entries.names.includes(name)) {
      continue;
    }
    const at = configuration.inspect(name);
    if (LAYERS.some((layer) => at?.[layer] !== undefined && at[layer] !== null)) {
      set[name] = configuration.get(name);
    }
  }
  const path = folder.uri.fsPath;
  return Object.fromEntries(
    Object.entries(set).map(([name, value]) => [name, expanded(value, path)]),
  );
}

function advancedSettings(
  configuration: vscode.WorkspaceConfiguration,
  entries: Entries,
): Record<string, unknown> {
  const table = configuration.inspect<unknown>(ADVANCED);
  const old = entries.names.map((name) => [name, configuration.inspect<unknown>(name)] as const);
  const layers = LAYERS.map((layer) => ({
    isUsers: layer === "globalValue",
    table: table?.[layer],
    old: Object.fromEntries(old.map(([name, at]) => [name, at?.[layer]])),
  }));
  return layered(layers, entries);
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

/** The table's entries; the names that they had at the top are declared, too, with their scope. */
function entriesOf(declared: Readonly<Record<string, Declared>>): Entries {
  const all = Object.keys(declared[ADVANCED]?.properties ?? {});
  const editors = all.filter((name) => `${SECTION}.${ADVANCED}.${name}` in editorSettings);
  const names = all.filter((name) => !editors.includes(name));
  return { names, editors, personal: names.filter((name) => declared[name]?.scope === "machine") };
}

/** The server's settings by their names below the section. */
function declaredSettings(context: vscode.ExtensionContext): Record<string, Declared> {
  const { contributes } = context.extension.packageJSON as {
    contributes: { configuration: readonly { properties: Record<string, Declared> }[] };
  };
  const all = contributes.configuration.flatMap(({ properties }) => Object.entries(properties));
  return Object.fromEntries(
    all
      .filter(([name]) => !(name in editorSettings))
      .map(([name, entry]) => [name.slice(SECTION.length + 1), entry]),
  );
}
