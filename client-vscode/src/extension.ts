/**
 * The extension's entry point: it registers what the manifest promises and starts nothing.
 *
 * The server of a workspace folder starts at the first request for it (`client.ts`).
 */
import * as vscode from "vscode";
import { registerBroughtServers } from "./brought_servers";
import { registerBranches } from "./branches/register";
import { Clients } from "./clients";
import { registerDoctor } from "./doctor/register";
import { registerFirstSteps } from "./first_steps/register";
import { registerLifecycle } from "./lifecycle";
import { createLog } from "./log";
import { registerMcpProvider } from "./mcp_provider";
import { registerOutlines } from "./outline/documents";
import { registerPalette } from "./palette";
import { registerPython } from "./python_environment";
import type { Feature, Services } from "./services";
import { registerConsents } from "./terminals/consent";
import { registerLogs } from "./terminals/logs";
import { registerShellProfile } from "./terminals/profile";
import { registerReportedTerminals } from "./terminals/reported";
import { registerTerminalView } from "./terminals/view";
import { registerToolServers } from "./tool_servers/register";
import { registerTools } from "./tools/register";
import { registerTrust } from "./trust";
import { registerStatus } from "./watching/status";
import { registerWatch } from "./watching/watch";

/** Every feature; each registers its commands, views and listeners and disposes them with `context`. */
const FEATURES: readonly Feature[] = [
  registerLifecycle,
  registerDoctor,
  registerTrust,
  registerPython,
  registerPalette,
  registerBranches,
  registerStatus,
  registerWatch,
  registerBroughtServers,
  registerTools,
  registerFirstSteps,
  registerOutlines,
  registerMcpProvider,
  registerToolServers,
  registerShellProfile,
  registerLogs,
  registerConsents,
  registerReportedTerminals,
  registerTerminalView,
];

let clients: Clients | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = createLog(context);
  clients = new Clients(context, log);
  context.subscriptions.push(log, clients);
  const services: Services = { log, clients };
  for (const register of FEATURES) {
    register(context, services);
  }
}

/** The editor waits for this when a window closes, so it has a limit of its own. */
export async function deactivate(): Promise<void> {
  await clients?.stop();
}
