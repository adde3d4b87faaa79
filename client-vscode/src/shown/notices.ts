/** The one door to notifications: the editor makes links, of commands too, of what it reads there. */
import * as vscode from "vscode";
import { plain, visible } from "./text";

export function showError(text: string, ...buttons: string[]): Thenable<string | undefined> {
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
