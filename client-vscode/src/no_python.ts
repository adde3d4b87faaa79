/** What the user is told, and may do, when no Python will run the server. */
import * as vscode from "vscode";
import { INTERPRETER } from "./interpreter";
import { errorText } from "./log";
import { findPython, type NoPython } from "./python";
import type { Services } from "./services";
import { SECTION } from "./settings";
import { showError } from "./shown/notices";

const CHOOSE = "Choose…";
const SETTINGS = "Open Settings";
const LOG = "Show Log";

/** Names what was found, what is needed, and what can be done. */
export async function sayNoPython(failure: NoPython, services: Services): Promise<void> {
  const choice = await showError(failure.message, CHOOSE, SETTINGS, LOG);
  if (choice === CHOOSE) {
    await chooseInterpreter(services);
  } else if (choice === SETTINGS) {
    const setting = `${SECTION}.${INTERPRETER}`;
    await vscode.commands.executeCommand("workbench.action.openSettings", setting);
  } else if (choice === LOG) {
    services.log.show();
  }
}

/** Asks for a program, tries it, and keeps it in the user's settings; servers restart on it. */
export async function chooseInterpreter({ log }: Services): Promise<void> {
  const picked = await vscode.window.showOpenDialog({
    title: "The Python that runs Understudy",
    openLabel: "Use This Python",
    canSelectMany: false,
  });
  const program = picked?.[0]?.fsPath;
  if (program === undefined) {
    return;
  }
  try {
    await findPython([{ command: [program], origin: "chosen" }], () => undefined);
  } catch (error) {
    log.warn(errorText(error));
    void showError(errorText(error));
    return;
  }
  const configuration = vscode.workspace.getConfiguration(SECTION);
  await configuration.update(INTERPRETER, program, vscode.ConfigurationTarget.Global);
}
