/** The side bar's tree: branches, their files, and what a check found in them. */
import * as vscode from "vscode";
import { errorText } from "../log";
import { branchItem, fileItem, findingItem, noteItem } from "./items";
import { filesBelow, findingsBelow, idOf, type BranchNode, type Node } from "./nodes";
import type { Branch, BranchStore } from "./store";

export const VIEW = "understudy.branches";

export class BranchTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly listening: vscode.Disposable;
  private readonly openings = new vscode.EventEmitter<BranchNode>();
  readonly onDidChangeTreeData = this.changes.event;

  /** Fires when a branch's files are shown for the first time since it was closed. */
  readonly onDidOpen = this.openings.event;

  /** The branches whose files are shown, by their nodes' ids. */
  private readonly opened = new Set<string>();

  private isVisible = false;

  /** Whether the rows that the editor keeps are of earlier; it has none before it asks for some. */
  private rows: "none" | "of now" | "of earlier" = "none";

  constructor(private readonly store: BranchStore) {
    this.listening = store.onDidChange(() => {
      if (this.isVisible) {
        void this.drawAnew();
      } else if (this.rows === "of now") {
        this.rows = "of earlier";
      }
    });
  }

  /** What nobody sees asks the servers for nothing; once it is seen, it is drawn anew. */
  setVisible(isVisible: boolean): void {
    this.isVisible = isVisible;
    if (isVisible && this.rows === "of earlier") {
      void this.drawAnew();
    }
  }

  async getChildren(node?: Node): Promise<Node[]> {
    try {
      if (node === undefined) {
        this.rows = "of now";
        return branchNodes(await this.store.judged());
      }
      if (node.kind === "branch" && !this.opened.has(idOf(node))) {
        this.opened.add(idOf(node));
        this.openings.fire(node);
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

  /** The user has closed it. */
  close(node: Node): void {
    if (node.kind === "branch") {
      this.opened.delete(idOf(node));
    }
  }

  dispose(): void {
    vscode.Disposable.from(this.listening, this.changes, this.openings).dispose();
  }

  /**
   * Drawn when the servers have answered: the store then has all that is asked for.
   *
   * While the editor waits for the rows of a new drawing, it does not know which row a click on
   * an old one is about.
   */
  private async drawAnew(): Promise<void> {
    try {
      const nodes = branchNodes(await this.store.judged());
      const known = new Map(nodes.map((node) => [idOf(node), node.branch]));
      for (const id of this.opened) {
        if (!known.has(id)) {
          this.opened.delete(id);
        }
      }
      const shown = [...known].filter(([id]) => this.opened.has(id));
      await Promise.all(shown.map(([, branch]) => this.store.filesOf(branch)));
    } catch {
      // Whatever it is, the drawing meets it, too, and shows it.
    }
    this.changes.fire();
  }

  private async filesOf(branch: Branch): Promise<Node[]> {
    const { files } = await this.store.filesOf(branch);
    const judgement = this.store.judgementOf(branch);
    const isOfNow = !["stale", "part", "checking"].includes(judgement);
    return filesBelow(branch, files, isOfNow ? this.store.checkOf(branch) : undefined);
  }
}

function branchNodes(branches: readonly Branch[]): BranchNode[] {
  return branches.map((branch) => ({ kind: "branch", branch }));
}
