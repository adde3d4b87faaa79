/** The verbs on whole branches that need no more than a question and a word about what came out. */
import * as vscode from "vscode";
import type { Services } from "../services";
import type { Conflict, Summary } from "./answers";
import { offerConflict } from "./conflict";
import type { Branch } from "./store";
import { VIEW } from "../tree/view";
import { calledWords, count } from "./wording";
import { showInformation } from "../shown/notices";
import { plain } from "../shown/text";

export async function show({ clients }: Services): Promise<void> {
  await Promise.all(clients.all().map((client) => client.client()));
  await vscode.commands.executeCommand(`${VIEW}.focus`);
}

export async function create({ clients }: Services): Promise<void> {
  const client = await clients.choose();
  const prompt = "What is the branch for? Agents and commands can edit it by its name";
  const title = await vscode.window.showInputBox({ title: "New branch", prompt });
  if (client !== undefined && title !== undefined) {
    const { branch } = await client.request<{ branch: string }>("understudy/branch/create", {
      title,
    });
    await vscode.commands.executeCommand(`${VIEW}.focus`);
    vscode.window.setStatusBarMessage(`Understudy: ${branch} is there`, 5000);
  }
}

export async function rebase(branch: Branch): Promise<void> {
  const { branch: name } = branch.summary;
  const report = await branch.client.request<{
    merged: readonly string[];
    conflicts: readonly Conflict[];
  }>("understudy/branch/rebase", { branch: name });
  if (report.conflicts.length === 0) {
    const merged = report.merged.length === 0 ? "nothing had moved" : report.merged.join(", ");
    vscode.window.setStatusBarMessage(`Understudy: ${name} rebased: ${merged}`, 8000);
    return;
  }
  const paths = report.conflicts.map(({ path }) => path).join(", ");
  const said = `You and ${name} changed the same lines of ${paths}.`;
  await offerConflict(branch, report.conflicts, said);
}

export async function discard({ client, summary }: Branch): Promise<void> {
  await client.request("understudy/branch/discard", { branch: summary.branch });
  const said = `Discarded ${summary.branch}; your files are untouched.`;
  if ((await showInformation(said, "Bring Back")) !== undefined) {
    await client.request("understudy/branch/reopen", { branch: summary.branch });
  }
}

export async function reopen({ clients }: Services): Promise<void> {
  const client = await clients.choose();
  const listed = await client?.request<{ branches: readonly Summary[] }>("understudy/branch/list", {
    archived: true,
  });
  const items = (listed?.branches ?? [])
    .filter(({ ended }) => ended !== null)
    .reverse()
    .map(({ branch, called, ended, files }) => ({
      label: plain(calledWords({ branch, called })),
      description: `${branch} · ${ended} · ${count(files, "file")}`,
      branch,
    }));
  const placeHolder = items.length === 0 ? "The archive is empty" : "Which branch comes back?";
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder,
    matchOnDescription: true,
  });
  if (picked !== undefined) {
    await client?.request("understudy/branch/reopen", { branch: picked.branch });
  }
}
