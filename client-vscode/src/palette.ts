/**
 * What there is, as context keys: by them the manifest decides which commands the palette lists.
 *
 * A folder without branches shows few commands; docs/reference/surface.md names them.
 */
import * as vscode from "vscode";
import type { Summary } from "./branches/answers";
import type { FolderClient } from "./client";
import { errorText } from "./log";
import { NoPython } from "./python";
import type { Feature } from "./services";

export const registerPalette: Feature = (context, { clients, log }) => {
  const branches = new Folders("understudy.hasBranches");
  const rehearsing = new Folders("understudy.isRehearsing");
  const watching = new Folders("understudy.isWatching");
  const lacking = new Folders("understudy.needsPython");
  const look = async (client: FolderClient): Promise<void> => {
    const { branches: found } = await client.request<{ branches: readonly Summary[] }>(
      "understudy/branch/list",
      {},
    );
    branches.set(client, found.length > 0);
    rehearsing.set(
      client,
      found.some(({ rehearsal }) => rehearsal !== undefined),
    );
  };
  const lookOrLog = (client: FolderClient) =>
    look(client).catch((error: unknown) => log.debug(`palette: ${errorText(error)}`));
  context.subscriptions.push(
    clients.onNotification("understudy/branchesChanged", ({ client }) => void lookOrLog(client)),
    clients.onNotification("understudy/watched", ({ client, params }) =>
      watching.set(client, (params as { watching: boolean }).watching),
    ),
    clients.onDidChangeState((client) => {
      lacking.set(client, client.state === "failed" && client.failure instanceof NoPython);
      if (client.state === "running") {
        void lookOrLog(client);
      } else {
        branches.set(client, false);
        rehearsing.set(client, false);
        watching.set(client, false);
      }
    }),
  );
};

/** A key that is true while it is so of any folder. */
class Folders {
  private readonly of = new Set<FolderClient>();

  constructor(private readonly key: string) {}

  set(client: FolderClient, isSo: boolean): void {
    const was = this.of.size > 0;
    if (isSo) {
      this.of.add(client);
    } else {
      this.of.delete(client);
    }
    if (was !== this.of.size > 0) {
      void vscode.commands.executeCommand("setContext", this.key, !was);
    }
  }
}
