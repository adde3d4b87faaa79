/** Verdicts, files and findings in words and icons: what is unknown never looks like a pass. */
import type {
  Accepted,
  ChangedFile,
  Check,
  Finding,
  Hunk,
  Reason,
  Silencing,
  Summary,
  Verdict,
} from "./answers";
import { oneLine, plain } from "../shown/text";

/**
 * What is known of a branch's verdict: `stale` if a text has changed since it was judged, `past` if
 * it may have (the window was closed in between), `part` if only a part was asked.
 */
export type Judgement = Verdict | "stale" | "past" | "part" | "none" | "checking";

/** A verdict that somebody has to ask for anew: none, or none of now, or of a part. */
export function isOpen(judgement: Judgement): boolean {
  return ["none", "stale", "past", "part"].includes(judgement);
}

/** A codicon and, where it has one, its theme colour. */
export interface Icon {
  readonly id: string;
  readonly color?: string;
}

const ICONS: Readonly<Record<Judgement, Icon>> = {
  clean: { id: "pass", color: "testing.iconPassed" },
  findings: { id: "error", color: "testing.iconFailed" },
  unknown: { id: "question", color: "testing.iconQueued" },
  stale: { id: "history" },
  past: { id: "history" },
  part: { id: "question", color: "testing.iconQueued" },
  none: { id: "circle-large-outline" },
  checking: { id: "loading~spin" },
};

/** As what it is shown: what is judged in part is never clean, nor as if nothing were known. */
export function shownAs(judgement: Judgement, check: Check | undefined): Judgement {
  if (judgement === "part" && check?.verdict === "findings") {
    return "findings";
  }
  const isWhole = (check?.unjudged.length ?? 0) === 0;
  return judgement === "clean" && !isWhole ? "part" : judgement;
}

export function iconOf(judgement: Judgement, check?: Check): Icon {
  return ICONS[shownAs(judgement, check)];
}

const SEVERITY_ICONS: Readonly<Record<Finding["severity"], Icon>> = {
  error: { id: "error", color: "problemsErrorIcon.foreground" },
  warning: { id: "warning", color: "problemsWarningIcon.foreground" },
  information: { id: "info", color: "problemsInfoIcon.foreground" },
  hint: { id: "lightbulb" },
};

export function iconOfSeverity(severity: Finding["severity"]): Icon {
  return SEVERITY_ICONS[severity];
}

/** "3 files", "1 file". */
export function count(n: number, thing: string, plural = "s"): string {
  return `${n} ${thing}${n === 1 ? "" : plural}`;
}

/** What a branch is for; its own name where nothing says so. */
export function calledWords({ called, branch }: Pick<Summary, "called" | "branch">): string {
  return called === "" ? `Branch ${branch}` : oneLine(called);
}

/** A branch's verdict in a few words. */
export function verdictWords(judgement: Judgement, check: Check | undefined): string {
  switch (judgement) {
    case "none":
      return "not checked";
    case "checking":
      return check === undefined ? "checking…" : `checking again, ${pastWords(check)}`;
    case "stale":
      return `has changed since it ${pastWords(check)}`;
    case "past":
      return `checked last, it ${pastWords(check)}`;
    case "part": {
      const found = check === undefined || check.verdict === "clean" ? "nothing found" : undefined;
      return `checked in part: ${found ?? verdictWords(check?.verdict ?? "none", check)}`;
    }
    case "clean":
      return `clean${silencedWords(check, "but", unjudgedWords(check))}`;
    case "findings":
      return `introduces ${findingCounts(check?.introduced ?? [])}${silencedWords(check, "and")}`;
    case "unknown": {
      const unknown = (check?.files ?? []).filter((file) => file.verdict === "unknown").length;
      return `unknown, not verified${unknown > 0 ? ` (${count(unknown, "file")})` : ""}${silencedWords(check, "and")}`;
    }
  }
}

function unjudgedWords(check: Check | undefined): string[] {
  const n = check?.unjudged.length ?? 0;
  return n === 0 ? [] : [`${count(n, "file")} judged by no server`];
}

/** ", but 2 silenced and 1 not looked through for silencing"; nothing where nothing is. */
function silencedWords(
  check: Check | undefined,
  word: "but" | "and",
  more: readonly string[] = [],
): string {
  const rows = check?.silenced ?? [];
  const unread = rows.filter(isUnread).length;
  const parts = [
    ...(rows.length > unread ? [`${rows.length - unread} silenced`] : []),
    ...(unread > 0 ? [`${unread} not looked through for silencing`] : []),
    ...more,
  ];
  return parts.length === 0 ? "" : `, ${word} ${parts.join(" and ")}`;
}

/** Whether a row says that a file could not be looked through: that is no silencing. */
export function isUnread({ how }: Silencing): boolean {
  return how === "unread";
}

