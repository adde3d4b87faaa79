/** The first steps of a user: a lint to try, and a prompt to copy (see `contributes.walkthroughs`). */
import * as vscode from "vscode";
import { errorText } from "../log";
import type { Feature } from "../services";
import { PROMPT } from "./prompt";
import { tryLint } from "./try_lint";
import { showError, showInformation } from "../shown/notices";

export const registerFirstSteps: Feature = (context, { clients, log }) => {
  context.subscriptions.push(
    vscode.commands.registerCommand("understudy.tryLint", async () => {
      try {
        await tryLint(clients);
      } catch (error) {
        log.info(`try a lint: ${errorText(error)}`);
        void showError(errorText(error));
      }
    }),
    vscode.commands.registerCommand("understudy.copyPrompt", async () => {
      await vscode.env.clipboard.writeText(PROMPT);
      void showInformation("The prompt is in the clipboard.");
    }),
    vscode.commands.registerCommand("understudy.openPage", async (page?: unknown) => {
      await vscode.commands.executeCommand(
        "markdown.showPreview",
        vscode.Uri.joinPath(context.extensionUri, "docs", `${pageName(page)}.md`),
      );
    }),
  );
};

/** Where a page stands below `docs/`: what is no name of one (`how-to/unknown`) leads to them all. */
function pageName(given: unknown): string {
  return typeof given === "string" && /^[a-z-]+\/[a-z-]+$/.test(given) ? given : "index";
}
