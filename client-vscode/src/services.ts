/** What every feature is given. */
import type * as vscode from "vscode";
import type { Clients } from "./clients";

export interface Services {
  /** The output channel "Understudy": what a bug report quotes; never a secret. */
  readonly log: vscode.LogOutputChannel;
  /** One client a workspace folder, started at its first request. */
  readonly clients: Clients;
}

/** Registers one feature; it starts nothing before the user or an agent asks for something. */
export type Feature = (context: vscode.ExtensionContext, services: Services) => void;
