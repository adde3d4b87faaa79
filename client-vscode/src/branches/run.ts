/** "Run a Command on a Branch": the command sees the branch, your folder stays as it is. */
import * as vscode from "vscode";
import type { Receipt } from "./answers";
import { wordsOf } from "./command_line";
import type { Branch } from "./store";
import { count } from "./wording";
import { showInformation } from "../shown/notices";

let lastTyped = "";

export async function run(branch: Branch): Promise<void> {
  const typed = await vscode.window.showInputBox({
    title: `Run on ${branch.summary.branch}`,
    prompt: "A program and its arguments; it sees the branch, your folder stays untouched",
    placeHolder: "pytest -q",
    value: lastTyped,
    validateInput: (text) => refusalOf(text),
  });
  if (typed === undefined) {
    return;
  }
  lastTyped = typed;
  const receipt = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: `Understudy: ${typed} on ${branch.summary.branch}`,
      cancellable: true,
    },
    (_, token) => {
      const params = { branch: branch.summary.branch, command: wordsOf(typed) };
      return branch.client.request<Receipt>("understudy/branch/run", params, token);
    },
  );
  const chosen = await showInformation(receiptWords(typed, branch, receipt), "Open Output");
  if (chosen !== undefined) {
    const output = vscode.Uri.file(receipt.output.path);
    await vscode.window.showTextDocument(output, { preview: true });
  }
}

function receiptWords(typed: string, branch: Branch, receipt: Receipt): string {
  const { added, modified, deleted } = receipt.n_changed;
  const limit = receipt.limit === null ? "" : `, ended by its limit on ${receipt.limit}`;
  const moved = receipt.base_moved ? " Your text changed meanwhile: run it again." : "";
  return (
    `${typed} on ${branch.summary.branch}: exit ${receipt.status}${limit}, ` +
    `${count(receipt.output.lines, "line")} of output, ` +
    `${count(added + modified + deleted, "file")} changed on the stage alone.${moved}`
  );
}

function refusalOf(text: string): string | undefined {
  try {
    return wordsOf(text).length === 0 ? "Type a command." : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
