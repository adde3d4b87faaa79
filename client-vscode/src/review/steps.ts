/** Going through a branch change by change: take it, drop it, send it back, and on to the next. */
import * as vscode from "vscode";
import { accept, reject, type Wanted } from "../branches/accept";
import type { ChangedFile, Hunk } from "../branches/answers";
import type { Branch, BranchStore } from "../branches/store";
import { openDiff, openPlace, uriOf } from "../branches/texts";
import { SCHEME } from "../branches/uris";
import type { Undos } from "../branches/undo";
import { count } from "../branches/wording";
import { editorOf, type Subject, type Subjects } from "./documents";
import { shownOf } from "./findings";
import type { InPlace } from "./in_place";
import type { HunkGiven } from "./lenses";
import { fileFrom, hunkAt, placeFrom, stepAfter, stepFrom, type Step } from "./walk";

/** A hunk of a document under review. */
interface Meant {
  readonly subject: Subject;
  readonly step: Step;
}

export class Steps {
  constructor(
    private readonly store: BranchStore,
    private readonly subjects: Subjects,
    private readonly inPlace: InPlace,
    private readonly undos: Undos,
    private readonly askForChange: (
      branch: Branch,
      file: ChangedFile,
      hunk: Hunk,
    ) => Promise<boolean>,
  ) {}

  async accept(given?: HunkGiven): Promise<void> {
    const { subject, step } = await this.meant(given);
    if (await accept(this.store, subject.branch, wantedOf(step), told(step))) {
      await this.goOn(subject, step);
    }
  }

  async reject(given?: HunkGiven): Promise<void> {
    const { subject, step } = await this.meant(given);
    await reject(this.undos, subject.branch, wantedOf(step), told(step));
    await this.goOn(subject, step);
  }

  /** Takes the last rejection or fix in the branch back that was made in this window. */
  async undo(): Promise<void> {
    const subject = (await this.here())?.subject;
    if (subject === undefined || subject.side !== "after") {
      throw new Error("there is no branch's text here.");
    }
    const { branch } = subject;
    const undone = await this.undos.undo(branch);
    const nothing = "nothing to undo; what you accepted is undone in your own file";
    const said = undone === undefined ? nothing : `${undone.words} is undone`;
    vscode.window.setStatusBarMessage(`Understudy: ${branch.summary.branch}: ${said}`, 8000);
  }

  /** Asks the agent to change it; it stays in the branch. */
  async sendBack(given?: HunkGiven): Promise<void> {
    const { subject, step } = await this.meant(given);
    if (await this.askForChange(subject.branch, step.file, step.hunk)) {
      const { files } = await this.store.filesOf(subject.branch);
      const next = stepFrom(files, step.file.path, step.hunk.after.start, 1);
      await this.show(subject, next);
    }
  }

  /** The next change (or, `by` -1, the one before), in whatever file of the branch it is. */
  async change(by: 1 | -1): Promise<void> {
    const here = await this.here();
    if (here === undefined) {
      await this.begin();
      return;
    }
    const { subject, line } = here;
    const { files } = await this.store.filesOf(subject.branch);
    await this.show(subject, stepFrom(files, pathAfter(files, subject), line, by, subject.side));
  }

  async file(by: 1 | -1): Promise<void> {
    const here = await this.here();
    if (here === undefined) {
      await this.begin();
      return;
    }
    const { files } = await this.store.filesOf(here.subject.branch);
    const file = fileFrom(files, pathAfter(files, here.subject), by);
    const hunk = file?.hunks[0];
    await this.show(here.subject, file && hunk && { file, hunk });
  }

  /** The next finding of the branch; in a file that is not edited, the branch's document of it. */
  async finding(by: 1 | -1): Promise<void> {
    const here = await this.here();
    const branch = here?.subject.branch ?? (await this.newest());
    const check = branch && this.store.checkOfNow(branch);
    if (branch === undefined || check === undefined) {
      throw new Error("nothing is known of the branch's findings yet; check it first.");
    }
    const paths = new Set([...check.introduced, ...check.unattributed].map(({ path }) => path));
    const places = [...paths].flatMap((path) =>
      shownOf(check, path).map(({ finding }) => ({ path, line: finding.range.start.line })),
    );
    const next = placeFrom(places, here?.subject.path ?? "", here?.line ?? -1, by);
    if (next === undefined) {
      vscode.window.setStatusBarMessage("Understudy: the branch introduces no findings", 5000);
      return;
    }
    await openPlace(this.store, branch, next.path, next.line);
  }

  /** All files of a branch in one editor, each with its own diff. */
  async allChanges(branch: Branch): Promise<void> {
    const { files } = await this.store.filesOf(branch);
    const name = branch.summary.branch;
    const rows = files.map((file) => {
      const after = uriOf(branch, file.path, file.kind === "deleted" ? "none" : "after");
      const origin = vscode.Uri.joinPath(branch.client.folder.uri, file.origin ?? file.path);
      return [
        after,
        file.kind === "added" ? undefined : origin,
        file.kind === "deleted" ? undefined : after,
      ];
    });
    const title = `${name}: ${count(files.length, "file")}`;
    await vscode.commands.executeCommand("vscode.changes", title, rows);
  }

