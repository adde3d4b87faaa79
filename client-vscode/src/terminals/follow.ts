/** An open log follows its terminal as long as its end is in sight. */
import * as vscode from "vscode";

/** Keeps editors of a language at their document's end, once they are there. */
export function registerFollowing(language: string): vscode.Disposable {
  const following = new WeakSet<vscode.TextEditor>();
  const look = (editor: vscode.TextEditor) => {
    const last = editor.visibleRanges.at(-1)?.end.line ?? 0;
    if (last >= editor.document.lineCount - 1) {
      following.add(editor);
    } else {
      following.delete(editor);
    }
  };
  return vscode.Disposable.from(
    vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => {
      if (textEditor.document.languageId === language) {
        look(textEditor);
      }
    }),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document.languageId !== language) {
        return;
      }
      const end = document.lineAt(document.lineCount - 1).range;
      for (const editor of vscode.window.visibleTextEditors) {
        if (editor.document === document && following.has(editor)) {
          editor.revealRange(end);
        }
      }
    }),
  );
}
