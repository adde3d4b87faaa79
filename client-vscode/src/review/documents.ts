/** Which branch and file a document is about: a branch's own, or the user's under review. */
import * as vscode from "vscode";
import type { ChangedFile } from "../branches/answers";
import type { Branch, BranchStore } from "../branches/store";
import { SCHEME, textOf } from "../branches/uris";
import type { Side } from "./walk";

/** `side` says whose lines the document has. */
export interface Subject {
  readonly branch: Branch;
  readonly path: string;
  readonly side: Side;
}

/** Finds out what documents are about; `inPlace` knows the user's files under review. */
export class Subjects {
  constructor(
    private readonly store: BranchStore,
    private readonly inPlace: (uri: vscode.Uri) => Subject | undefined,
  ) {}

  /** What a document is about, about the branch as it is now; undefined for all that is not ours. */
  async of(uri: vscode.Uri): Promise<Subject | undefined> {
    const own = this.inPlace(uri);
    const text = uri.scheme === SCHEME ? textOf(uri.path, uri.query) : undefined;
    const folder = own?.branch.client.folder.uri.toString() ?? text?.folder;
    const name = own?.branch.summary.branch ?? text?.branch;
    if (folder === undefined || name === undefined || text?.side === "before") {
      return undefined;
    }
    const branch = (await this.store.all()).find(
      ({ client, summary }) => summary.branch === name && client.folder.uri.toString() === folder,
    );
    const path = own?.path ?? text?.path;
    return branch === undefined || path === undefined
      ? undefined
      : { branch, path, side: own === undefined ? "after" : "before" };
  }

  /** The same with what the branch does to the file; undefined where it does nothing. */
  async changeOf(uri: vscode.Uri): Promise<(Subject & { file: ChangedFile }) | undefined> {
    const subject = await this.of(uri);
    if (subject === undefined) {
      return undefined;
    }
    const { files } = await this.store.filesOf(subject.branch);
    const file = files.find(({ path, kind, origin }) =>
      subject.side === "before" && kind === "renamed"
        ? origin === subject.path
        : path === subject.path,
    );
    const isNone = uri.scheme === SCHEME && textOf(uri.path, uri.query)?.side === "none";
    const isShown = file !== undefined && (!isNone || file.kind === "deleted");
    return isShown ? { ...subject, file } : undefined;
  }
}

/** The editors in which a branch's own documents are shown. */
export function branchEditors(): readonly vscode.TextEditor[] {
  return vscode.window.visibleTextEditors.filter(({ document }) => document.uri.scheme === SCHEME);
}

/** The editor that a document is shown in, the active one before others. */
export function editorOf(uri: vscode.Uri): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  return [activeTextEditor, ...visibleTextEditors].find(
    (editor) => editor?.document.uri.toString() === uri.toString(),
  );
}
