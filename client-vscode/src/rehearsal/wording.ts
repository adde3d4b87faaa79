/** Agents that live in branches, in words. */
import type { Rehearsal, Verdict } from "../branches/answers";
import { count } from "../branches/wording";
import { oneLine } from "../shown/text";

const SHOWN = /^http:\/\/[a-z0-9-]+\.localhost:\d{1,5}\/$/;

/** The answer of `understudy/branch/sendFindings`. */
export interface Sent {
  readonly branch: string;
  readonly verdict: Verdict;
  readonly asks: readonly unknown[];
  /** Asked before, and not settled. */
  readonly open: number;
  /** More than are sent at once. */
  readonly left: number;
}

/** An agent of this machine, as `understudy/rehearsal/agents` answers it. */
export interface Agent {
  readonly name: string;
  readonly title: string;
  readonly program: string;
  /** Whether it is known what it needs; the command line shows that, and asks once. */
  readonly preset: boolean;
}

/** The program's own name: what people call the agent. */
export function nameOf({ command }: Pick<Rehearsal, "command">): string {
  const program = command[0] ?? "";
  return oneLine(program.slice(program.lastIndexOf("/") + 1));
}

/** What stands behind a branch while somebody lives in it; nothing where nobody does. */
export function liveWords(rehearsal: Rehearsal | undefined): string {
  return rehearsal === undefined ? "" : `${nameOf(rehearsal)} is at work`;
}

/** The addresses at which ports of it are shown; nothing else is ever opened for a branch. */
export function shownAt(rehearsal: Rehearsal | undefined): string[] {
  return (rehearsal?.published ?? []).filter((url) => SHOWN.test(url));
}

/** What the user is to know of it while it works. */
export function liveNotes(rehearsal: Rehearsal | undefined): string[] {
  return [
    ...(rehearsal?.collisions ?? []).map((path) => `you changed the same lines: ${oneLine(path)}`),
    ...(rehearsal?.warnings ?? []).map(oneLine),
  ];
}

export function sentWords({ branch, verdict, asks, open, left }: Sent): string {
  if (asks.length === 0) {
    const why =
      verdict === "unknown" ? "what is not verified cannot be sent" : `${branch} is clean`;
    return open > 0
      ? `Sent before, and not settled in ${branch}: ${count(open, "line")}.`
      : `Nothing to send: ${verdict === "findings" ? `${branch} has no finding that counts` : why}.`;
  }
  const more = left > 0 ? ` ${left} more are left for the next time.` : "";
  const lines = count(asks.length, "line");
  return `Sent the findings of ${lines}: the agent in ${branch} hears them with its next call.${more}`;
}

/** What has ended, in a sentence. */
export function endedWords(agent: string, branch: string, files: number): string {
  return `${agent} has ended: ${branch} holds ${count(files, "file")}.`;
}
