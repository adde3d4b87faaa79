/** The side bar's tree: branches, their files, and what a check found in them. */
import * as vscode from "vscode";
import { errorText } from "../log";
import { branchItem, fileItem, findingItem, noteItem } from "./items";
import { filesBelow, findingsBelow, type Node } from "./nodes";
import type { Branch, BranchStore } from "./store";

export const VIEW = "understudy.branches";

export class BranchTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly listening: vscode.Disposable;
  readonly onDidChangeTreeData = this.changes.event;

  constructor(private readonly store: BranchStore) {
    this.listening = store.onDidChange(() => this.changes.fire());
  }

  async getChildren(node?: Node): Promise<Node[]> {
    try {
      if (node === undefined) {
        const all = await this.store.all();
        return all.map((branch) => ({ kind: "branch", branch }));
      }
      return node.kind === "branch"
        ? await this.filesOf(node.branch)
        : node.kind === "file"
          ? findingsBelow(node)
          : [];
    } catch (error) {
      const icon = { id: "error", color: "errorForeground" };
      return [{ kind: "note", text: errorText(error), icon }];
    }
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case "branch": {
        const { branch } = node;
        return branchItem(node, this.store.judgementOf(branch), this.store.checkOf(branch));
      }
      case "file":
        return fileItem(node);
      case "finding":
        return findingItem(node);
      case "note":
        return noteItem(node);
    }
  }

  dispose(): void {
    vscode.Disposable.from(this.listening, this.changes).dispose();
  }

  private async filesOf(branch: Branch): Promise<Node[]> {
    const { files } = await this.store.filesOf(branch);
    const judgement = this.store.judgementOf(branch);
    const isOfNow = judgement !== "stale" && judgement !== "checking";
    return filesBelow(branch, files, isOfNow ? this.store.checkOf(branch) : undefined);
  }
}
