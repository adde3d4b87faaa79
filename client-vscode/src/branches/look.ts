/** Which branches are shown, what they are called, and how two of them differ. */
import * as vscode from "vscode";
import { differing } from "./differing";
import { CHOICES } from "../tree/filter";
import { filesWords } from "./in_folder";
import type { Branch, BranchStore } from "./store";
import { uriOf } from "./texts";
import type { BranchTree } from "../tree/view";
import { calledWords, verdictWords } from "./wording";
import { showInformation } from "../shown/notices";
import { plain } from "../shown/text";

/** As the server takes it. */
const LONGEST_TITLE = 200;

/** Asks which branches the view is to show; the view says so while it is not all of them. */
export async function filterBranches(tree: BranchTree): Promise<void> {
  const items = [
    ...CHOICES.map((filter) => ({ label: filter.name ?? "All Branches", filter })),
    { label: "By Its Name…", filter: undefined },
  ];
  const picked = await vscode.window.showQuickPick(items, { placeHolder: "Which branches?" });
  if (picked === undefined) {
    return;
  }
  let { filter } = picked;
  if (filter === undefined) {
    const prompt = "Letters of what a branch is for, or of its name";
    const words = await vscode.window.showInputBox({ prompt });
    if (words === undefined) {
      return;
    }
    filter = words === "" ? {} : { name: `“${words}”`, words };
  }
  await tree.setFilter(filter);
}

export async function rename({ client, summary }: Branch): Promise<void> {
  const title = await vscode.window.showInputBox({
    title: `Rename ${summary.branch}`,
    prompt: "What the branch is for; empty: it is called by its main file",
    value: summary.title,
    validateInput: (text) =>
      text.length > LONGEST_TITLE ? `at most ${LONGEST_TITLE} characters` : undefined,
  });
  if (title !== undefined) {
    await client.request("understudy/branch/rename", { branch: summary.branch, title });
  }
}

/** All files in which two branches of a folder differ, each with its own diff. */
export async function compare(store: BranchStore, branch: Branch): Promise<void> {
  const others = (await store.everyOne()).filter(
    ({ client, summary }) =>
      client === branch.client && summary.branch !== branch.summary.branch && summary.files > 0,
  );
  const items = others.map((other) => ({
    label: plain(calledWords(other.summary)),
    description: `${other.summary.branch} · ${filesWords(other.summary)}`,
    detail: verdictWords(store.judgementOf(other), store.checkOf(other)),
    other,
  }));
  const name = branch.summary.branch;
  const placeHolder = items.length === 0 ? "There is no other branch" : `Compare ${name} with…`;
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder,
    matchOnDescription: true,
  });
  if (picked === undefined) {
    return;
  }
  const { other } = picked;
  const [mine, its] = await Promise.all([store.filesOf(branch), store.filesOf(other)]);
  const rows = differing(mine.files, its.files).map(({ path, isHere, isThere }) => {
    const [here, there] = [uriOf(branch, path, "after"), uriOf(other, path, "after")];
    return [isThere ? there : here, isHere ? here : undefined, isThere ? there : undefined];
  });
  const title = `${name} ↔ ${other.summary.branch}`;
  if (rows.length === 0) {
    void showInformation(`${name} and ${other.summary.branch} have the same texts.`);
  } else {
    await vscode.commands.executeCommand("vscode.changes", title, rows);
  }
}
