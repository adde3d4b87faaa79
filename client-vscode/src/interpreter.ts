/** Which Python runs the server of a folder: the setting's, the Python extension's, or PATH's. */
import * as vscode from "vscode";
import { expandPath } from "./paths";
import { type Candidate, findPython, type Interpreter, systemCandidates } from "./python";
import { selectedPython } from "./selected_python";
import { setting } from "./settings";

/** The setting that names it. */
export const INTERPRETER = "interpreter";

/** The interpreter for a folder; raises NoPython, which names all that was tried. */
export async function interpreterFor(
  folder: vscode.WorkspaceFolder,
  log: vscode.LogOutputChannel,
): Promise<Interpreter> {
  const found = await findPython(await candidates(folder, log), ({ candidate, reason }) =>
    log.warn(`${candidate.command.join(" ")} (${candidate.origin}): ${reason}`),
  );
  log.info(`${folder.name}: runs on Python ${found.version}, ${found.path} (${found.origin})`);
  return found;
}

/** In the order of preference; an untrusted workspace names none (its settings are restricted). */
async function candidates(
  folder: vscode.WorkspaceFolder,
  log: vscode.LogOutputChannel,
): Promise<readonly Candidate[]> {
  const named = setting<string>(INTERPRETER, folder);
  const selected = vscode.workspace.isTrusted ? await selectedPython(folder, log) : undefined;
  return [
    ...(named === undefined
      ? []
      : [
          {
            command: [expandPath(named, folder.uri.fsPath)],
            origin: `setting understudy.${INTERPRETER}`,
          },
        ]),
    ...(selected === undefined ? [] : [{ command: [selected], origin: "the Python extension" }]),
    ...systemCandidates(process.platform),
  ];
}
