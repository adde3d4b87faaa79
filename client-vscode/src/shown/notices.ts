/** The one door to notifications: the editor makes links, of commands too, of what it reads there. */
import * as vscode from "vscode";
import { plain, visible } from "./text";

/** A failure of the server is one of what was asked, too: both tell it, and the user reads it once. */
const AT_ONCE_MS = 1000;
let last = { text: "", at: -Infinity };

export function showError(text: string, ...buttons: string[]): Thenable<string | undefined> {
  const at = performance.now();
  const isSame = [last.text, `Understudy: ${last.text}`].includes(text);
  if (buttons.length === 0 && isSame && at - last.at < AT_ONCE_MS) {
    return Promise.resolve(undefined);
  }
  last = { text, at };
  return vscode.window.showErrorMessage(plain(text), ...buttons);
}

export function showWarning(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showWarningMessage(plain(text), ...buttons);
}

export function showInformation(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showInformationMessage(plain(text), ...buttons);
}

/** A question that waits for its answer; `detail` stands below it in plain text. */
export async function isAgreed(
  text: string,
  detail: string,
  button: string,
  isRisky = true,
): Promise<boolean> {
  const { showWarningMessage, showInformationMessage } = vscode.window;
  const show = isRisky ? showWarningMessage : showInformationMessage;
  return (await show(visible(text), { modal: true, detail: visible(detail) }, button)) === button;
}
