/**
 * Tells the server of one terminal that no recorder owns, one request after the other.
 *
 * The consent is asked for when a request is sent, not before: events stay here until the server
 * runs, and what waits when the consent is taken back is never sent, also of a terminal that went.
 */
import type * as vscode from "vscode";
import type { FolderClient } from "../client";
import { errorText } from "../log";
import { Backlog, type TerminalEvent } from "./backlog";

/** The process that a terminal was last known to have: the next task brings one of its own. */
const processes = new WeakMap<vscode.Terminal, number>();

/** Notes the process of a terminal that has just come, so that its next one is known to follow. */
export async function noteProcess(terminal: vscode.Terminal): Promise<void> {
  const pid = await terminal.processId;
  if (pid !== undefined && !processes.has(terminal)) {
    processes.set(terminal, pid);
  }
}

/** Whether a server runs or is about to; a terminal starts none. */
export function isThere({ state }: FolderClient): boolean {
  return state === "running" || state === "starting";
}

interface Waiting {
  readonly process: vscode.Terminal["processId"];
  readonly backlog: Backlog;
}

export class Reporter {
  /** What waits, by the process of the terminal that it is of. */
  private waiting: Waiting[] = [];
  private readonly ends = new Map<vscode.TerminalShellExecution, Promise<void>>();
  private reason: string | null = null;
  private sending: Promise<void> | undefined;
  private told: number | undefined;
  private over = false;
  private withdrawn = false;

  constructor(
    private readonly terminal: vscode.Terminal,
    private readonly client: FolderClient,
    private readonly mayTell: () => boolean,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Whether nothing more will be told: whatever still arrives is of a time after that. */
  get isOver(): boolean {
    return this.over;
  }

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
    void this.send();
  }

  /** Has a log made where there is none yet; raises what hinders it. */
  async introduce(): Promise<void> {
    await this.sending?.catch(() => undefined); // its failure is in the log
    await this.send();
  }

  /** The terminal has gone; returns when what waits has been sent, or cannot be. */
  async close(): Promise<void> {
    this.tell({ kind: "closed" });
    this.over = true;
    await this.sending?.catch(() => undefined); // its failure is in the log
  }

  /** The user has taken the consent back: what waits is dropped, and the log ends by saying so. */
  withdraw(): void {
    if (this.withdrawn) {
      return;
    }
    this.waiting = [];
    this.over = false; // a terminal that has gone: its log has not heard of that
    this.tell({ kind: "closed", withdrawn: true });
    this.over = this.withdrawn = true;
  }

  private async pass(output: AsyncIterable<string>): Promise<void> {
    try {
      for await (const text of output) {
        if (this.over) {
          return;
        }
        this.tell({ kind: "data", text });
      }
    } catch (error) {
      this.log.debug(`a terminal's output: ${errorText(error)}`);
    }
  }

  private tell(event: TerminalEvent): void {
    if (this.over) {
      return;
    }
    const process = this.terminal.processId;
    let last = this.waiting.at(-1);
    if (last?.process !== process) {
      last = { process, backlog: new Backlog() };
      this.waiting.push(last);
    }
    last.backlog.add(event);
    void this.send();
  }

  private send(): Promise<void> {
    if (this.sending === undefined) {
      this.sending = this.sendAll().finally(() => (this.sending = undefined));
      this.sending.catch((error: unknown) =>
        this.log.info(`a terminal is not kept: ${errorText(error)}`),
      );
    }
    return this.sending;
  }

  private async sendAll(): Promise<void> {
    let isMore: boolean;
    do {
      const next = this.waiting[0];
      const pid = await (next?.process ?? this.terminal.processId);
      await this.untilServed();
      // From here to the request nothing is waited for.
      if (!this.withdrawn && !this.mayTell()) {
        this.withdraw();
      }
      if (next !== this.waiting[0]) {
        isMore = this.waiting.length > 0; // withdrawn meanwhile, or more to tell
      } else if (pid === undefined) {
        this.waiting.shift(); // it never had a process
        isMore = this.waiting.length > 0;
      } else if (next === undefined && this.over) {
        return;
      } else {
        isMore = await this.report(pid);
      }
    } while (isMore);
  }

  /** A server that starts is waited for before anything is taken: that may be long. */
  private async untilServed(): Promise<void> {
    if (isThere(this.client)) {
      await this.client.running();
    }
    if (this.client.state !== "running") {
      throw new Error("its server has gone");
    }
  }

  /** Sends what waits for this process, or first that the one before has gone; whether there is more. */
  private async report(pid: number): Promise<boolean> {
    // The next task takes a terminal over, with a process of its own.
    const left = this.told === pid ? undefined : this.told;
    const before = processes.get(this.terminal);
    const events =
      left === undefined ? this.waiting.shift()?.backlog.take() : [{ kind: "closed" as const }];
    await this.client.request("understudy/terminal/report", {
      pid: left ?? pid,
      shell: this.withdrawn ? "" : (this.terminal.state.shell ?? this.terminal.name),
      cwd: this.withdrawn ? "" : (this.terminal.shellIntegration?.cwd?.fsPath ?? ""),
      reason: this.reason,
      events: events ?? [],
      follows: left !== undefined || before === pid ? null : (before ?? null),
    });
    if (left === undefined) {
      processes.set(this.terminal, pid);
    }
    this.told = left === undefined ? pid : undefined;
    return left !== undefined || this.waiting.length > 0;
  }
}
