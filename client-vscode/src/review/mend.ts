/** What the branch's servers would do about its findings: tried before it is offered. */
import * as vscode from "vscode";
import type { Finding } from "../branches/answers";
import type { FindingNode } from "../tree/nodes";
import { uriOf } from "../branches/texts";
import type { Undos } from "../branches/undo";
import { SCHEME } from "../branches/uris";
import { errorText } from "../log";
import { plain, visible } from "../shown/text";
import type { Subject, Subjects } from "./documents";
import { chatText, type Shown } from "./findings";
import type { Chains, PlaceGiven } from "./hover";
import { rangeIn, type Squiggles } from "./squiggles";

/** One offer of a server; `why` says what speaks against it, null: it is verified. */
export interface Fix {
  readonly title: string;
  readonly server: string;
  readonly why: string | null;
  readonly edits: readonly unknown[];
}

interface Edited {
  readonly changed: readonly string[];
}

interface Fixes {
  readonly stamp: string;
  readonly fixes: readonly Fix[];
}

const KINDS = { fix: "quickfix", imports: "source.organizeImports", format: "format" } as const;
const APPLY = "understudy.review.apply";

export class Mending implements vscode.CodeActionProvider {
  static readonly kinds = [vscode.CodeActionKind.QuickFix, vscode.CodeActionKind.Source];