/** A verdict that is no longer of now: "introduced 2 errors". */
function pastWords(check: Check | undefined): string {
  if (check === undefined) {
    return "was checked";
  }
  if (check.verdict === "findings") {
    return `introduced ${findingCounts(check.introduced)}`;
  }
  if (check.verdict === "unknown") {
    return "was unknown";
  }
  return check.isPart === true
    ? "was checked in part"
    : `was clean${silencedWords(check, "but", unjudgedWords(check))}`;
}

/** "2 errors, 1 warning". */
export function findingCounts(findings: readonly Finding[]): string {
  const kinds = (["error", "warning", "information", "hint"] as const)
    .map((severity) => ({
      severity,
      n: findings.filter((finding) => finding.severity === severity).length,
    }))
    .filter(({ n }) => n > 0)
    .map(({ severity, n }) =>
      severity === "information" ? `${n} information` : count(n, severity),
    );
  return kinds.length === 0 ? "no findings" : kinds.join(", ");
}

/** What a branch does to a file: "new, +3", "renamed from a.py, +1 −1". */
export function changeWords(file: ChangedFile): string {
  const lines = [
    file.added > 0 ? `+${file.added}` : "",
    file.removed > 0 ? `−${file.removed}` : "",
  ].filter((part) => part !== "");
  const kinds = {
    added: "new",
    modified: "",
    deleted: "deleted",
    renamed: `renamed from ${oneLine(file.origin ?? "")}`,
  };
  const conflict = file.conflict === null ? "" : "conflicts with your text";
  return [conflict, kinds[file.kind], lines.join(" ")].filter((part) => part !== "").join(", ");
}

/** Whether a change has the user's own tools run something: it is accepted by name alone. */
export function runsSomething({ runs }: ChangedFile): boolean {
  return runs !== undefined && runs !== null;
}

/** Where a finding stands, as people count: from 1. */
export function placeWords({ range, code, server }: Finding): string {
  const place = `${range.start.line + 1}:${range.start.character + 1}`;
  return `${place} ${oneLine(code === null ? server : `${code} (${server})`)}`;
}

export function reasonWords({ code, text }: Reason): string {
  return `unknown, not verified: ${code}: ${text}`;
}

/** A hunk in a list: its first lines, and where it stands. */
export function hunkWords(hunk: Hunk): { label: string; description: string; detail: string } {
  const added = hunk.lines.filter((line) => line.startsWith("+"));
  const removed = hunk.lines.filter((line) => line.startsWith("-"));
  const told = (added[0] ?? removed[0] ?? "").slice(1).trim();
  const rest = hunk.lines.length - 1 + hunk.left_out;
  const detail = hunk.lines.slice(0, 4).map((line) => line.trimEnd());
  return {
    label: `${added.length === 0 ? "−" : "+"} ${told === "" ? "(an empty line)" : plain(told)}`,
    description: `line ${hunk.before.start + 1}, ${count(rest + 1, "changed line")}`,
    detail: plain(detail.join("  ⏎  ")) + (rest > 3 ? `  … ${rest - 3} more` : ""),
  };
}

/** The files that an editor writes at once, for the question before an accept. */
export function operationLines(
  accepted: Pick<Accepted, "created" | "deleted" | "renamed">,
): string[] {
  return [
    ...accepted.created.map((path) => `create ${oneLine(path)}`),
    ...accepted.deleted.map((path) => `delete ${oneLine(path)}`),
    ...accepted.renamed.map(({ path, to }) => `rename ${oneLine(path)} to ${oneLine(to)}`),
  ];
}

/** What became of an accept, in a sentence. */
export function acceptedWords(branch: string, accepted: Accepted, what?: string): string {
  switch (accepted.outcome) {
    case "applied": {
      const merged =
        accepted.merged.length > 0 ? `, merged with yours in ${accepted.merged.join(", ")}` : "";
      const left = accepted.branch;
      const rest = left === null ? "" : ` Left in ${branch}: ${count(left.files.length, "file")}.`;
      const files = accepted.paths.length - accepted.renamed.length; // both names are in `paths`
      return `Accepted ${what ?? count(files, "file")} of ${branch}${merged}.${rest}`;
    }
    case "conflict": {
      const paths = accepted.conflicts.map(({ path }) => path).join(", ");
      return `You and ${branch} changed the same lines of ${paths}. Nothing was changed.`;
    }
    case "refused":
      return `Not accepted: ${accepted.text}.`;
    case "unknown":
      return `Unknown whether ${branch} was applied: ${accepted.text}. Look at your files; the branch is kept.`;
    case "unconfirmed":
      return `Not accepted: ${accepted.text}.`;
  }
}

/** Whether it stands in lists; one that something lives in always does. */
export function isToLookAt({ summary }: { readonly summary: Summary }): boolean {
  return summary.in_folder !== true || summary.rehearsal !== undefined;
}
