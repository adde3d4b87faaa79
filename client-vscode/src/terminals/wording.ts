/** A terminal's row in the side bar, in words and with an icon; what is not captured says so. */
import type { Icon } from "../branches/wording";
import type { TerminalState } from "./answers";
import { visible } from "../shown/text";

export interface Row {
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  /** For a screen reader. */
  readonly spoken: string;
  readonly icon: Icon;
}

const GRADES: Readonly<Record<string, string>> = {
  full: "all that the terminal shows is kept",
  commands: "what the editor's shell integration delivers is kept: it may be a part",
  none: "nothing that the terminal shows is kept",
};
const LIVE = new Set(["running", "idle", "off"]);

/** The terminals that are open, then those that have ended; the newest of each first. */
export function inOrder<T>(all: readonly T[], stateOf: (one: T) => TerminalState): T[] {
  const newest = [...all].reverse();
  const isOpen = (one: T) => isLive(stateOf(one).status);
  return [...newest.filter(isOpen), ...newest.filter((one) => !isOpen(one))];
}

/** Whether somebody may still write its log. */
export function isLive(status: string): boolean {
  return LIVE.has(status);
}

export function rowOf(terminal: TerminalState, folder = ""): Row {
  const { id, command, grade, exit_code: code, shell, cwd } = terminal;
  const label = visible(command ?? (grade === "none" ? shell : "(nothing has run yet)"));
  const facts = (exit: string) =>
    [[statusWords(terminal), exit].filter(Boolean).join(", "), grade, folder]
      .filter(Boolean)
      .join(" · ");
  const whole = facts(code === null ? "" : `exit ${code}`);
  const kept = GRADES[grade] ?? terminal.capture;
  const tooltip = [
    label,
    `Terminal ${id}, ${whole}`,
    `Capture: ${terminal.capture} (${kept})`,
    visible(cwd === "" ? shell : `${shell} in ${cwd}`),
    terminal.path,
  ].join("\n");
  return {
    label,
    description: code === 0 ? facts("") : whole, // the icon says it
    tooltip,
    spoken: `Terminal ${id}, ${label}, ${whole}`,
    icon: iconOf(terminal),
  };
}

function statusWords({ status, grade }: TerminalState): string {
  if (grade === "none" && status === "idle") {
    return "open"; // whether something runs in it is not known
  }
  return status === "off" ? "recording is off" : status;
}

function iconOf({ status, grade, exit_code: code }: TerminalState): Icon {
  if (grade === "none" || status === "off") {
    return { id: "circle-slash" };
  }
  if (status === "running") {
    return { id: "play-circle", color: "charts.blue" };
  }
  if (status === "lost") {
    return { id: "warning", color: "problemsWarningIcon.foreground" };
  }
  if (code === null) {
    return { id: "terminal" };
  }
  return code === 0
    ? { id: "pass", color: "testing.iconPassed" }
    : { id: "error", color: "testing.iconFailed" };
}
