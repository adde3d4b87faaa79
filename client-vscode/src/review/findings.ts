/** Which findings of a check a document of a branch shows, and how they read. */
import type { Check, Finding } from "../branches/answers";
import { placeWords } from "../branches/wording";

/** `origin`: the branch brings it; it may (nobody knows what was before); it was there before. */
export interface Shown {
  readonly finding: Finding;
  readonly origin: "introduced" | "unattributed" | "old";
}

/** A file that an edit reaches, by which names and over which files. */
export interface Reached {
  readonly path: string;
  readonly distance: number;
  readonly names: readonly string[];
  readonly via: readonly string[];
}

/** What a check found in a file, the worst first, so that it lies above milder ones. */
export function shownOf(check: Check | undefined, path: string): readonly Shown[] {
  const of = (findings: readonly Finding[], origin: Shown["origin"]): Shown[] =>
    findings.filter((one) => one.path === path).map((finding) => ({ finding, origin }));
  return check === undefined
    ? []
    : sorted([...of(check.introduced, "introduced"), ...of(check.unattributed, "unattributed")]);
}

/** All that servers say of a document, told apart by what the check calls the branch's own. */
export function withOld(shown: readonly Shown[], all: readonly Finding[]): readonly Shown[] {
  const known = new Set(shown.map(({ finding }) => identity(finding)));
  const old = all.filter((finding) => !known.has(identity(finding)));
  return sorted([...shown, ...old.map((finding): Shown => ({ finding, origin: "old" }))]);
}

const SEVERITIES: readonly Finding["severity"][] = ["error", "warning", "information", "hint"];

function sorted(shown: readonly Shown[]): readonly Shown[] {
  const rank = ({ finding, origin }: Shown) =>
    SEVERITIES.indexOf(finding.severity) + (origin === "old" ? SEVERITIES.length : 0);
  return [...shown].sort((one, other) => rank(one) - rank(other));
}

function identity({ range, code, message, server }: Finding): string {
  return JSON.stringify([range.start, range.end, code, message, server]);
}

/** Who says it and since when, in a sentence that stands below the message. */
export function originWords({ finding, origin }: Shown, branch: string): string {
  const since = {
    introduced: `${branch} introduces it`,
    unattributed: `unknown whether ${branch} introduces it`,
    old: `it was there before ${branch}`,
  };
  const code = finding.code === null ? "" : ` ${finding.code}`;
  return `${finding.server}${code} (${finding.severity}): ${since[origin]}`;
}

/** The way of an edit to a file that it does not touch; nothing for an edited one. */
export function chainWords(reached: Reached | undefined): string {
  if (reached === undefined || reached.distance === 0) {
    return "";
  }
  const way = [...reached.via, reached.path].join(" → ");
  return reached.names.length === 0 ? way : `${way}, by ${reached.names.join(", ")}`;
}

/** A finding for a chat: what is said, where, how the edit gets there, and the code around it. */
export function chatText(
  shown: Shown,
  branch: string,
  chain: string,
  lines: readonly string[],
): string {
  const { finding } = shown;
  const { start, end } = finding.range;
  const first = Math.max(0, start.line - CONTEXT);
  const code = lines
    .slice(first, end.line + CONTEXT + 1)
    .map((line, index) => `${first + index + 1} ${line}`);
  return [
    `In branch ${branch}, ${finding.path}:${placeWords(finding)}: ${finding.severity}:`,
    finding.message,
    `(${originWords(shown, branch)})`,
    ...(chain === "" ? [] : [`The edit gets there over ${chain}.`]),
    "```",
    ...code,
    "```",
    `Please mend it in branch ${branch} of Understudy.`,
  ].join("\n");
}

const CONTEXT = 3;
