/**
 * What the user has agreed to have written down: our own shells, and, asked apart, other terminals.
 *
 * The answer about others is a file. Whoever is about to tell reads it anew, so that it holds in
 * every window from the moment it is given; the editor's own memory tells no other window.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from "node:fs";
import * as vscode from "vscode";
import { errorText } from "../log";
import type { Feature } from "../services";
import { isAgreed, showError, showInformation } from "../shown/notices";

const SHELLS = "terminals.agreed";
const OTHERS_KEY = "understudy.isRecordingOthers";
const FILE = "other-terminals.json";
const SCHEMA = 1;

const KEPT =
  "kept for you and your agents as private text files on this machine: for a week, with secrets " +
  "taken out.";
const changes = new vscode.EventEmitter<void>();

/** A no that the disk did not take: it holds in this window, whatever the file says. */
let isRefusedHere = false;

/** Fires in every window when the user has changed their mind about other terminals. */
export const onDidChangeOthers = changes.event;

/** Whether terminals that are not ours may be told of now, without asking. */
export function mayTellOfOthers(context: vscode.ExtensionContext): boolean {
  return othersAnswer(context) === true;
}

/** Asks once whether our shells may be kept as files, and then, once, whether others may. */
export async function hasAgreed(context: vscode.ExtensionContext): Promise<boolean> {
  const { globalState } = context;
  if (globalState.get<boolean>(SHELLS) !== true) {
    const detail =
      `All that their commands print is ${KEPT} “Stop Recording This Terminal” is in the terminal's ` +
      "menu, and at its row in the view Terminals.";
    if (!(await isAgreed("Record what Understudy Shells show?", detail, "Record", false))) {
      return false;
    }
    await globalState.update(SHELLS, true);
  }
  if (othersAnswer(context) === undefined) {
    await askForOthers(context);
  }
  return true;
}

export const registerConsents: Feature = (context, { log }) => {
  const look = followed(context);
  context.subscriptions.push(
    watched(context, look, log),
    vscode.window.onDidChangeWindowState(({ focused }) => focused && look()),
    onDidChangeOthers(() => tellMenus(context)),
    vscode.commands.registerCommand("understudy.terminal.recordOthers", async () => {
      if (mayTellOfOthers(context)) {
        void showInformation("Other terminals are recorded already.");
      } else {
        await askForOthers(context);
      }
    }),
    vscode.commands.registerCommand("understudy.terminal.leaveOthers", () => {
      if (setOthers(context, false)) {
        void showInformation("Only Understudy Shells are recorded from now on.");
      }
    }),
  );
};

/** What to call whenever the answer may be another one; fires where it is. */
function followed(context: vscode.ExtensionContext): () => void {
  let known = mayTellOfOthers(context);
  tellMenus(context);
  return () => {
    if (mayTellOfOthers(context) !== known) {
      known = !known;
      changes.fire();
    }
  };
}

/** Hears of answers in other windows; without it they are heard of when this one is looked at. */
function watched(
  context: vscode.ExtensionContext,
  look: () => void,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  const unheard = (error: unknown) =>
    log.warn(`an answer in another window is not heard of at once: ${errorText(error)}`);
  try {
    const folder = context.globalStorageUri.fsPath;
    mkdirSync(folder, { recursive: true });
    const watcher = watch(folder, { persistent: false }, look).on("error", unheard);
    return { dispose: () => watcher.close() };
  } catch (error) {
    unheard(error);
    return { dispose: () => undefined };
  }
}

async function askForOthers(context: vscode.ExtensionContext): Promise<void> {
  const detail =
    "Your other terminals, tasks, debug sessions, and those that agents open: what the editor " +
    `tells of them is ${KEPT} “Stop Recording Other Terminals” is in the menu of the view Terminals.`;
  const text = "Record what other terminals show, too?";
  setOthers(context, await isAgreed(text, detail, "Record Them, Too", false));
}

/** What the user has answered; undefined before, and where the file does not say it. */
function othersAnswer(context: vscode.ExtensionContext): boolean | undefined {
  return isRefusedHere ? false : answerOnDisk(context);
}

function answerOnDisk(context: vscode.ExtensionContext): boolean | undefined {
  try {
    const kept = JSON.parse(readFileSync(fileOf(context), "utf8")) as Record<
      string,
      unknown
    > | null;
    const agreed = kept?.["schema"] === SCHEMA ? kept["agreed"] : undefined;
    return typeof agreed === "boolean" ? agreed : undefined;
  } catch {
    return undefined; // none, or damaged: nothing is told, and the user is asked again
  }
}

/** Whether the answer is kept; else says so: then a yes does not count, and a no in this window. */
function setOthers(context: vscode.ExtensionContext, agreed: boolean): boolean {
  const file = fileOf(context);
  let isKept = false;
  try {
    if (!agreed) {
      rmSync(file, { force: true });
    }
    mkdirSync(context.globalStorageUri.fsPath, { recursive: true });
    const text = `${JSON.stringify({ schema: SCHEMA, agreed })}\n`;
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    isKept = true;
    isRefusedHere = false;
  } catch (error) {
    isRefusedHere ||= !agreed;
    const others =
      answerOnDisk(context) === true && !agreed
        ? " This window records no other terminals any more; other windows, and this one once it " +
          "is reloaded, may go on."
        : "";
    const why = errorText(error).replace(/[.]?$/, ".");
    void showError(`The answer about other terminals was not kept: ${why}${others}`);
  }
  changes.fire();
  return isKept;
}

function tellMenus(context: vscode.ExtensionContext): void {
  void vscode.commands.executeCommand("setContext", OTHERS_KEY, mayTellOfOthers(context));
}

function fileOf({ globalStorageUri }: vscode.ExtensionContext): string {
  return vscode.Uri.joinPath(globalStorageUri, FILE).fsPath;
}
