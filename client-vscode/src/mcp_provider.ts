/** The same server over MCP, for agents that know no tools of the editor; off unless asked for. */
import { execFile } from "node:child_process";
import * as vscode from "vscode";
import { interpreterFor } from "./interpreter";
import { errorText } from "./log";
import { bundledLibraries, serverEnvironment } from "./environment";
import type { Feature } from "./services";
import { SECTION } from "./settings";
import { showError } from "./shown/notices";

/** As `contributes.mcpServerDefinitionProviders` and `contributes.configuration` have them. */
const PROVIDER = "understudy";
const SETTING = "mcpServer";
const PROBE_MS = 20_000;

export const registerMcpProvider: Feature = (context, { log }) => {
  const lm = vscode.lm as typeof vscode.lm | undefined;
  if (typeof lm?.registerMcpServerDefinitionProvider !== "function") {
    return;
  }
  const changed = new vscode.EventEmitter<void>();
  const libraries = bundledLibraries(context.extensionPath);
  context.subscriptions.push(
    changed,
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(`${SECTION}.${SETTING}`)) {
        changed.fire();
      }
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(() => changed.fire()),
    lm.registerMcpServerDefinitionProvider(PROVIDER, {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: () => (isOn() ? definitions(context) : []),
      resolveMcpServerDefinition: async (server) => {
        try {
          return server instanceof vscode.McpStdioServerDefinition
            ? await resolved(server, libraries, log)
            : undefined;
        } catch (error) {
          log.error(`MCP: ${errorText(error)}`);
          void showError(errorText(error));
          return undefined;
        }
      },
    }),
  );
};

function isOn(): boolean {
  return vscode.workspace.getConfiguration(SECTION).get<boolean>(SETTING) === true;
}

/** One server a folder; which Python runs it is found out when it is started. */
function definitions(context: vscode.ExtensionContext): vscode.McpStdioServerDefinition[] {
  const { version } = context.extension.packageJSON as { version: string };
  return (vscode.workspace.workspaceFolders ?? []).map((folder) => {
    const label = `Understudy in ${folder.name}`;
    const definition = new vscode.McpStdioServerDefinition(label, "python3", [], {}, version);
    definition.cwd = folder.uri;
    return definition;
  });
}

async function resolved(
  server: vscode.McpStdioServerDefinition,
  libraries: string,
  log: vscode.LogOutputChannel,
): Promise<vscode.McpStdioServerDefinition> {
  const folder =
    server.cwd === undefined ? undefined : vscode.workspace.getWorkspaceFolder(server.cwd);
  if (folder === undefined) {
    throw new Error(`${server.label}: its folder is not open any more.`);
  }
  const python = await interpreterFor(folder, log);
  const env = environment(libraries);
  if (!(await canImport(python.path, env, libraries))) {
    throw new Error(
      `Understudy's MCP server needs the MCP SDK in ${python.path}: pip install "mcp>=2.3,<3".`,
    );
  }
  server.command = python.path;
  server.args = ["-m", "understudy", "mcp", "--root", folder.uri.fsPath];
  server.env = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value ?? null]),
  );
  server.cwd = vscode.Uri.file(libraries);
  return server;
}

/** As the server's own, but with the packages that the Python has: the SDK is one of them. */
function environment(libraries: string): Record<string, string | undefined> {
  return { ...serverEnvironment(process.env, libraries), PYTHONNOUSERSITE: undefined };
}

function canImport(
  python: string,
  env: Record<string, string | undefined>,
  libraries: string,
): Promise<boolean> {
  return new Promise((resolve) => {
    const given = env as NodeJS.ProcessEnv;
    // In a folder of ours, because older Pythons look for modules there first.
    const options = { env: given, cwd: libraries, timeout: PROBE_MS, windowsHide: true };
    execFile(python, ["-c", "import mcp.server.lowlevel"], options, (error) =>
      resolve(error === null),
    );
  });
}
