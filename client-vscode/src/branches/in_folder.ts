/** Branches whose edits came into the folder another way: they leave the list, and it is said. */
import * as vscode from "vscode";
import { errorText } from "../log";
import type { Summary } from "./answers";
import type { BranchStore } from "./store";
import { calledWords, count, isToLookAt } from "./wording";

const IN_FOLDER = "already in your folder";

/** How many files it has, and whether they are in the folder. */
export function filesWords({ files, in_folder: inFolder }: Summary): string {
  return `${count(files, "file")}${inFolder === true ? ` · ${IN_FOLDER}` : ""}`;
}

/** Tells of those that were known to be missing, not of those that are found like that. */
export function tellOfArrivals(
  store: BranchStore,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  const missing = new Set<string>();
  return store.onDidChange(() => {
    tell(store, missing).catch((error: unknown) => log.debug(errorText(error)));
  });
}

async function tell(store: BranchStore, missing: Set<string>): Promise<void> {
  for (const branch of await store.all()) {
    const { client, summary } = branch;
    const key = `${client.folder.uri.toString()} ${summary.branch}`;
    if (summary.in_folder === false) {
      missing.add(key);
    } else if (summary.in_folder === true && missing.delete(key) && !isToLookAt(branch)) {
      const said = `Understudy: “${calledWords(summary)}” (${summary.branch}) is ${IN_FOLDER}, and leaves the list`;
      vscode.window.setStatusBarMessage(said, 8000);
    }
  }
}
