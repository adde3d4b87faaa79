/** The side bar's tree: branches, their files, and what a check found in them. */
import * as vscode from "vscode";
import { errorText } from "../log";
import { byDay, leftOfDay } from "./days";
import { listKey, pictureOf, rowKey, rowKeys } from "./drawn";
import { filterWords, isShown, type Filter } from "./filter";
import { branchItem, itemOf } from "./items";
import { filesBelow, heldBelow, idOf, type BranchNode, type Node } from "./nodes";
import type { Branch, BranchStore } from "../branches/store";
import { shownAs } from "../branches/wording";

export const VIEW = "understudy.branches";

export class BranchTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<Node[] | undefined>();
  private readonly listening: vscode.Disposable;
  private readonly openings = new vscode.EventEmitter<BranchNode>();
  readonly onDidChangeTreeData = this.changes.event;

  /** Fires when a branch's files are shown for the first time since it was closed. */
  readonly onDidOpen = this.openings.event;

  /** The branches whose files are shown, by their nodes' ids. */
  private readonly opened = new Set<string>();

  /** What the editor was given last: the picture of each row, and which rows lie below each. */
  private readonly drawn = new Map<string, string>();

  /** The branches' rows by their ids: the editor knows a row by its object, so each keeps it. */
  private readonly branches = new Map<string, { kind: "branch"; branch: Branch }>();

  private isVisible = false;

  private filter: Filter = {};

  private readonly filterings = new vscode.EventEmitter<string | undefined>();

  /** Fires with what is shown of how many, or undefined for all of them, when that changes. */
  readonly onDidFilter = this.filterings.event;
  private told: string | undefined;

  /** The day that the headings are of, and what wakes at its end. */
  private day = "";
  private midnight: NodeJS.Timeout | undefined;

  /**
   * Whether the rows that the editor keeps are of earlier; it has none before it asks for some.
   * "awaited": it was told to ask anew and has not yet, so it will get what is known by then.
   */
  private rows: "none" | "of now" | "of earlier" | "awaited" = "none";

  constructor(private readonly store: BranchStore) {
    this.listening = vscode.Disposable.from(
      store.onDidChange(() => this.moved()),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused && this.day !== new Date().toDateString()) {
          this.moved(); // the machine has slept, or its clock was set
        }
      }),
    );
  }

  private moved(): void {
    if (this.isVisible) {
      void this.drawAnew();
    } else if (this.rows === "of now") {
      this.rows = "of earlier";
    }
  }

  /** What nobody sees asks the servers for nothing; once it is seen, it is drawn anew. */
  setVisible(isVisible: boolean): void {
    this.isVisible = isVisible;
    if (isVisible && this.rows === "of earlier") {
      void this.drawAnew();
    }
  }

  /** Shows these branches alone; fires when they are drawn. */
  async setFilter(filter: Filter): Promise<void> {
    this.filter = filter;
    await this.drawAnew();
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node === undefined) {
      this.rows = "of now";
    } else if (node.kind === "branch" && !this.opened.has(idOf(node))) {
      this.opened.add(idOf(node));
      this.openings.fire(node);
    }
    const below = await this.nodesBelow(node);
    this.drawn.set(listKey(node), rowKeys(below));
    return [...below];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const item = this.itemOf(node);
    this.drawn.set(rowKey(node), pictureOf(node, item));
    return item;
  }

  private async nodesBelow(node: Node | undefined): Promise<readonly Node[]> {
    try {
      if (node === undefined) {
        const nodes = this.branchNodes(await this.store.judged());
        this.wakeAtMidnight();
        return byDay(nodes);
      }
      return node.kind === "branch" ? await this.filesOf(node.branch) : (heldBelow(node) ?? []);
    } catch (error) {
      const icon = { id: "error", color: "errorForeground" };
      return [{ kind: "note", text: errorText(error), icon }];
    }
  }

  private itemOf(node: Node): vscode.TreeItem {
    if (node.kind !== "branch") {
      return itemOf(node);
    }
    const { branch } = node;
    return branchItem(node, this.store.judgementOf(branch), this.store.checkOf(branch));
  }

  private wakeAtMidnight(): void {
    const now = new Date();
    this.day = now.toDateString();
    clearTimeout(this.midnight);
    this.midnight = setTimeout(() => this.moved(), leftOfDay(now));
  }

  /** The user has closed it. */
  close(node: Node): void {
    if (node.kind === "branch") {
      this.opened.delete(idOf(node));
    }
  }

  dispose(): void {
    clearTimeout(this.midnight);
    const { listening, changes, openings, filterings } = this;
    vscode.Disposable.from(listening, changes, openings, filterings).dispose();
  }

  /**
   * Drawn when the servers have answered: the store then has all that is asked for.
   *
   * While the editor waits for the rows of a new drawing, it does not know which row a click on
   * an old one is about; and a button that is drawn anew between the pointer's down and up does
   * nothing. So what would look the same is left alone: a branch that changes is drawn for itself,
   * and the whole list only when branches come or go.
   */
  private async drawAnew(): Promise<void> {
    let nodes: readonly BranchNode[] = [];
    try {
      nodes = this.branchNodes(await this.store.judged());
      const known = new Set(nodes.map(idOf));
      for (const id of [...this.branches.keys()].filter((one) => !known.has(one))) {
        this.opened.delete(id);
        this.branches.delete(id);
      }
      const shown = nodes.filter((node) => this.opened.has(idOf(node)));
      await Promise.all(shown.map(({ branch }) => this.store.filesOf(branch)));
    } catch {
      // Whatever it is, the drawing meets it, too, and shows it.
    }
    if (this.rows !== "awaited") {
      await this.drawChanged();
    }
  }

  private async drawChanged(): Promise<void> {
    const nodes = await this.nodesBelow(undefined);
    const changed: Node[] = [];
    for (const node of nodes.flatMap((one): readonly Node[] =>
      one.kind === "day" ? one.branches : [one],
    )) {
      if (!(await this.isAsDrawn(node))) {
        changed.push(node);
      }
    }
    if (this.drawn.get(listKey(undefined)) !== rowKeys(nodes)) {
      this.rows = "awaited";
      this.drawn.clear();
      this.changes.fire(undefined);
    } else if (changed.length > 0) {
      this.changes.fire(changed);
    }
  }

  /** Whether a row, and all that are shown below it, are those that a new drawing would give. */
  private async isAsDrawn(node: Node): Promise<boolean> {
    if (this.drawn.get(rowKey(node)) !== pictureOf(node, this.itemOf(node))) {
      return false;
    }
    const held = node.kind === "branch" ? undefined : heldBelow(node);
    if (!(node.kind === "branch" ? this.opened.has(idOf(node)) : (held ?? []).length > 0)) {
      return true;
    }
    if (!this.drawn.has(listKey(node))) {
      return true; // it has never been opened
    }
    const below = await this.nodesBelow(node);
    if (this.drawn.get(listKey(node)) !== rowKeys(below)) {
      return false;
    }
    for (const one of below) {
      if (!(await this.isAsDrawn(one))) {
        return false;
      }
    }
    return true;
  }

  /** The rows of these branches: those that are known, about the branches as they are by now. */
  private branchNodes(branches: readonly Branch[]): readonly BranchNode[] {
    const shown = branches.filter((branch) =>
      isShown(
        this.filter,
        branch.summary,
        shownAs(this.store.judgementOf(branch), this.store.checkOf(branch)),
      ),
    );
    const told = filterWords(this.filter, shown.length, branches.length);
    if (told !== this.told) {
      this.told = told;
      this.filterings.fire(told);
    }
    return shown.map((branch) => {
      const id = idOf({ kind: "branch", branch });
      const node = this.branches.get(id) ?? { kind: "branch", branch };
      node.branch = branch;
      this.branches.set(id, node);
      return node;
    });
  }

  private async filesOf(branch: Branch): Promise<Node[]> {
    const { files } = await this.store.filesOf(branch);
    const ofNow = this.store.checkOfNow(branch);
    const check = ofNow ?? this.store.checkOf(branch);
    return filesBelow(branch, files, check, ofNow === undefined);
  }
}
