/** The letters and colours of rows of the tree, as the editor's own source control view has them. */
import * as vscode from "vscode";
import type { Verdict } from "../branches/answers";

/** Of rows alone: what is shown for them never reaches the user's files, tabs or explorer. */
const SCHEME = "understudy-row";

export interface Mark {
  /** Added, modified, deleted or renamed. */
  readonly kind?: "A" | "M" | "D" | "R";
  readonly verdict?: Verdict;
}

const WORDS = { A: "new", M: "modified", D: "deleted", R: "renamed" } as const;
const KIND_COLOURS = {
  A: "gitDecoration.addedResourceForeground",
  M: "gitDecoration.modifiedResourceForeground",
  D: "gitDecoration.deletedResourceForeground",
  R: "gitDecoration.renamedResourceForeground",
} as const;

/** A row's URI: by its path the editor finds the icon of the file's type, the rest is its mark. */
export function rowUri(branch: string, path: string, mark: Mark): vscode.Uri {
  return vscode.Uri.from({
    scheme: SCHEME,
    path: `/${branch}/${path}`,
    query: JSON.stringify(mark),
  });
}

export class Marks implements vscode.FileDecorationProvider {
  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    if (uri.scheme !== SCHEME) {
      return undefined;
    }
    const { kind, verdict } = JSON.parse(uri.query) as Mark;
    const colour =
      verdict === "findings"
        ? "list.errorForeground"
        : verdict === "unknown"
          ? "list.warningForeground"
          : kind && KIND_COLOURS[kind];
    return new vscode.FileDecoration(
      kind,
      kind && WORDS[kind],
      colour === undefined ? undefined : new vscode.ThemeColor(colour),
    );
  }
}
