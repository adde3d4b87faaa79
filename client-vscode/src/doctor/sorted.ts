/** What the server's look has found, sorted for who reads it: what to mend, what works, the rest. */
import { count } from "../branches/wording";

/** As `understudy/doctor` answers. */
export interface HealthFinding {
  readonly subject: string;
  readonly state: "ok" | "problem" | "unused";
  readonly text: string;
}

/** What a button does: a command of the editor or of ours. */
export interface Remedy {
  readonly title: string;
  readonly command: string;
  readonly given: readonly unknown[];
}

export interface Row extends HealthFinding {
  readonly remedies: readonly Remedy[];
}

export interface Sorted {
  readonly summary: string;
  readonly problems: readonly Row[];
  readonly working: readonly Row[];
  /** Servers that nothing here needs, and what is the same for every folder. */
  readonly rest: readonly Row[];
}

/** Of Understudy and of its stages, in the order of the answer; all others are language servers. */
const ABOUT_SERVERS = (subject: string) =>
  !/^stage |^(understudy|state folder|host)$/.test(subject);
const OURS = new Set([
  ...["understudy", "state folder", "host", "trust", "folders", "python"],
  ...["outlines", "processes", "recording"],
]);
const NOT_TRUSTED = "not trusted";
/** How the server says of a program that it would run code of a folder that nobody trusts. */
const UNTRUSTED = /^untrusted: |, and (?:it|this folder) is not trusted: /;
/** The server says what is missing, then how it is had, then what may do that. */
const INSTALL = /(?:^not| is(?: not)?) installed: (.+?)(?:; `|$)/;

export function sorted(found: readonly HealthFinding[]): Sorted {
  const rows = found.map((one): Row => ({ ...one, remedies: remediesOf(one) }));
  const problems = rows.filter(({ state, text }) => state === "problem" || isUntrusted(text));
  const working = rows.filter((row) => {
    return row.state === "ok" && !problems.includes(row) && ABOUT_SERVERS(row.subject);
  });
  const rest = rows.filter((row) => !problems.includes(row) && !working.includes(row));
  return { summary: summaryOf(rows, problems), problems, working, rest };
}

function summaryOf(rows: readonly Row[], problems: readonly Row[]): string {
  const judges = rows.filter((row) => row.state === "ok" && isServer(row));
  const names = judges.map(({ subject }) => subject).join(", ");
  const judged =
    judges.length === 0
      ? "No language server judges the files of this folder"
      : `${count(judges.length, "language server")} of this folder can be asked: ${names}`;
  const runs = rows.some(
    ({ subject, state }) => /^stage (overlay|copy)/.test(subject) && state === "ok",
  );
  const ran = runs ? "commands can be run" : "no command can be run";
  return `${judged}; ${ran}. ${problems.length === 0 ? "Nothing to mend." : `${count(problems.length, "thing")} to mend.`}`;
}

function isServer({ subject }: HealthFinding): boolean {
  return !OURS.has(subject) && !subject.startsWith("stage ");
}

function isUntrusted(text: string): boolean {
  return text.startsWith(NOT_TRUSTED);
}

/** What can be done about it here; what has to be typed elsewhere is copied. */
function remediesOf(finding: HealthFinding): readonly Remedy[] {
  const { subject, state, text } = finding;
  if (isUntrusted(text) || UNTRUSTED.test(text)) {
    return [button("Trust This Folder…", "workbench.trust.manage")];
  }
  if (state !== "problem") {
    return [];
  }
  if (subject === "python") {
    return [settings("understudy.python")];
  }
  if (subject.startsWith("stage ")) {
    return [settings("understudy.advanced"), page()];
  }
  if (!isServer(finding)) {
    return [page()];
  }
  const [, install] = INSTALL.exec(text) ?? [];
  if (install !== undefined) {
    const copy = button("Copy How to Install It", "understudy.doctor.copy", install);
    return [copy, settings("understudy.serverPath")];
  }
  return [
    button("Restart the Server", "understudy.restart"),
    button("Show Log", "understudy.showLog"),
  ];
}

/** Where there is no server that could be asked. */
export function unasked(reason: string): Sorted {
  const remedies = [
    button("Choose a Python…", "understudy.chooseInterpreter"),
    button("Restart the Server", "understudy.restart"),
    button("Show Log", "understudy.showLog"),
  ];
  const row: Row = { subject: "server", state: "problem", text: reason, remedies };
  const summary = "Nothing works here yet: Understudy's own server cannot be asked.";
  return { summary, problems: [row], working: [], rest: [] };
}

function button(title: string, command: string, ...given: readonly unknown[]): Remedy {
  return { title, command, given };
}

function settings(name: string): Remedy {
  return button("Open Settings", "workbench.action.openSettings", name);
}

function page(): Remedy {
  return button("Open the Documentation", "understudy.openPage");
}
