/** Accept, Reject and Send Back above each hunk of a document under review. */
import * as vscode from "vscode";
import type { ChangedFile, Hunk } from "../branches/answers";
import { findingCounts } from "../branches/wording";
import type { BranchStore } from "../branches/store";
import type { Subject, Subjects } from "./documents";
import { shownOf } from "./findings";

/** What the commands on a hunk are given; the document says which branch and file it is. */
export interface HunkGiven {
  readonly uri: string;
  readonly hunk: string;
}

export class HunkLenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changes.event;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly subjects: Subjects,
    private readonly store: BranchStore,
  ) {
    this.subscriptions = [this.changes, store.onDidChange(() => this.changes.fire())];
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const found = await this.subjects.changeOf(document.uri);
    return found === undefined
      ? []
      : found.file.hunks.flatMap((hunk) => this.lensesOf(document, found, found.file, hunk));
  }

  refresh(): void {
    this.changes.fire();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private lensesOf(
    document: vscode.TextDocument,
    subject: Subject,
    file: ChangedFile,
    hunk: Hunk,
  ): vscode.CodeLens[] {
    const line = Math.min(hunk[subject.side].start, document.lineCount - 1);
    const at = new vscode.Range(line, 0, line, 0);
    const given: HunkGiven = { uri: document.uri.toString(), hunk: hunk.hunk };
    const lens = (title: string, command: string, tooltip: string) =>
      new vscode.CodeLens(at, { title, command, tooltip, arguments: [given] });
    const what = file.kind === "modified" ? "change" : "file";
    const { branch } = subject.branch.summary;
    const found = this.foundIn(subject, file, hunk);
    return [
      lens(
        `$(check) Accept${what === "file" ? " File" : ""}`,
        ACCEPT,
        `Take this ${what} into your text`,
      ),
      lens("$(close) Reject", REJECT, `Drop this ${what} from ${branch}`),
      lens(
        "$(reply) Send Back…",
        SEND_BACK,
        "Leave it in the branch, and ask the agent to change it",
      ),
      ...(found === "" ? [] : [lens(found, NEXT_FINDING, "Go to the next finding")]),
    ];
  }

  /** What the branch introduces in the lines of a hunk, in words. */
  private foundIn({ branch }: Subject, file: ChangedFile, { after }: Hunk): string {
    const found = shownOf(this.store.checkOfNow(branch), file.path)
      .map(({ finding }) => finding)
      .filter(({ range }) => range.start.line >= after.start && range.start.line < after.end);
    return found.length === 0 ? "" : findingCounts(found);
  }
}

export const ACCEPT = "understudy.review.accept";
export const REJECT = "understudy.review.reject";
export const SEND_BACK = "understudy.review.sendBack";
const NEXT_FINDING = "understudy.review.nextFinding";
