/**
 * Terminals that no recorder owns, told to the server as far as the shell integration delivers.
 *
 * The editor may lose all of a short command's output and never says so: the server's records of
 * them are never complete. `read()` is called within the start event: later it would miss the head.
 */
import * as vscode from "vscode";
import type { FolderClient } from "../client";
import { errorText } from "../log";
import type { Feature } from "../services";
import { Backlog, type TerminalEvent } from "./backlog";
import { agreedBefore, isRecorder } from "./recorded_shell";

/** A slow profile script may take so long to begin with the integration. */
const WAIT_FOR_INTEGRATION_MS = 15_000;

export const registerReportedTerminals: Feature = (context, { clients, log }) => {
  const known = new Map<vscode.Terminal, Reporter>();
  const reporter = (terminal: vscode.Terminal): Reporter | undefined => {
    if (isRecorder(terminal) || !agreedBefore(context)) {
      return undefined;
    }
    // One that starts is told once it runs: what waits for it is bounded.
    const client = clients.all().find(isThere);
    if (client === undefined) {
      return undefined;
    }
    const found = known.get(terminal) ?? new Reporter(terminal, client, log);
    known.set(terminal, found);
    return found;
  };
  const unkept = new WeakSet<vscode.Terminal>();
  const waited = new WeakSet<vscode.Terminal>();
  const tellWithout = (terminal: vscode.Terminal) => {
    if (terminal.shellIntegration === undefined && terminal.exitStatus === undefined) {
      reporter(terminal)?.cannot("the editor has no shell integration in it");
    }
  };
  const waitForIntegration = (terminal: vscode.Terminal) => {
    setTimeout(() => {
      waited.add(terminal);
      tellWithout(terminal);
    }, WAIT_FOR_INTEGRATION_MS);
  };
  vscode.window.terminals.forEach(waitForIntegration);
  context.subscriptions.push(
    vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
      const own = reporter(terminal);
      if (own !== undefined) {
        own.begin(execution, execution.read());
      } else if (!isRecorder(terminal) && agreedBefore(context) && !unkept.has(terminal)) {
        unkept.add(terminal);
        log.info(`terminal "${terminal.name}" is not kept as long as no server is started`);
      }
    }),
    vscode.window.onDidEndTerminalShellExecution(({ terminal, execution, exitCode }) =>
      known.get(terminal)?.end(execution, exitCode),
    ),
    vscode.window.onDidOpenTerminal(waitForIntegration),
    clients.onDidChangeState(() => {
      // Before the server ran, nobody could be told.
      vscode.window.terminals.filter((one) => waited.has(one)).forEach(tellWithout);
    }),
    vscode.window.onDidCloseTerminal((terminal) => {
      known.get(terminal)?.close();
      known.delete(terminal);
    }),
  );
};

/** Whether a server runs or is about to; a terminal starts none. */
function isThere({ state }: FolderClient): boolean {
  return state === "running" || state === "starting";
}

/** Tells of one terminal, one request after the other. */
class Reporter {
  /** What waits, by the process of the terminal that it is of. */
  private readonly waiting: { process: vscode.Terminal["processId"]; backlog: Backlog }[] = [];
  private readonly ends = new Map<vscode.TerminalShellExecution, Promise<void>>();
  private reason: string | null = null;
  private sending: Promise<void> | undefined;
  private told: number | undefined;

  constructor(
    private readonly terminal: vscode.Terminal,
    private readonly client: FolderClient,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  begin(execution: vscode.TerminalShellExecution, output: AsyncIterable<string>): void {
    this.reason = null;
    this.tell({
      kind: "begin",
      command: execution.commandLine.value,
      cwd: execution.cwd?.fsPath ?? "",
    });
    this.ends.set(execution, this.pass(output));
  }

  /** Behind what is still on its way of the output. */
  end(execution: vscode.TerminalShellExecution, exitCode: number | undefined): void {
    const passed = this.ends.get(execution);
    this.ends.delete(execution);
    void passed?.then(() => this.tell({ kind: "end", exit: exitCode ?? null }));
  }

  cannot(reason: string): void {
    this.reason = reason;
    this.send();
  }

  close(): void {
    this.tell({ kind: "closed" });
  }

  private async pass(output: AsyncIterable<string>): Promise<void> {
    try {
      for await (const text of output) {
        this.tell({ kind: "data", text });
      }
    } catch (error) {
      this.log.debug(`a terminal's output: ${errorText(error)}`);
    }
  }

  private tell(event: TerminalEvent): void {
    const process = this.terminal.processId;
    let last = this.waiting.at(-1);
    if (last?.process !== process) {
      last = { process, backlog: new Backlog() };
      this.waiting.push(last);
    }
    last.backlog.add(event);
    this.send();
  }

  private send(): void {
    this.sending ??= this.sendAll()
      .catch((error: unknown) => this.log.info(`a terminal is not kept: ${errorText(error)}`))
      .finally(() => (this.sending = undefined));
  }

  private async sendAll(): Promise<void> {
    let left: number | undefined;
    do {
      const pid = await (this.waiting[0]?.process ?? this.terminal.processId);
      if (pid === undefined) {
        this.waiting.shift(); // it never had a process
        left = undefined;
        continue;
      }
      if (!isThere(this.client)) {
        throw new Error("its server has gone");
      }
      // The next task takes a terminal over, with a process of its own.
      left = this.told === pid ? undefined : this.told;
      const events =
        left === undefined ? this.waiting.shift()?.backlog.take() : [{ kind: "closed" as const }];
      await this.client.request("understudy/terminal/report", {
        pid: left ?? pid,
        shell: this.terminal.state.shell ?? this.terminal.name,
        cwd: this.terminal.shellIntegration?.cwd?.fsPath ?? "",
        reason: this.reason,
        events: events ?? [],
      });
      this.told = left === undefined ? pid : undefined;
    } while (left !== undefined || this.waiting.length > 0);
  }
}
