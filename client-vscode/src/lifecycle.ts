/** The extension itself: restart, log, changed settings, what to say when the server cannot start. */
import * as vscode from "vscode";
import type { FolderClient } from "./client";
import { INTERPRETER } from "./interpreter";
import { errorText } from "./log";
import { chooseInterpreter, sayNoPython } from "./no_python";
import { NoPython } from "./python";
import type { Feature, Services } from "./services";
import { SECTION } from "./settings";
import { showError } from "./shown/notices";

export const registerLifecycle: Feature = (context, services) => {
  const { log, clients } = services;
  const commands: Record<string, () => unknown> = {
    "understudy.chooseInterpreter": () => chooseInterpreter(services),
    "understudy.restart": () => restart(services),
    "understudy.showLog": () => log.show(),
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  }
  let told = ""; // an agent that tries again and again makes one message, not many
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${SECTION}.${INTERPRETER}`)) {
        void restartStarted(services);
      } else {
        clients.running().forEach((client) => void tellConfiguration(client, services));
      }
    }),
    clients.onDidChangeState((client) => {
      if (client.state === "starting") {
        showStart(client, services);
      } else if (client.state === "running") {
        told = "";
      } else if (client.state === "failed" && errorText(client.failure) !== told) {
        told = errorText(client.failure);
        void sayFailure(client.failure, services);
      }
    }),
  );
};

/** Restarts what was started; where nothing was, starts the server of the folder at hand. */
async function restart(services: Services): Promise<void> {
  const started = services.clients.all().filter(({ state }) => state !== "idle");
  const chosen = started.length > 0 ? started : [await services.clients.choose()];
  await Promise.all(chosen.map((client) => client !== undefined && restartOne(client)));
}

async function restartStarted({ clients }: Services): Promise<void> {
  const started = clients.all().filter(({ state }) => state !== "idle");
  await Promise.all(started.map(restartOne));
}

async function restartOne(client: FolderClient): Promise<void> {
  await client.stop();
  await client.client().catch(() => undefined); // its state is `failed`, which is told above
}

/** The server asks for what it needs; editors that push settings are a thing of the past. */
async function tellConfiguration(client: FolderClient, { log }: Services): Promise<void> {
  try {
    await client.notify("workspace/didChangeConfiguration", { settings: null });
  } catch (error) {
    log.warn(`${client.folder.name}: changed settings were not told: ${errorText(error)}`);
  }
}

function showStart(client: FolderClient, { clients }: Services): void {
  const title = `Understudy: starting (${client.folder.name})`;
  void vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () => {
    return new Promise<void>((done) => {
      const listening = clients.onDidChangeState((changed) => {
        if (changed === client && client.state !== "starting") {
          listening.dispose();
          done();
        }
      });
    });
  });
}

async function sayFailure(failure: unknown, services: Services): Promise<void> {
  services.log.error(errorText(failure));
  if (failure instanceof NoPython) {
    await sayNoPython(failure, services);
    return;
  }
  const text = `Understudy cannot start: ${errorText(failure)}`;
  const choice = await showError(text, "Restart", "Show Log");
  if (choice === "Restart") {
    await restartStarted(services);
  } else if (choice === "Show Log") {
    services.log.show();
  }
}