  /** Draws what the branch would change into the user's own file. */
  async inOwnFile(branch: Branch, file: ChangedFile): Promise<void> {
    if (file.kind === "added") {
      throw new Error(
        `${file.path} is new in ${branch.summary.branch}: there is no file to draw into.`,
      );
    }
    const editor = await this.inPlace.review(branch, file);
    go(editor, file.hunks[0]?.before.start ?? 0);
  }

  /** Opens the first change of the newest branch. */
  private async begin(): Promise<void> {
    const branch = await this.newest();
    const listed = branch && (await this.store.filesOf(branch));
    const [file] = listed?.files ?? [];
    if (branch === undefined || file === undefined) {
      throw new Error("there is no branch with a change to look at.");
    }
    await openDiff(branch, file, file.hunks[0]?.after.start ?? 0);
  }

  private async newest(): Promise<Branch | undefined> {
    return (await this.store.judged()).find(({ summary }) => summary.files > 0);
  }

  private async here(): Promise<{ subject: Subject; line: number } | undefined> {
    const editor = shownEditor(this.inPlace);
    const subject = editor && (await this.subjects.of(editor.document.uri));
    return subject && editor && { subject, line: editor.selection.active.line };
  }

  private async meant(given?: HunkGiven): Promise<Meant> {
    const editor = shownEditor(this.inPlace);
    const uri = given === undefined ? editor?.document.uri : vscode.Uri.parse(given.uri);
    const found = uri && (await this.subjects.changeOf(uri));
    const line = editor?.selection.active.line ?? 0;
    const hunks = found?.file.hunks ?? [];
    const hunk =
      given === undefined
        ? hunkAt(hunks, line, found?.side ?? "after")
        : hunks.find((one) => one.hunk === given.hunk);
    if (found === undefined || hunk === undefined) {
      throw new Error("there is no change of a branch here; it may have gone meanwhile.");
    }
    return { subject: found, step: { file: found.file, hunk } };
  }

  private async goOn(subject: Subject, done: Step): Promise<void> {
    this.store.forget(subject.branch.client);
    const left = (await this.store.all()).find(
      ({ client, summary }) =>
        client === subject.branch.client && summary.branch === subject.branch.summary.branch,
    );
    const files = left === undefined ? [] : (await this.store.filesOf(left)).files;
    const name = subject.branch.summary.branch;
    const n = files.reduce((sum, { hunks }) => sum + hunks.length, 0);
    const rest = n === 0 ? "nothing is left of it" : `${count(n, "change")} left`;
    vscode.window.setStatusBarMessage(`Understudy: ${name}: ${rest}`, 8000);
    if (left !== undefined && n > 0) {
      await this.show({ ...subject, branch: left }, stepAfter(files, done));
    }
  }

  private async show(subject: Subject, step: Step | undefined): Promise<void> {
    if (step === undefined) {
      return;
    }
    const { branch, side } = subject;
    if (side === "before" && step.file.kind !== "added") {
      go(await this.inPlace.review(branch, step.file), step.hunk.before.start);
      return;
    }
    const line = step.hunk.after.start;
    const editor = editorOf(uriOf(branch, step.file.path, "after"));
    if (editor === undefined) {
      await openDiff(branch, step.file, line);
    } else {
      go(editor, line);
    }
  }
}

/** The editor that a command from the keyboard is about. */
function shownEditor(inPlace: InPlace): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  return [activeTextEditor, ...visibleTextEditors].find(
    (editor) =>
      editor !== undefined &&
      (editor.document.uri.scheme === SCHEME || inPlace.of(editor.document.uri) !== undefined),
  );
}

function go(editor: vscode.TextEditor, line: number): void {
  const at = new vscode.Position(Math.min(line, editor.document.lineCount - 1), 0);
  editor.selection = new vscode.Selection(at, at);
  editor.revealRange(
    new vscode.Range(at, at),
    vscode.TextEditorRevealType.InCenterIfOutsideViewport,
  );
}

/** The path that the branch knows a file by: a user's own file may be renamed in it. */
function pathAfter(files: readonly ChangedFile[], { path, side }: Subject): string {
  const renamed = files.find(({ origin }) => side === "before" && origin === path);
  return renamed?.path ?? path;
}

function wantedOf({ file, hunk }: Step): Wanted {
  return file.kind === "modified"
    ? { hunks: { [file.path]: [hunk.hunk] } }
    : { paths: [file.path] };
}

function told({ file }: Step): string {
  return file.kind === "modified" ? `1 change in ${file.path}` : file.path;
}
