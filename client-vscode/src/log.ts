/** The output channel "Understudy", written so that a bug report can quote it. */
import * as os from "node:os";
import * as vscode from "vscode";

/** Opens the channel and writes which versions are at work here. */
export function createLog(context: vscode.ExtensionContext): vscode.LogOutputChannel {
  const log = vscode.window.createOutputChannel("Understudy", { log: true });
  const { version } = context.extension.packageJSON as { version: string };
  log.info(
    `Understudy ${version}, ${vscode.env.appName} ${vscode.version}` +
      (vscode.env.remoteName === undefined ? "" : ` (${vscode.env.remoteName})`) +
      `, ${os.type()} ${os.release()} ${os.arch()}, Node ${process.versions.node}`,
  );
  log.info(`workspace ${vscode.workspace.isTrusted ? "trusted" : "not trusted"}`);
  return log;
}

/** An error as one line; what a server said of it comes with its code and place. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Copies a stream into the log line by line, each at the level that it names itself. */
export function logLines(log: vscode.LogOutputChannel, stream: NodeJS.ReadableStream): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? "";
    lines.forEach((line) => logLine(log, line));
  });
  stream.on("end", () => {
    if (rest !== "") {
      logLine(log, rest);
    }
  });
}

function logLine(log: vscode.LogOutputChannel, line: string): void {
  const level = /^\d{4}-\S+ \S+ (DEBUG|INFO|WARNING|ERROR|CRITICAL) (.*)$/.exec(line);
  switch (level?.[1]) {
    case "DEBUG":
      return log.debug(`server: ${level[2]}`);
    case "WARNING":
      return log.warn(`server: ${level[2]}`);
    case "ERROR":
    case "CRITICAL":
      return log.error(`server: ${level[2]}`);
    default:
      return log.info(`server: ${level?.[2] ?? line}`);
  }
}
