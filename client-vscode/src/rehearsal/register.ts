/** Agents that live in branches: started, told what they break, stopped, and named at their end. */
import * as vscode from "vscode";
import type { Branch, BranchStore } from "../branches/store";
import { errorText } from "../log";
import type { Services } from "../services";
import { isAgreed, showError, showInformation } from "../shown/notices";
import { rehearse } from "./start";
import { endedWords, nameOf, sentWords, shownAt, type Sent } from "./wording";

/** Whether the user has agreed to pages that programs in branches make. */
const AGREED = "understudy.browserAgreed";

export function registerRehearsals(
  context: vscode.ExtensionContext,
  services: Services,
  store: BranchStore,
): void {
  const ends = new Ends(store, services.log);
  context.subscriptions.push(
    ends,
    vscode.commands.registerCommand("understudy.rehearse", async () => {
      try {
        ends.follow(await rehearse(context, services));
      } catch (error) {
        void showError(`Understudy: ${errorText(error)}`);
      }
    }),
  );
}

/** Has the agent of a branch hear what its edits introduce. */
export async function sendFindings({ client, summary }: Branch): Promise<void> {
  const params = { branch: summary.branch };
  const sent = await vscode.window.withProgress(
    { location: { viewId: "understudy.branches" } },
    () => client.request<Sent>("understudy/branch/sendFindings", params),
  );
  void showInformation(sentWords(sent));
}

/** Asks what lives in a branch to end; the branch stays. */
export async function stop({ client, summary }: Branch): Promise<void> {
  const { stopped } = await client.request<{ stopped: readonly string[] }>(
    "understudy/rehearsal/stop",
    { branch: summary.branch },
  );
  const said = `Understudy: told to end in ${stopped.join(", ")}; what was written stays there`;
  vscode.window.setStatusBarMessage(said, 8000);
}

/** Shows in the browser what a program in a branch serves; asked once in a workspace. */
export async function openInBrowser(kept: vscode.Memento, { summary }: Branch): Promise<void> {
  const shown = shownAt(summary.rehearsal);
  const placeHolder = "Which of its ports?";
  const url =
    shown.length > 1 ? await vscode.window.showQuickPick(shown, { placeHolder }) : shown[0];
  if (shown.length === 0) {
    throw new Error(`no port of ${summary.branch} is shown: start with \`rehearse --publish\`.`);
  }
  if (url === undefined || !(await isAgreedOnce(kept, url))) {
    return;
  }
  if (!(await vscode.env.openExternal(vscode.Uri.parse(url, true)))) {
    throw new Error(`the editor has not opened ${url}`);
  }
}

async function isAgreedOnce(kept: vscode.Memento, url: string): Promise<boolean> {
  if (kept.get<boolean>(AGREED) === true) {
    return true;
  }
  const detail =
    "The page is made by what the agent has written, and runs in your browser as any page does. " +
    "While it is shown, every user of this machine can open it. This is asked once here.";
  const agreed = await isAgreed(`Open ${url}?`, detail, "Open");
  if (agreed) {
    await kept.update(AGREED, true);
  }
  return agreed;
}

/** Says when what was started here has ended: its terminal may be out of sight. */
class Ends implements vscode.Disposable {
  /** The processes of rehearsals that this window has started, each with the branch once known. */
  private readonly followed = new Map<number, Branch | undefined>();
  private readonly listening: vscode.Disposable;

  constructor(
    private readonly store: BranchStore,
    log: vscode.LogOutputChannel,
  ) {
    this.listening = store.onDidChange(() => {
      this.look().catch((error: unknown) => log.debug(`rehearsals: ${errorText(error)}`));
    });
  }

  follow(terminal: vscode.Terminal | undefined): void {
    void terminal?.processId.then((pid) => {
      if (pid !== undefined) {
        this.followed.set(pid, undefined);
      }
    });
  }

  dispose(): void {
    this.listening.dispose();
  }

  private async look(): Promise<void> {
    const all = this.followed.size === 0 ? [] : await this.store.all();
    for (const [pid, known] of this.followed) {
      const live = all.find(({ summary }) => summary.rehearsal?.pid === pid);
      if (live !== undefined) {
        this.followed.set(pid, live);
      } else if (known !== undefined && known.client.state === "running") {
        this.followed.delete(pid);
        void this.tell(known, all);
      }
    }
  }

  private async tell({ client, summary }: Branch, all: readonly Branch[]): Promise<void> {
    const now = all.find((one) => one.client === client && one.summary.branch === summary.branch);
    if (summary.rehearsal === undefined || now === undefined || now.summary.files === 0) {
      return; // accepted or discarded, or nothing to look at
    }
    const said = endedWords(nameOf(summary.rehearsal), summary.branch, now.summary.files);
    if ((await showInformation(said, "Show Changes")) !== undefined) {
      const node = { kind: "branch", branch: now };
      await vscode.commands.executeCommand("understudy.review.allChanges", node);
    }
  }
}
