/**
 * A branch's findings as squiggles in its own documents.
 *
 * They are decorations: a collection of diagnostics would fill Problems. With the entry `problems`
 * of `understudy.advanced` they are there, too, filed under the branch.
 */
import * as vscode from "vscode";
import type { Finding } from "../branches/answers";
import { check } from "../branches/check";
import type { BranchStore } from "../branches/store";
import { SCHEME } from "../branches/uris";
import { isOpen } from "../branches/wording";
import { errorText } from "../log";
import { editorSetting } from "../settings";
import { visible } from "../shown/text";
import { branchEditors, type Subject, type Subjects } from "./documents";
import { originWords, shownOf, withOld, type Shown } from "./findings";

/** The answer of `understudy/branch/findings`. */
interface OfDocument {
  readonly findings: readonly Finding[];
}

const COLOURS: Readonly<Record<Finding["severity"], string>> = {
  error: "editorError",
  warning: "editorWarning",
  information: "editorInfo",
  hint: "editorHint",
};
const DIAGNOSTICS: Readonly<Record<Finding["severity"], vscode.DiagnosticSeverity>> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};

type Style = `${Finding["severity"]} ${"new" | "old"}`;

export class Squiggles implements vscode.Disposable {
  private readonly styles = new Map<Style, vscode.TextEditorDecorationType>();
  private readonly problems = vscode.languages.createDiagnosticCollection("understudy");
  private readonly shown = new Map<string, readonly Shown[]>();
  private readonly looked = new Set<string>();
  private readonly subscriptions: vscode.Disposable[];
  private isWithOld = false;

  constructor(
    private readonly store: BranchStore,
    private readonly subjects: Subjects,
    private readonly log: vscode.LogOutputChannel,
  ) {
    for (const [severity, colour] of Object.entries(COLOURS)) {
      const name = severity as Finding["severity"];
      this.styles.set(`${name} new`, style(colour, name === "hint" ? "dotted" : "wavy", true));
      this.styles.set(`${name} old`, style(colour, "dotted", false));
    }
    this.subscriptions = [
      this.problems,
      ...this.styles.values(),
      vscode.window.onDidChangeVisibleTextEditors(() => void this.drawAll()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === SCHEME) {
          void this.drawAll(); // its text has come, or is another one
        }
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.forget(uri)),
      store.onDidChange(() => void this.drawAll()),
    ];
    void this.drawAll();
  }

  /** What is shown in a document now. */
  of(uri: vscode.Uri): readonly Shown[] {
    return this.shown.get(uri.toString()) ?? [];
  }

  /** Shows what was there before, too, or no more. */
  async toggleOld(): Promise<void> {
    this.isWithOld = !this.isWithOld;
    await this.drawAll();
    const what = this.isWithOld ? "all findings" : "introduced findings only";
    vscode.window.setStatusBarMessage(`Understudy: documents of branches show ${what}`, 5000);
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private async drawAll(): Promise<void> {
    await Promise.all(
      branchEditors().map((editor) =>
        this.draw(editor).catch((error: unknown) => this.log.debug(errorText(error))),
      ),
    );
  }

  private async draw(editor: vscode.TextEditor): Promise<void> {
    const { uri } = editor.document;
    const subject = await this.subjects.of(uri);
    if (subject === undefined || subject.side !== "after") {
      return;
    }
    const { branch, path } = subject;
    await this.store.learn(branch);
    this.judgeOnce(subject, uri);
    const introduced = shownOf(this.store.checkOfNow(branch), path);
    this.show(editor, subject, introduced);
    if (this.isWithOld) {
      const params = { branch: branch.summary.branch, path };
      const { findings } = await branch.client.request<OfDocument>(
        "understudy/branch/findings",
        params,
      );
      this.show(editor, subject, withOld(introduced, findings));
    }
  }

  /** Whoever opens a document of a branch that nobody has judged wants to know. */
  private judgeOnce({ branch }: Subject, uri: vscode.Uri): void {
    const key = `${uri.toString()} ${branch.summary.revision}`;
    const isUndecided = isOpen(this.store.judgementOf(branch));
    if (isUndecided && branch.summary.files > 0 && !this.looked.has(key)) {
      this.looked.add(key);
      check(this.store, branch).catch((error: unknown) => this.log.warn(errorText(error)));
    }
  }

  private show(editor: vscode.TextEditor, { branch }: Subject, shown: readonly Shown[]): void {
    const { document } = editor;
    this.shown.set(document.uri.toString(), shown);
    for (const [name, type] of this.styles) {
      const ranges = shown.filter((one) => styleOf(one) === name);
      editor.setDecorations(
        type,
        ranges.map(({ finding }) => rangeIn(document, finding)),
      );
    }
    const isInProblems = editorSetting<boolean>("problems", branch.client.folder) === true;
    const name = branch.summary.branch;
    const told = shown.map((one) => diagnosticOf(document, one, name));
    this.problems.set(document.uri, isInProblems ? told : undefined);
  }

  private forget(uri: vscode.Uri): void {
    this.problems.delete(uri);
    this.shown.delete(uri.toString());
    for (const key of [...this.looked]) {
      if (key.startsWith(`${uri.toString()} `)) {
        this.looked.delete(key);
      }
    }
  }
}

function styleOf({ finding, origin }: Shown): Style {
  return `${finding.severity} ${origin === "old" ? "old" : "new"}`;
}

/** The text of a finding; of an empty range, the word or the character there. */
export function rangeIn(document: vscode.TextDocument, { range }: Finding): vscode.Range {
  const { start, end } = range;
  const exact = document.validateRange(
    new vscode.Range(start.line, start.character, end.line, end.character),
  );
  if (!exact.isEmpty) {
    return exact;
  }
  const at = exact.start;
  const before = at.with({ character: Math.max(0, at.character - 1) });
  return (
    document.getWordRangeAtPosition(at) ??
    document.validateRange(new vscode.Range(before, at.translate(0, 1)))
  );
}

function diagnosticOf(
  document: vscode.TextDocument,
  shown: Shown,
  branch: string,
): vscode.Diagnostic {
  const { finding } = shown;
  const message = `${visible(finding.message)}\n${originWords(shown, branch)}`;
  const told = new vscode.Diagnostic(
    rangeIn(document, finding),
    message,
    DIAGNOSTICS[finding.severity],
  );
  told.source = `${finding.server} in ${branch}`;
  if (finding.code !== null) {
    told.code = finding.code;
  }
  return told;
}

/** A line below the text; what the branch introduces is in the ruler, too. */
function style(
  colour: string,
  line: "wavy" | "dotted",
  isInRuler: boolean,
): vscode.TextEditorDecorationType {
  // Some themes have no colour for hints.
  const drawn = `var(--vscode-${colour}-foreground, currentColor)`;
  return vscode.window.createTextEditorDecorationType({
    textDecoration: `underline ${line} ${drawn}; text-decoration-skip-ink: none`,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    ...(isInRuler
      ? {
          overviewRulerColor: new vscode.ThemeColor(`${colour}.foreground`),
          overviewRulerLane: vscode.OverviewRulerLane.Right,
        }
      : {}),
  });
}
