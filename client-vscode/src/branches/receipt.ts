/** A check as a text that can be pasted somewhere. */
import type { Check, Finding } from "./answers";
import { isUnread, reasonWords, verdictWords } from "./wording";

/** A check as a text to paste: the verdict, the stamp it is about, and every finding. */
export function receiptText(branch: string, title: string, check: Check): string {
  const unknown = check.files.filter((file) => file.verdict === "unknown");
  const lines = [
    `Understudy: branch ${branch}${title === "" ? "" : ` (${title})`}: ${verdictWords(check.verdict, check)}`,
    `stamp ${check.stamp}${check.base_moved ? "; your text moved while it was judged" : ""}`,
    `introduced ${check.introduced.length}, fixed ${check.fixed.length}, ` +
      (check.hidden.length > 0 ? `hidden ${check.hidden.length}, ` : "") +
      `unattributed ${check.unattributed.length}, remaining ${check.remaining}`,
    ...check.introduced.map((finding) => `${finding.path}:${findingLine(finding)}`),
    ...(check.silenced ?? []).map((one) =>
      isUnread(one)
        ? `${one.path}: ${one.what}`
        : `${one.path}:${one.line + 1}: silenced: ${one.how} ${one.what}`,
    ),
    ...unknown.map(({ path, reason }) => `${path}: ${reason ? reasonWords(reason) : "unknown"}`),
    ...check.unjudged.map((path) => `${path}: judged by no server`),
  ];
  return `${lines.join("\n")}\n`;
}

function findingLine(finding: Finding): string {
  const { range, severity, code, message, server } = finding;
  const place = `${range.start.line + 1}:${range.start.character + 1}`;
  return `${place}: ${severity} ${code === null ? "" : `${code} `}${message} (${server})`;
}
