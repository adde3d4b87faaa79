/** The terminal profile "Understudy Shell", and the offer to make it the default. */
import * as vscode from "vscode";
import type { Feature } from "../services";
import { recordedShell } from "./recorded_shell";
import { showInformation } from "../shown/notices";

const PROFILE = "understudy.shell";
const OFFERED = "terminals.offered";
const TITLE = "Understudy Shell";

export const registerShellProfile: Feature = (context, { log }) => {
  const open = async () => {
    const options = await recordedShell(context, log);
    void offerOnce(context);
    return options;
  };
  context.subscriptions.push(
    vscode.window.registerTerminalProfileProvider(PROFILE, {
      provideTerminalProfile: async () => new vscode.TerminalProfile(await open()),
    }),
    vscode.commands.registerCommand("understudy.terminal.new", async () => {
      vscode.window.createTerminal(await open()).show();
    }),
    vscode.commands.registerCommand("understudy.terminal.makeDefault", makeDefault),
  );
};

/** Offers it as the default, the first time it is used and never again. */
async function offerOnce(context: vscode.ExtensionContext): Promise<void> {
  if (context.globalState.get<boolean>(OFFERED) === true || process.platform === "win32") {
    return;
  }
  await context.globalState.update(OFFERED, true);
  const answer = await showInformation(
    "Open every new terminal as an Understudy Shell, so that agents can read why a command failed?",
    "Make It the Default",
    "Not Now",
  );
  if (answer === "Make It the Default") {
    await makeDefault();
  }
}

async function makeDefault(): Promise<void> {
  const system = { darwin: "osx", win32: "windows" }[process.platform as string] ?? "linux";
  const settings = vscode.workspace.getConfiguration("terminal.integrated.defaultProfile");
  await settings.update(system, TITLE, vscode.ConfigurationTarget.Global);
}
