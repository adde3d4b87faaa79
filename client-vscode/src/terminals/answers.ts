/** What the server says of terminals, see docs/reference/terminals.md. */

export interface Failure {
  readonly command: number;
  readonly text: string;
  readonly exit_code: number;
  /** The file that it lies in: the terminal's, or one that its log has left behind. */
  readonly path: string;
  readonly line: number;
}

export interface TerminalState {
  readonly id: string;
  readonly path: string;
  readonly status: string;
  readonly pid: number | null;
  readonly command: string | null;
  readonly exit_code: number | null;
  readonly grade: string;
  readonly capture: string;
  readonly cwd: string;
  readonly shell: string;
  readonly failed: Failure | null;
}

export interface TerminalList {
  readonly terminals: readonly TerminalState[];
  /** Where the logs lie. */
  readonly folder: string;
}

export interface Reading extends TerminalState {
  readonly text: string;
  readonly left_out: number;
  readonly record: Readonly<Record<string, unknown>> | null;
}

/** The text that stands for a failed command: the facts, then the exact lines of the log. */
export function whyItFailed(reading: Reading, failure: Failure): string {
  const { record } = reading;
  const whole = record?.["complete"] === true ? "complete" : "not complete";
  const lines = [
    `exit ${failure.exit_code}: ${failure.text}`,
    `in ${String(record?.["cwd"])}, ${String(record?.["seconds"])} s, output ${whole}`,
    `${failure.path}:${failure.line}`,
  ];
  if (reading.left_out > 0) {
    lines.push(`${reading.left_out} lines before these are left out here:`);
  }
  return `${lines.join("\n")}\n\n${reading.text}`;
}
