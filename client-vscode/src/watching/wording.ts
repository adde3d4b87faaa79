/** The status bar in words: servers and their memory, and what edits since a checkpoint introduce. */
import type { Check, Finding, Reason } from "../branches/answers";
import { count, findingCounts } from "../branches/wording";
import { plain } from "../shown/text";

/** One language server of `understudy/status`. */
export interface ServerStatus {
  readonly name: string;
  readonly root: string;
  readonly state: string;
  readonly resident: number | null;
  readonly n_waiting: number;
  readonly last_error: string | null;
}

/** What is running in a folder, and how many of our requests for verdicts are not answered yet. */
export interface FolderStatus {
  readonly folder: string;
  readonly servers: readonly ServerStatus[];
}

/** `understudy/watched`, and the answer of `understudy/watch`. */
export type Watched =
  | { readonly watching: false }
  | {
      readonly watching: true;
      readonly since: number;
      readonly checking: boolean;
      readonly error: Reason | null;
      readonly verdict: Check["verdict"] | null;
      readonly introduced: number;
      readonly files: number;
      readonly unknown: number;
      readonly report?: Check | null;
    };

export interface Shown {
  readonly text: string;
  readonly tooltip: string;
  /** For a screen reader: no icons. */
  readonly spoken: string;
  readonly isWarning: boolean;
}

/** The item about servers. */
export function statusShown(folders: readonly FolderStatus[], isStarting: boolean): Shown {
  if (isStarting) {
    const spoken = "Understudy is starting";
    return { text: "$(loading~spin) Understudy", tooltip: spoken, spoken, isWarning: false };
  }
  const servers = folders.flatMap((folder) => folder.servers);
  const memory = servers.reduce((sum, { resident }) => sum + (resident ?? 0), 0);
  const waiting = servers.reduce((sum, { n_waiting }) => sum + n_waiting, 0);
  const parts = [
    servers.length === 0 ? "" : `${count(servers.length, "server")}`,
    memory === 0 ? "" : megabytes(memory),
    waiting === 0 ? "" : `${count(waiting, "lint")} waiting`,
  ].filter((part) => part !== "");
  const lines = folders.flatMap(({ folder, servers: some }) => [
    `${folder}: ${some.length === 0 ? "no language server is running" : ""}`,
    ...some.map(serverLine),
  ]);
  return {
    text: `$(versions) ${parts.length === 0 ? "Understudy" : parts.join(" · ")}`,
    tooltip: `Understudy\n${lines.join("\n")}`,
    spoken: `Understudy: ${parts.length === 0 ? "no language server is running" : parts.join(", ")}`,
    isWarning: false,
  };
}

export function serverLine(server: ServerStatus): string {
  const memory = server.resident === null ? "" : `, ${megabytes(server.resident)}`;
  const waiting = server.n_waiting === 0 ? "" : `, ${count(server.n_waiting, "lint")} waiting`;
  const error = server.last_error === null ? "" : `, last error: ${server.last_error}`;
  return `${server.name}: ${server.state}${memory}${waiting}${error}`;
}

/** The item about edits since the checkpoint; `since` as the user reads times. */
export function watchShown(watched: Watched, since: string): Shown | undefined {
  if (!watched.watching) {
    return undefined;
  }
  const { words, icon } = watchWords(watched);
  const spinning = watched.checking ? "$(loading~spin)" : `$(${icon})`;
  const later = watched.checking ? ", checking what changed since" : "";
  const spoken = `Edits since ${since}: ${words}${later}`;
  return {
    text: `${spinning} ${words}`,
    tooltip: `${spoken}\nUnderstudy judges your text and all files against how they were at ${since}. Select for the list.`,
    spoken,
    isWarning: watched.verdict === "findings",
  };
}

function watchWords(watched: Watched & { watching: true }): { words: string; icon: string } {
  if (watched.error !== null) {
    return { words: `edits unknown: ${watched.error.code}`, icon: "question" };
  }
  switch (watched.verdict) {
    case null:
      return { words: "edits not judged yet", icon: "eye" };
    case "clean":
      if (watched.checking) {
        return { words: "checking edits", icon: "eye" }; // clean was an earlier text
      }
      return watched.files === 0
        ? { words: "no edits yet", icon: "eye" }
        : { words: "edits clean", icon: "pass" };
    case "unknown":
      return { words: `edits unknown (${count(watched.unknown, "file")})`, icon: "question" };
    case "findings": {
      const also = watched.unknown > 0 ? `, ${count(watched.unknown, "file")} unknown` : "";
      return {
        words: `edits introduce ${count(watched.introduced, "finding")}${also}`,
        icon: "error",
      };
    }
  }
}

/** The list behind the item: what is unknown stands first, as nothing else says more. */
export function reportRows(report: Check): readonly Row[] {
  const unknown = report.files
    .filter((file) => file.verdict === "unknown")
    .map(({ path, reason }): Row => {
      const why = reason === null ? "" : `: ${reason.code}`;
      const detail = plain(reason?.text ?? "");
      return { label: `$(question) unknown, not verified${plain(why)}`, path, line: 0, detail };
    });
  const found = [...report.introduced, ...report.unattributed].map(findingRow);
  return [...unknown, ...found];
}

export interface Row {
  readonly label: string;
  readonly path: string;
  /** From 0. */
  readonly line: number;
  readonly detail: string;
}

function findingRow(finding: Finding): Row {
  const { severity, message, path, range, code, server } = finding;
  const icon = severity === "error" ? "error" : severity === "warning" ? "warning" : "info";
  const detail = plain(code === null ? server : `${code} (${server})`);
  return { label: `$(${icon}) ${plain(message)}`, path, line: range.start.line, detail };
}

/** What the list is headed with. */
export function reportTitle(report: Check, since: string): string {
  switch (report.verdict) {
    case "clean":
      return `Edits since ${since} are clean`;
    case "findings":
      return `Edits since ${since} introduce ${findingCounts(report.introduced)}`;
    case "unknown":
      return `Edits since ${since} are unknown, not verified`;
  }
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
