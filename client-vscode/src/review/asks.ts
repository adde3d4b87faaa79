/** What the user asks of an agent about lines of a branch: as comments, kept with the branch. */
import * as vscode from "vscode";
import type { ChangedFile, Hunk } from "../branches/answers";
import type { Branch, BranchStore } from "../branches/store";
import { SCHEME } from "../branches/uris";
import { errorText } from "../log";
import { showError } from "../shown/notices";
import { inMarkdown, plain } from "../shown/text";
import { branchEditors, type Subjects } from "./documents";

/** An open ask, as `understudy/branch/asks` answers it; lines from 0, the end exclusive. */
interface Ask {
  readonly ask: number;
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export class Asks implements vscode.Disposable {
  private readonly controller = vscode.comments.createCommentController(
    "understudy.asks",
    "Ask an Agent for a Change",
  );
  private readonly threads = new Map<string, vscode.CommentThread>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    store: BranchStore,
    private readonly subjects: Subjects,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.controller.options = {
      prompt: "Ask the agent for a change here",
      placeHolder: "It hears this with its next call; an edit of these lines settles it",
    };
    this.controller.commentingRangeProvider = {
      provideCommentingRanges: ({ uri, lineCount }) =>
        uri.scheme === SCHEME ? [new vscode.Range(0, 0, lineCount - 1, 0)] : [],
    };
    this.subscriptions = [
      this.controller,
      store.onDidChange(() => void this.drawAll()),
      vscode.window.onDidChangeVisibleTextEditors(() => void this.drawAll()),
    ];
  }

  /** Asks about a hunk in the user's words, which may be none; false: they thought better of it. */
  async about(branch: Branch, file: ChangedFile, hunk: Hunk): Promise<boolean> {
    const text = await vscode.window.showInputBox({
      title: `Send back: ${plain(file.path)}`,
      prompt: "What is to be different? The agent hears it with its next call. Enter: as it is",
    });
    if (text === undefined) {
      return false;
    }
    await this.keep(
      branch,
      file.path,
      hunk.after.start,
      Math.max(hunk.after.start + 1, hunk.after.end),
      text,
    );
    return true;
  }

  /** The editor's own box for a comment is filled in: keeps it with the branch. */
  async reply({ thread, text }: vscode.CommentReply): Promise<void> {
    const subject = await this.subjects.of(thread.uri);
    const { start, end } = thread.range ?? new vscode.Range(0, 0, 0, 0);
    thread.dispose(); // the kept one is drawn instead
    if (subject !== undefined) {
      await this.keep(subject.branch, subject.path, start.line, end.line + 1, text);
    }
  }

  /** Takes back what was asked. */
  async withdraw(thread: vscode.CommentThread): Promise<void> {
    const subject = await this.subjects.of(thread.uri);
    const ask = [...this.threads]
      .find(([, one]) => one === thread)?.[0]
      .split(" ")
      .at(-1);
    if (subject !== undefined && ask !== undefined) {
      const { client, summary } = subject.branch;
      await client.request("understudy/branch/unask", { branch: summary.branch, ask: Number(ask) });
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private async keep(
    { client, summary }: Branch,
    path: string,
    start: number,
    end: number,
    text: string,
  ): Promise<void> {
    const params = { branch: summary.branch, path, start, end, text };
    await client.request("understudy/branch/ask", params);
    const said = `Understudy: the agent is asked for a change in ${summary.branch} with its next call`;
    vscode.window.setStatusBarMessage(said, 8000);
  }

  private async drawAll(): Promise<void> {
    try {
      const wanted = new Set<string>();
      for (const { document } of branchEditors()) {
        for (const key of await this.draw(document.uri)) {
          wanted.add(key);
        }
      }
      for (const [key, thread] of this.threads) {
        if (!wanted.has(key)) {
          thread.dispose();
          this.threads.delete(key);
        }
      }
    } catch (error) {
      this.log.debug(`asks: ${errorText(error)}`);
    }
  }

  /** Draws what is open in a document; gives the keys of those threads. */
  private async draw(uri: vscode.Uri): Promise<readonly string[]> {
    const subject = await this.subjects.of(uri);
    if (subject === undefined) {
      return [];
    }
    const { client, summary } = subject.branch;
    const params = { branch: summary.branch };
    const { asks } = await client.request<{ asks: readonly Ask[] }>(
      "understudy/branch/asks",
      params,
    );
    return asks
      .filter(({ path }) => path === subject.path)
      .map((ask) => {
        const key = `${uri.toString()} ${ask.ask}`;
        const range = new vscode.Range(ask.start, 0, Math.max(ask.start, ask.end - 1), 0);
        const known = this.threads.get(key);
        if (known !== undefined) {
          known.range = range;
          return key;
        }
        const thread = this.controller.createCommentThread(uri, range, [commentOf(ask)]);
        thread.canReply = false;
        thread.label = "Asked of the agent";
        thread.contextValue = "understudy.ask";
        thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
        this.threads.set(key, thread);
        return key;
      });
  }
}

function commentOf({ text }: Ask): vscode.Comment {
  return {
    body: new vscode.MarkdownString(inMarkdown(text)),
    mode: vscode.CommentMode.Preview,
    author: { name: "You" },
  };
}

/** A command of a comment's menu, whose failure the user sees. */
export function onComment<G>(name: string, work: (given: G) => Promise<void>): vscode.Disposable {
  return vscode.commands.registerCommand(name, async (given: G) => {
    try {
      await work(given);
    } catch (error) {
      void showError(`Understudy: ${errorText(error)}`);
    }
  });
}
