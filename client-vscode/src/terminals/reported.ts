/**
 * Terminals that no recorder owns, told to the server as far as the shell integration delivers.
 *
 * The editor may lose all of a short command's output and never says so: the server's records of
 * them are never complete. `read()` is called within the start event: later it would miss the head.
 */
import * as vscode from "vscode";
import type { Feature } from "../services";
import { mayTellOfOthers, onDidChangeOthers } from "./consent";
import { isRecorder } from "./recorded_shell";
import { isThere, noteProcess, Reporter } from "./reporter";
import { registerSwitching } from "./switching";

/** A slow profile script may take so long to begin with the integration. */
const WAIT_FOR_INTEGRATION_MS = 15_000;

export const registerReportedTerminals: Feature = (context, services) => {
  const { clients, log } = services;
  const known = new Map<vscode.Terminal, Reporter>();
  const closing = new Set<Reporter>(); // their terminals have gone, and something of them waits
  const mayTell = () => mayTellOfOthers(context);
  const reporter = (terminal: vscode.Terminal): Reporter | undefined => {
    if (isRecorder(terminal) || !mayTell()) {
      return undefined;
    }
    // One that starts is told once it runs: what waits for it is bounded.
    const client = clients.all().find(isThere);
    if (client === undefined) {
      return undefined;
    }
    const found = known.get(terminal);
    if (found !== undefined && !found.isOver) {
      return found;
    }
    const made = new Reporter(terminal, client, mayTell, log);
    known.set(terminal, made);
    return made;
  };
  const unkept = new WeakSet<vscode.Terminal>();
  const waited = new WeakSet<vscode.Terminal>();
  const tellWithout = (terminal: vscode.Terminal) => {
    if (terminal.shellIntegration === undefined && terminal.exitStatus === undefined) {
      reporter(terminal)?.cannot("the editor has no shell integration in it");
    }
  };
  const waitForIntegration = (terminal: vscode.Terminal) => {
    void noteProcess(terminal);
    setTimeout(() => {
      waited.add(terminal);
      tellWithout(terminal);
    }, WAIT_FOR_INTEGRATION_MS);
  };
  const tellWaited = () => {
    vscode.window.terminals.filter((one) => waited.has(one)).forEach(tellWithout);
  };
  vscode.window.terminals.forEach(waitForIntegration);
  context.subscriptions.push(
    vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
      const own = reporter(terminal);
      if (own !== undefined) {
        own.begin(execution, execution.read());
      } else if (!isRecorder(terminal) && mayTell() && !unkept.has(terminal)) {
        unkept.add(terminal);
        log.info(`terminal "${terminal.name}" is not kept as long as no server is started`);
      }
    }),
    vscode.window.onDidEndTerminalShellExecution(({ terminal, execution, exitCode }) =>
      known.get(terminal)?.end(execution, exitCode),
    ),
    vscode.window.onDidOpenTerminal(waitForIntegration),
    clients.onDidChangeState(tellWaited), // before the server ran, nobody could be told
    onDidChangeOthers(() => {
      if (mayTell()) {
        tellWaited();
        return;
      }
      [...known.values(), ...closing].forEach((one) => one.withdraw());
      known.clear();
    }),
    vscode.window.onDidCloseTerminal((terminal) => {
      const own = known.get(terminal);
      known.delete(terminal);
      if (own !== undefined) {
        closing.add(own);
        void own.close().finally(() => closing.delete(own));
      }
    }),
  );
  registerSwitching(context, services, async (terminal) => {
    if (!mayTell()) {
      throw new Error("This terminal is not recorded: only Understudy Shells are.");
    }
    const client = clients.all().find(isThere) ?? clients.all()[0];
    await client?.client();
    await reporter(terminal)?.introduce();
  });
};
