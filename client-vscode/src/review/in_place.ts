/**
 * *Review in Place*: what a branch would change, drawn into the user's own file.
 *
 * Nothing of ours is in a file of the user's but what they opened here, for that file, until they
 * close it.
 */
import * as vscode from "vscode";
import type { ChangedFile, Hunk } from "../branches/answers";
import type { Branch, BranchStore } from "../branches/store";
import { visible } from "../shown/text";
import type { Subject } from "./documents";

const REVIEWING = "understudy.isReviewing";

export class InPlace implements vscode.Disposable {
  private readonly open = new Map<string, Subject>();
  private readonly gone = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("diffEditor.removedLineBackground"),
    textDecoration: "line-through", // themes of high contrast have no such background
    overviewRulerColor: new vscode.ThemeColor("diffEditorOverview.removedForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  private readonly come = vscode.window.createTextEditorDecorationType({});
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];

  /** Fires when a file is opened for review, or closed. */
  readonly onDidChange = this.changes.event;

  constructor(private readonly store: BranchStore) {
    this.subscriptions = [
      ...[this.gone, this.come, this.changes],
      store.onDidChange(() => void this.drawAll()),
      vscode.window.onDidChangeVisibleTextEditors(() => void this.drawAll()),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.close(uri)),
    ];
  }

  /** What a file of the user's is under review for. */
  of(uri: vscode.Uri): Subject | undefined {
    return this.open.get(uri.toString());
  }

  /** Shows the user's file with what the branch would change in it. */
  async review(branch: Branch, file: ChangedFile): Promise<vscode.TextEditor> {
    const path = file.origin ?? file.path;
    const uri = vscode.Uri.joinPath(branch.client.folder.uri, path);
    const editor = await vscode.window.showTextDocument(uri, { preview: false });
    this.open.set(uri.toString(), { branch, path, side: "before" });
    this.told();
    await this.drawAll();
    return editor;
  }

  /** The user's files under review. */
  files(): readonly vscode.Uri[] {
    return [...this.open.keys()].map((uri) => vscode.Uri.parse(uri));
  }

  /** Ends the review of this file if it is under review, else of all. */
  closeAll(uri: vscode.Uri | undefined): void {
    const one = uri !== undefined && this.of(uri) !== undefined ? [uri] : this.files();
    one.forEach((file) => this.close(file));
  }

  /** Ends the review of a file: nothing of ours is left in it. */
  close(uri: vscode.Uri): void {
    if (this.open.delete(uri.toString())) {
      for (const editor of vscode.window.visibleTextEditors) {
        if (editor.document.uri.toString() === uri.toString()) {
          this.clear(editor);
        }
      }
      this.told();
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private told(): void {
    void vscode.commands.executeCommand("setContext", REVIEWING, this.open.size > 0);
    this.changes.fire();
  }

  private async drawAll(): Promise<void> {
    for (const editor of vscode.window.visibleTextEditors) {
      const subject = this.of(editor.document.uri);
      if (subject !== undefined) {
        await this.draw(editor, subject);
      }
    }
  }

  private async draw(editor: vscode.TextEditor, { branch, path }: Subject): Promise<void> {
    const { summary, client } = branch;
    const here = (await this.store.all()).find(
      (one) => one.client === client && one.summary.branch === summary.branch,
    );
    const listed = here === undefined ? undefined : await this.store.filesOf(here);
    const file = listed?.files.find((one) => (one.origin ?? one.path) === path);
    if (file === undefined) {
      this.close(editor.document.uri); // the user has all of it, or the branch was put away
      return;
    }
    const gone = file.hunks.filter(({ before }) => before.end > before.start);
    editor.setDecorations(
      this.gone,
      gone.map(({ before }) => new vscode.Range(before.start, 0, before.end - 1, 0)),
    );
    editor.setDecorations(
      this.come,
      file.hunks.flatMap((hunk) => comingIn(editor.document, hunk)),
    );
  }

  private clear(editor: vscode.TextEditor): void {
    editor.setDecorations(this.gone, []);
    editor.setDecorations(this.come, []);
  }
}

/** The lines that would come: each behind one that goes, what is left over behind the last. */
function comingIn(document: vscode.TextDocument, hunk: Hunk): vscode.DecorationOptions[] {
  const added = hunk.lines.filter((line) => line.startsWith("+")).map((line) => line.slice(1));
  const { start, end } = hunk.before;
  const rows = end > start ? end - start : 1;
  const first = end > start ? start : Math.max(0, start - 1);
  const whole = new vscode.MarkdownString().appendCodeblock(
    [...hunk.lines.map(visible), ...(hunk.left_out > 0 ? [`… ${hunk.left_out} more`] : [])].join(
      "\n",
    ),
    "diff",
  );
  return Array.from({ length: rows }, (_, row) => {
    const line = document.lineAt(Math.min(first + row, document.lineCount - 1));
    const told = row < rows - 1 ? added.slice(row, row + 1) : added.slice(row);
    const text = told.map((one) => visible(one.trim())).join(" ⏎ ");
    return {
      range: new vscode.Range(line.range.end, line.range.end),
      hoverMessage: whole,
      renderOptions: text === "" ? {} : { after: { ...COMING, contentText: `  + ${text}` } },
    };
  });
}

const COMING: vscode.ThemableDecorationAttachmentRenderOptions = {
  backgroundColor: new vscode.ThemeColor("diffEditor.insertedTextBackground"),
  fontStyle: "italic",
  margin: "0 0 0 1em",
};
