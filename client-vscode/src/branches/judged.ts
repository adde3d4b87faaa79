/** "Show How This Was Judged", and the servers' own fixes for a branch. */
import * as vscode from "vscode";
import { check } from "./check";
import type { Branch, BranchStore } from "./store";
import { count, isOpen, verdictWords } from "./wording";

const SCHEME = "understudy-judged";

/** How the last check of a branch was judged, as read-only documents; made when they are shown. */
export class JudgedTexts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changes.event;
  private readonly registered: vscode.Disposable;

  constructor() {
    this.registered = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? "";
  }

  /** Shows it; a branch that is not judged as it is now is checked before. */
  async show(store: BranchStore, branch: Branch): Promise<void> {
    const { client, summary } = branch;
    await store.learn(branch);
    if (isOpen(store.judgementOf(branch))) {
      await check(store, branch);
    }
    const params = { branch: summary.branch };
    const traces = () =>
      client.request<{ traces: readonly { text: string }[] }>("understudy/traces", params);
    const { traces: told } = await traces().catch(async () => {
      await check(store, branch); // the verdict is known, and how it came about no more
      return traces();
    });
    const path = `/How ${summary.branch} in ${client.folder.name} was judged`;
    const uri = vscode.Uri.from({ scheme: SCHEME, path });
    this.texts.set(path, told[0]?.text ?? "");
    this.changes.fire(uri);
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  dispose(): void {
    this.registered.dispose();
    this.changes.dispose();
  }
}

/** Takes the servers' own fixes into the branch, where they help, and says what came out. */
export async function mend(store: BranchStore, branch: Branch): Promise<void> {
  const checked = await check(store, branch, { fix: true });
  const kept = checked.mended?.fixes.filter((fix) => fix.kept).length ?? 0;
  const words = verdictWords(checked.verdict, checked);
  const said = `${count(kept, "fix", "es")} kept; ${branch.summary.branch}: ${words}`;
  vscode.window.setStatusBarMessage(`Understudy: ${said}`, 8000);
}
