/** Checks a branch with the language servers' own progress, and remembers the verdict. */
import * as vscode from "vscode";
import type { Check } from "./answers";
import type { Branch, BranchStore } from "./store";
import { verdictWords } from "./wording";

/** What a server reports under the token of a check (LSP 3.17, work done progress). */
interface Step {
  readonly kind: "begin" | "report" | "end";
  readonly message?: string;
}

let lastToken = 0;

export async function check(
  store: BranchStore,
  branch: Branch,
  wish: { readonly fix?: true } = {},
): Promise<Check> {
  const { client, summary } = branch;
  const title = `Understudy: checking ${summary.branch}`;
  const location = { viewId: "understudy.branches" };
  return store.check(branch, async () =>
    vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, (progress) =>
      vscode.window.withProgress({ location }, async () => {
        const [languageClient, { WorkDoneProgress }] = await Promise.all([
          client.client(),
          import("vscode-languageclient/node"),
        ]);
        lastToken += 1;
        const workDoneToken = `understudy-check-${lastToken}`;
        const listening = languageClient.onProgress(
          WorkDoneProgress.type,
          workDoneToken,
          (step: Step) => {
            if (step.message !== undefined) {
              progress.report({ message: step.message });
            }
          },
        );
        try {
          const params = { branch: summary.branch, workDoneToken, ...wish };
          return await client.request<Check>("understudy/branch/check", params);
        } finally {
          listening.dispose();
        }
      }),
    ),
  );
}

/** Checks by the user's wish, and says what came out. */
export async function checkAndTell(store: BranchStore, branch: Branch): Promise<void> {
  const checked = await check(store, branch);
  const words = verdictWords(checked.verdict, checked);
  const said = `Understudy: ${branch.summary.branch} ${checked.verdict === "findings" ? "" : "is "}${words}`;
  vscode.window.setStatusBarMessage(said, 8000);
}
