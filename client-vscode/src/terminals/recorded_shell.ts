/** How a terminal is opened whose recorder keeps all that it shows: the user's shell within ours. */
import { existsSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import { terminalArguments } from "../environment";
import { interpreterFor } from "../interpreter";
import { errorText } from "../log";
import { showWarning } from "../shown/notices";
import { hasAgreed } from "./consent";

const NAME = "Understudy Shell";
const RECORD = "record";

/** The terminal's options; those of a plain shell where recording is not possible or not wanted. */
export async function recordedShell(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): Promise<vscode.TerminalOptions> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  const plain = plainShell();
  if (process.platform === "win32" || folder === undefined) {
    const why = folder === undefined ? "a folder has to be open" : "not on Windows";
    void showWarning(`This terminal is not recorded: ${why}.`);
    return plain;
  }
  if (!(await hasAgreed(context))) {
    return plain;
  }
  try {
    const python = await interpreterFor(folder, log);
    return {
      name: NAME,
      iconPath: new vscode.ThemeIcon("record"),
      cwd: folder.uri,
      shellPath: python.path,
      shellArgs: recorderArguments(context.extensionPath, folder.uri.fsPath, process.platform),
    };
  } catch (error) {
    log.warn(`a terminal is not recorded: ${errorText(error)}`);
    void showWarning(`This terminal is not recorded: ${errorText(error)}`);
    return plain;
  }
}

/** Whether a terminal is one of `recordedShell`: its recorder keeps all of it. */
export function isRecorder({ creationOptions }: vscode.Terminal): boolean {
  const given = "shellArgs" in creationOptions ? creationOptions.shellArgs : undefined;
  return Array.isArray(given) && given.includes(RECORD) && given.includes("-I");
}

/** What follows the interpreter. */
function recorderArguments(extensionPath: string, root: string, platform: string): string[] {
  const scripts = path.join(vscode.env.appRoot, "out/vs/workbench/contrib/terminal/common/scripts");
  return terminalArguments(extensionPath, [
    ...["terminals", RECORD, "--yes", "--root", root],
    ...(existsSync(scripts) ? ["--editor-scripts", scripts] : []),
    ...(platform === "darwin" ? ["--login"] : []), // as the editor starts shells there
  ]);
}

function plainShell(): vscode.TerminalOptions {
  // The editor's default may be this very profile.
  const shell = process.env["SHELL"];
  return shell === undefined ? {} : { shellPath: shell };
}
