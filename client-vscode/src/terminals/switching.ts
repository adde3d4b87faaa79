/** Stop writing one terminal down, and go on: at its row, in the terminal's own menu. */
import * as vscode from "vscode";
import type { FolderClient } from "../client";
import { errorText } from "../log";
import type { Services } from "../services";
import { showError } from "../shown/notices";
import type { TerminalState } from "./answers";
import { find, givenOf, isRow } from "./logs";
import { isRecorder } from "./recorded_shell";
import { listOf } from "./view";
import { isLive } from "./wording";

const OFF_KEY = "understudy.isTerminalOff";

/** Has a terminal that no recorder owns get a log, if it has none; raises why it cannot have one. */
type Introduce = (terminal: vscode.Terminal) => Promise<void>;

export function registerSwitching(
  context: vscode.ExtensionContext,
  services: Services,
  introduce: Introduce,
): void {
  const command = (name: string, recording: boolean) =>
    vscode.commands.registerCommand(name, async (given?: unknown) => {
      try {
        await switchTo(services, introduce, recording, given);
      } catch (error) {
        services.log.info(`${name}: ${errorText(error)}`);
        void showError(errorText(error));
      }
    });
  const look = () => {
    isActiveOff(services, introduce)
      .then(tellMenus)
      .catch((error: unknown) => services.log.debug(`recording: ${errorText(error)}`));
  };
  context.subscriptions.push(
    command("understudy.terminal.stopRecording", false),
    command("understudy.terminal.resumeRecording", true),
    vscode.window.onDidChangeActiveTerminal(look),
    services.clients.onDidChangeState(look),
  );
}

async function switchTo(
  services: Services,
  introduce: Introduce,
  recording: boolean,
  value: unknown,
): Promise<void> {
  const given = givenOf(value) ?? vscode.window.activeTerminal;
  if (given !== undefined && !isRow(given) && !isRecorder(given)) {
    const last = await lastLogOf(services.clients.all(), given); // starts their servers
    if (last === undefined || !isLive(last.status)) {
      await introduce(given);
    }
  }
  const found = await find(services, given, ({ terminal }) => isLive(terminal.status));
  if (found === undefined) {
    return;
  }
  const { client, terminal } = found;
  const now = await client.request<TerminalState>("understudy/terminal/switch", {
    terminal: terminal.id,
    recording,
  });
  const words = now.status === "off" ? "is not recorded from here on" : "is recorded again";
  vscode.window.setStatusBarMessage(`Understudy: terminal ${now.id} ${words}`, 8000);
  tellMenus(await isActiveOff(services, introduce));
}

/** Whether the terminal in front is one whose recording the user has stopped. */
async function isActiveOff(services: Services, introduce: Introduce): Promise<boolean> {
  const active = vscode.window.activeTerminal;
  if (active === undefined) {
    return false;
  }
  const last = await lastLogOf(services.clients.running(), active);
  if (last === undefined || isLive(last.status) || isRecorder(active)) {
    return last?.status === "off";
  }
  await introduce(active); // its log was closed with the window before, or with the server
  return (await lastLogOf(services.clients.running(), active))?.status === "off";
}

/** The newest log of a terminal's process, by these servers. */
async function lastLogOf(
  clients: readonly FolderClient[],
  terminal: vscode.Terminal,
): Promise<TerminalState | undefined> {
  const pid = await terminal.processId;
  const lists = await Promise.all(clients.map((client) => listOf(client)));
  const all = lists.flatMap(({ terminals }) => terminals);
  return all.findLast((one) => pid !== undefined && one.pid === pid);
}

function tellMenus(isOff: boolean): void {
  void vscode.commands.executeCommand("setContext", OFF_KEY, isOff);
}