  constructor(
    private readonly subjects: Subjects,
    private readonly squiggles: Squiggles,
    private readonly chains: Chains,
    private readonly undos: Undos,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  async provideCodeActions(
    document: vscode.TextDocument,
    range: vscode.Range,
    { triggerKind }: vscode.CodeActionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.CodeAction[]> {
    const here = this.at(document, range);
    if (triggerKind === vscode.CodeActionTriggerKind.Automatic) {
      return here.length === 0 ? [] : [lamp()]; // to try fixes costs the servers' time
    }
    const subject = await this.subjects.of(document.uri);
    if (subject === undefined || subject.side !== "after") {
      return [];
    }
    const [first] = here;
    const asked = [
      [KINDS.fix, vscode.CodeActionKind.QuickFix],
      [KINDS.imports, vscode.CodeActionKind.SourceOrganizeImports],
      [KINDS.format, vscode.CodeActionKind.Source],
    ] as const;
    const actions: vscode.CodeAction[] = [];
    for (const [kind, shownAs] of asked) {
      // One after the other: each takes the same servers' time, and would wait for the others in it.
      if (kind !== KINDS.fix || first !== undefined) {
        const finding = kind === KINDS.fix ? first?.finding : undefined;
        const { stamp, fixes } = await this.ask(subject, kind, finding, token);
        actions.push(...fixes.map((fix) => actionOf(subject, stamp, fix, shownAs)));
      }
    }
    return actions;
  }

  /** The fixes of the finding that a hover is about, to choose from. */
  async choose(given: PlaceGiven | FindingNode | undefined): Promise<void> {
    const { subject, shown } = await this.meant(given);
    const { stamp, fixes } = await this.ask(subject, KINDS.fix, shown.finding);
    const items = fixes.map((fix) => ({
      label: plain(fix.title),
      description: fix.why === null ? `verified (${fix.server})` : `not verified (${fix.server})`,
      detail: plain(fix.why ?? ""),
      fix,
    }));
    const placeHolder = items.length === 0 ? "No server has a fix for it" : "Which fix?";
    const picked = await vscode.window.showQuickPick(items, { placeHolder });
    if (picked !== undefined) {
      await this.apply(subject, stamp, picked.fix);
    }
  }

  async sendToChat(given: PlaceGiven | FindingNode | undefined): Promise<void> {
    const { subject, shown, document } = await this.meant(given);
    const chain = await this.chains.to(subject).catch(() => "");
    const lines = document.getText().split(/\r\n|\r|\n/);
    const query = visible(chatText(shown, subject.branch.summary.branch, chain, lines));
    await vscode.commands.executeCommand("workbench.action.chat.open", {
      query,
      isPartialQuery: true, // it is the user's to send
    });
  }

  /** What a code action of ours does: the server's edits become the branch's, if it is still so. */
  async apply({ branch, path }: Subject, stamp: string, { title, edits }: Fix): Promise<void> {
    const { client, summary } = branch;
    const params = {
      branch: summary.branch,
      edits: edits.map((edit) => ({ kind: "workspaceEdit", edit })),
      ifStamp: stamp,
    };
    await this.undos.remember(
      branch,
      [path],
      `“${plain(title)}”`,
      () => client.request<Edited>("understudy/branch/edit", params),
      // Of what it does elsewhere nobody has kept the texts.
      (done) => done.changed.every((one) => one === path),
    );
    const said = `Understudy: ${summary.branch} has it now: ${plain(title)}`;
    vscode.window.setStatusBarMessage(said, 5000);
  }

  private at(document: vscode.TextDocument, range: vscode.Range): readonly Shown[] {
    return this.squiggles
      .of(document.uri)
      .filter(({ finding }) => rangeIn(document, finding).intersection(range) !== undefined);
  }

  private async meant(
    given: PlaceGiven | FindingNode | undefined,
  ): Promise<{ subject: Subject; shown: Shown; document: vscode.TextDocument }> {
    if (given !== undefined && "kind" in given) {
      return ofRow(given);
    }
    for (const { document, selection } of shownEditors()) {
      const isMeant = given === undefined || given.uri === document.uri.toString();
      const subject = isMeant ? await this.subjects.of(document.uri) : undefined;
      const position =
        given === undefined ? selection.active : new vscode.Position(given.line, given.character);
      const [shown] = this.at(document, new vscode.Range(position, position));
      if (subject !== undefined && shown !== undefined) {
        return { subject, shown, document };
      }
    }
    throw new Error("there is no finding of a branch here.");
  }

  private async ask(
    { branch, path }: Subject,
    kind: string,
    finding?: Finding,
    token?: vscode.CancellationToken,
  ): Promise<Fixes> {
    const line = finding?.range.start.line ?? null;
    const params = { branch: branch.summary.branch, path, kind, line };
    try {
      return await branch.client.request<Fixes>("understudy/branch/fixes", params, token);
    } catch (error) {
      this.log.debug(`${kind} of ${path}: ${errorText(error)}`);
      return NONE;
    }
  }
}

/** A row of the tree stands for a finding whose document need not be open. */
async function ofRow({ branch, finding, isUnattributed }: FindingNode) {
  const { path } = finding;
  const origin: Shown["origin"] = isUnattributed ? "unattributed" : "introduced";
  const document = await vscode.workspace.openTextDocument(uriOf(branch, path, "after"));
  return {
    subject: { branch, path, side: "after" as const },
    shown: { finding, origin },
    document,
  };
}

const NONE: Fixes = { stamp: "", fixes: [] };

function actionOf(
  subject: Subject,
  stamp: string,
  fix: Fix,
  kind: vscode.CodeActionKind,
): vscode.CodeAction {
  const told = fix.why === null ? "verified" : `not verified: ${fix.why}`;
  const action = new vscode.CodeAction(visible(`${fix.title} (${told})`), kind);
  action.command = { title: fix.title, command: APPLY, arguments: [subject, stamp, fix] };
  action.isPreferred = fix.why === null && kind === vscode.CodeActionKind.QuickFix;
  return action;
}

/** Says that there is something to ask for; it asks for it by the user's word. */
function lamp(): vscode.CodeAction {
  const title = "Look for Fixes, and Try Them…";
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.command = { title, command: "understudy.review.fix" };
  return action;
}

function shownEditors(): readonly vscode.TextEditor[] {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  const all = activeTextEditor === undefined ? [] : [activeTextEditor];
  return [...all, ...visibleTextEditors].filter(({ document }) => document.uri.scheme === SCHEME);
}
