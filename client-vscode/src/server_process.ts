/** Starts `understudy lsp` on the bundled libraries, apart from the user's own Python packages. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { LogOutputChannel } from "vscode";
import { bundledLibraries, serverArguments, serverEnvironment } from "./environment";
import { logLines } from "./log";

const KILL_MS = 10_000;

export class ServerProcess {
  /** Settled when the process is gone. */
  readonly ended: Promise<void>;

  private constructor(
    readonly child: ChildProcessWithoutNullStreams,
    log: LogOutputChannel,
  ) {
    logLines(log, child.stderr);
    child.on("error", (error) => log.error(`the server cannot be run: ${error.message}`));
    this.ended = new Promise((done) => {
      child.on("error", () => done());
      child.on("exit", (code, signal) => {
        log.info(`server process ${child.pid} ended: ${signal ?? `exit code ${code}`}`);
        done();
      });
    });
  }

  /** Starts the server on stdin and stdout. */
  static start(python: string, extensionPath: string, log: LogOutputChannel): ServerProcess {
    const libraries = bundledLibraries(extensionPath);
    const child = spawn(python, serverArguments("lsp"), {
      cwd: libraries, // `python -m` may look for modules here first
      env: serverEnvironment(process.env, libraries),
      windowsHide: true,
    });
    return new ServerProcess(child, log);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Sees to its end: its input ends now, and it is killed if it is still there later on. */
  end(): void {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.stdin.end();
      setTimeout(() => this.child.kill("SIGKILL"), KILL_MS).unref();
    }
  }
}
