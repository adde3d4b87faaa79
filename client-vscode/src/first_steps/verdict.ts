/** A check's answer in the words of a message box. */

/** The parts of a check's JSON (docs/reference/verdicts.md) that are shown. */
export interface Check {
  readonly verdict: "clean" | "findings" | "unknown";
  readonly introduced: readonly Finding[];
  readonly files: readonly {
    readonly reason: { readonly code: string; readonly text: string } | null;
    readonly servers: readonly { readonly name: string }[];
  }[];
}

interface Finding {
  readonly message: string;
  readonly severity: string;
  readonly server: string;
}

const LONGEST = 300;

/** The verdict first; what is unknown says so, and why. */
export function verdictText(check: Check): string {
  const judges = [
    ...new Set(check.files.flatMap(({ servers }) => servers.map(({ name }) => name))),
  ];
  const by = judges.length === 0 ? "" : ` (${judges.join(", ")})`;
  if (check.verdict === "unknown") {
    const reason = check.files.map((file) => file.reason).find((one) => one !== null);
    const why = reason ? `${reason.code}: ${reason.text}` : "no server has judged it";
    return short(`unknown, which is not a pass: ${why}`);
  }
  const [first] = check.introduced;
  if (first === undefined) {
    return `${check.verdict}${by}`;
  }
  const more = check.introduced.length > 1 ? ` and ${check.introduced.length - 1} more` : "";
  return short(`${check.verdict}${by}: ${first.severity} "${first.message}"${more}`);
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`;
}
