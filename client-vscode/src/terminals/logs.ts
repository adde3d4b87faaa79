/** The logs of terminals: open one, go to what failed, copy why. */
import * as vscode from "vscode";
import type { FolderClient } from "../client";
import { errorText } from "../log";
import type { Feature, Services } from "../services";
import { type Reading, type TerminalState, whyItFailed } from "./answers";
import { registerFollowing } from "./follow";

export const LANGUAGE = "terminal-log";
const TAIL_LINES = 80;

/** A terminal's log, and the folder's server that has it. */
interface Found {
  readonly client: FolderClient;
  readonly terminal: TerminalState;
}

export const registerLogs: Feature = (context, services) => {
  const { clients, log } = services;
  const command = (name: string, act: (terminal?: vscode.Terminal) => Promise<void>) =>
    vscode.commands.registerCommand(name, async (terminal?: vscode.Terminal) => {
      try {
        await act(isTerminal(terminal) ? terminal : undefined);
      } catch (error) {
        log.info(`${name}: ${errorText(error)}`);
        void vscode.window.showErrorMessage(errorText(error));
      }
    });
  context.subscriptions.push(
    command("understudy.terminal.openLog", async (terminal) => {
      const found = await find(services, terminal);
      if (found !== undefined) {
        await open(found.terminal);
      }
    }),
    command("understudy.terminal.nextFailed", () => nextFailed(services)),
    command("understudy.terminal.copyWhyItFailed", (terminal) => copyWhy(services, terminal)),
    vscode.window.onDidChangeActiveTerminal((terminal) => {
      void terminal?.processId.then((pid) => {
        for (const client of pid === undefined ? [] : clients.running()) {
          client
            .request("understudy/terminal/focus", { pid })
            .catch((error: unknown) => log.debug(`focus: ${errorText(error)}`));
        }
      });
    }),
    registerFollowing(LANGUAGE),
  );
};

/** The log of the terminal, of the active one, or of the user's choice. */
async function find(services: Services, terminal?: vscode.Terminal): Promise<Found | undefined> {
  const all: Found[] = [];
  for (const client of services.clients.all()) {
    const answer = await client.request<{ terminals: TerminalState[] }>(
      "understudy/terminal/list",
      {},
    );
    all.push(...answer.terminals.map((one) => ({ client, terminal: one })));
  }
  const meant = terminal ?? vscode.window.activeTerminal;
  const pid = await meant?.processId;
  const own = all.findLast((found) => pid !== undefined && found.terminal.pid === pid);
  if (own !== undefined) {
    return own;
  }
  if (all.length === 0 || terminal !== undefined) {
    throw new Error("This terminal is not recorded: open an Understudy Shell instead.");
  }
  const items = all.reverse().map((found) => ({
    label: found.terminal.command ?? "(nothing has run yet)",
    description: `${found.terminal.status}, terminal ${found.terminal.id}`,
    found,
  }));
  return (await vscode.window.showQuickPick(items, { title: "Which terminal?" }))?.found;
}

async function open(terminal: TerminalState, line?: number): Promise<vscode.TextEditor> {
  const opened = await vscode.workspace.openTextDocument(terminal.path);
  const document =
    opened.languageId === LANGUAGE
      ? opened
      : await vscode.languages.setTextDocumentLanguage(opened, LANGUAGE);
  const at = new vscode.Position(line ?? document.lineCount - 1, 0);
  return vscode.window.showTextDocument(document, {
    preview: false,
    selection: new vscode.Range(at, at),
  });
}

/** Goes to the next command that failed in the log that is open, round and round. */
async function nextFailed(services: Services): Promise<void> {
  const active = vscode.window.activeTextEditor;
  if (active?.document.languageId !== LANGUAGE) {
    const found = await find(services);
    if (found?.terminal.failed === null) {
      throw new Error("No command has failed in this terminal.");
    }
    if (found !== undefined) {
      await open(found.terminal, (found.terminal.failed?.line ?? 1) - 1);
    }
    return;
  }
  const symbols = await vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>(
    "vscode.executeDocumentSymbolProvider",
    active.document.uri,
  );
  const failed = (symbols ?? []).filter(({ detail }) => /^exit [1-9]/.test(detail));
  const line = active.selection.active.line;
  const next = failed.find((symbol) => symbol.range.start.line > line) ?? failed[0];
  if (next === undefined) {
    throw new Error("No command has failed in this terminal.");
  }
  const { start } = next.range;
  active.selection = new vscode.Selection(start, start);
  active.revealRange(next.range, vscode.TextEditorRevealType.AtTop);
}

/** Puts the facts and the last lines of the last failed command into the clipboard. */
async function copyWhy(services: Services, terminal?: vscode.Terminal): Promise<void> {
  const found = await find(services, terminal);
  if (found === undefined) {
    return;
  }
  const reading = await found.client.request<Reading>("understudy/terminal/read", {
    terminal: found.terminal.id,
    command: 0,
    tail: TAIL_LINES,
  });
  if (reading.failed === null) {
    throw new Error("No command has failed in this terminal.");
  }
  await vscode.env.clipboard.writeText(whyItFailed(reading, reading.failed));
  void vscode.window.showInformationMessage(
    `Why "${reading.failed.text.slice(0, 60)}" failed is in the clipboard.`,
  );
}

function isTerminal(value: unknown): value is vscode.Terminal {
  return typeof value === "object" && value !== null && "processId" in value;
}
