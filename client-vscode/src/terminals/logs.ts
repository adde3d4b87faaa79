/** The logs of terminals: open one, go to what failed, copy why. */
import * as vscode from "vscode";
import { errorText } from "../log";
import type { Feature, Services } from "../services";
import { type Reading, whyItFailed } from "./answers";
import { registerFollowing } from "./follow";
import { isRecorder } from "./recorded_shell";
import { type Found, listOf } from "./view";
import { showError, showInformation } from "../shown/notices";
import { plain } from "../shown/text";

export const LANGUAGE = "terminal-log";
const TAIL_LINES = 80;

/** What a command is called with: a terminal of the editor, or a row of the side bar. */
type Given = vscode.Terminal | Found;

export const registerLogs: Feature = (context, services) => {
  const { clients, log } = services;
  const command = (name: string, act: (given?: Given) => Promise<void>) =>
    vscode.commands.registerCommand(name, async (given?: unknown) => {
      try {
        await act(givenOf(given));
      } catch (error) {
        log.info(`${name}: ${errorText(error)}`);
        void showError(errorText(error));
      }
    });
  context.subscriptions.push(
    command("understudy.terminal.openLog", async (given) => {
      const found = await find(services, given);
      if (found !== undefined) {
        await open(found.terminal.path);
      }
    }),
    command("understudy.terminal.nextFailed", () => nextFailed(services)),
    command("understudy.terminal.copyWhyItFailed", (given) => copyWhy(services, given)),
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

/** The log that is given, that of the terminal, of the active one, or of the user's choice among those meant. */
export async function find(
  services: Services,
  given?: Given,
  isMeant: (found: Found) => boolean = () => true,
): Promise<Found | undefined> {
  if (isRow(given)) {
    return given;
  }
  const all: Found[] = [];
  for (const client of services.clients.all()) {
    const { terminals } = await listOf(client);
    all.push(...terminals.map((terminal) => ({ client, terminal })).filter(isMeant));
  }
  const meant = given ?? vscode.window.activeTerminal;
  const pid = await meant?.processId;
  const own = all.findLast((found) => pid !== undefined && found.terminal.pid === pid);
  if (own !== undefined) {
    return own;
  }
  if (all.length === 0 || given !== undefined) {
    const isNew = meant !== undefined && isRecorder(meant);
    const why = isNew ? " yet: try again in a moment." : ": open an Understudy Shell instead.";
    throw new Error(`This terminal is not recorded${why}`);
  }
  const items = all.reverse().map((found) => ({
    label: plain(found.terminal.command ?? "(nothing has run yet)"),
    description: `${found.terminal.status}, terminal ${found.terminal.id}`,
    found,
  }));
  return (await vscode.window.showQuickPick(items, { title: "Which terminal?" }))?.found;
}

async function open(path: string, line?: number): Promise<vscode.TextEditor> {
  const opened = await vscode.workspace.openTextDocument(path);
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
    if (found === undefined) {
      return;
    }
    const { failed } = found.terminal;
    if (failed === null) {
      throw new Error("No command has failed in this terminal.");
    }
    await open(failed.path, failed.line - 1);
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
async function copyWhy(services: Services, given?: Given): Promise<void> {
  const found = await find(services, given);
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
  void showInformation(`Why "${reading.failed.text.slice(0, 60)}" failed is in the clipboard.`);
}

/** What a menu gives; undefined from the palette. */
export function givenOf(value: unknown): Given | undefined {
  return isRow(value) || isTerminal(value) ? value : undefined;
}

function isTerminal(value: unknown): value is vscode.Terminal {
  return typeof value === "object" && value !== null && "processId" in value;
}

/** Whether it is a row of the side bar. */
export function isRow(value: unknown): value is Found {
  const { terminal, client } = (value ?? {}) as Partial<Found>;
  return typeof terminal?.path === "string" && typeof client === "object";
}
