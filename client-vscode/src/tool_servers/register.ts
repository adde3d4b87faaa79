/** The workspace's MCP servers: the user allows each one, and hears when one needs something. */
import * as vscode from "vscode";
import type { FolderClient } from "../client";
import { errorText } from "../log";
import type { Feature } from "../services";
import { toldOf, toolServerRow } from "./wording";
import type { ToolServer, ToolServers, ToolServerStatus } from "./wording";
import { isAgreed, showError, showInformation, showWarning } from "../shown/notices";
import { oneLine } from "../shown/text";

const LIST = "understudy/context/mcp/list";
const SYNC_AGAIN = "Ask Again";
const SHOW = "Show Servers";

export const registerToolServers: Feature = (context, { clients, log }) => {
  const known = new Map<FolderClient, Map<string, ToolServerStatus>>();
  const look = async (client: FolderClient) => {
    const { servers } = await client.request<ToolServers>(LIST, {});
    const told = toldOf(known.get(client) ?? new Map<string, ToolServerStatus>(), servers);
    known.set(client, new Map(servers.map(({ name, status }) => [name, status])));
    for (const text of told) {
      log.warn(text);
      void showWarning(text, SYNC_AGAIN, SHOW).then(async (chosen) => {
        if (chosen === SYNC_AGAIN) {
          await client.request("understudy/context/mcp/sync", {});
        } else if (chosen === SHOW) {
          await vscode.commands.executeCommand(COMMAND);
        }
      }, report);
    }
  };
  context.subscriptions.push(
    clients.onNotification("understudy/mcpChanged", ({ client }) => {
      look(client).catch((error: unknown) => log.error(`MCP servers: ${errorText(error)}`));
    }),
    vscode.commands.registerCommand(COMMAND, async () => {
      try {
        const client = await clients.choose();
        if (client !== undefined) {
          await choose(client);
        }
      } catch (error) {
        report(error);
      }
    }),
  );
};

const COMMAND = "understudy.toolServers";

/** Shows the servers; the chosen one is allowed, asked again, or allowed no longer. */
async function choose(client: FolderClient): Promise<void> {
  const { servers, problems } = await client.request<ToolServers>(LIST, {});
  problems.forEach((problem) => void showWarning(`Understudy: ${problem}`));
  if (servers.length === 0) {
    void showInformation(
      "This folder defines no MCP servers: neither .vscode/mcp.json nor .mcp.json has any.",
    );
    return;
  }
  const rows = servers.map((server) => ({ ...toolServerRow(server), server }));
  const picked = await vscode.window.showQuickPick(rows, {
    title: "MCP servers whose tools agents may look up and call through Understudy",
    placeHolder: "Choose one to allow it, to ask it again, or to allow it no longer",
    matchOnDescription: true,
  });
  if (picked !== undefined) {
    await change(client, picked.server);
  }
}

async function change(client: FolderClient, server: ToolServer): Promise<void> {
  const servers = [server.name];
  if (server.status === "disabled") {
    const question = `Allow agents to use the MCP server '${oneLine(server.name)}'?`;
    if (await isAgreed(question, `It runs or reaches: ${oneLine(server.runs)}`, "Allow")) {
      await client.request("understudy/context/mcp/allow", { servers });
    }
    return;
  }
  const again = "Ask for its tools again";
  const withdraw = "Allow it no longer";
  const answer = await vscode.window.showQuickPick([again, withdraw], { title: server.name });
  if (answer === again) {
    await client.request("understudy/context/mcp/sync", { servers });
  } else if (answer === withdraw) {
    await client.request("understudy/context/mcp/allow", { servers, allowed: false });
  }
}

function report(error: unknown): void {
  void showError(`Understudy: ${errorText(error)}`);
}
