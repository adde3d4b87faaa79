/** What the server answers about branches, as docs/reference/lsp-branches.md has it. */

import type { Region } from "../merging/untouched";

export type Verdict = "clean" | "findings" | "unknown";

export interface Summary {
  readonly branch: string;
  readonly title: string;
  /** What it is for, as every face calls it; "" while nobody can say. */
  readonly called: string;
  /** s since 1970. */
  readonly created: number;
  readonly revision: number;
  readonly files: number;
  readonly ended: "discarded" | "accepted" | "expired" | null;
  /** Whether all of its edits are in the folder already; null while nobody has looked. */
  readonly in_folder?: boolean | null;
  /** What lives in it, while it does. */
  readonly rehearsal?: Rehearsal;
}

export interface Rehearsal {
  readonly command: readonly string[];
  readonly pid: number;
  readonly warnings: readonly string[];
  /** Files in which the user has changed the same lines. */
  readonly collisions: readonly string[];
  /** Addresses at which its ports are shown; none from an older server. */
  readonly published?: readonly string[];
}

export interface Hunk {
  readonly hunk: string;
  /** Lines from 0, the end exclusive. */
  readonly before: { readonly start: number; readonly end: number };
  readonly after: { readonly start: number; readonly end: number };
  /** Each begins with `-` or `+`. */
  readonly lines: readonly string[];
  readonly left_out: number;
}

export interface ChangedFile {
  readonly path: string;
  readonly kind: "added" | "modified" | "deleted" | "renamed";
  readonly origin: string | null;
  /** Why it no longer fits the user's text. */
  readonly conflict: string | null;
  readonly added: number;
  readonly removed: number;
  /** What the change has the user's own tools run, and when; absent from an earlier version. */
  readonly runs?: string | null;
  readonly hunks: readonly Hunk[];
}

export interface BranchFiles {
  readonly branch: string;
  readonly title: string;
  readonly stamp: string;
  readonly revision: number;
  readonly files: readonly ChangedFile[];
}

export interface Finding {
  readonly path: string;
  readonly range: {
    readonly start: { readonly line: number; readonly character: number };
    readonly end: { readonly line: number; readonly character: number };
  };
  readonly severity: "error" | "warning" | "information" | "hint";
  readonly code: string | null;
  readonly message: string;
  readonly server: string;
}

/** A finding that is no longer said only because something keeps the checker from looking. */
export interface Hidden extends Finding {
  readonly by: {
    readonly path: string;
    readonly range: Finding["range"] | null;
    readonly message: string;
  };
}

export interface Reason {
  readonly code: string;
  readonly text: string;
}

/** What an edit adds so that a checker or a test says less; the line is counted from 0. */
export interface Silencing {
  readonly path: string;
  readonly line: number;
  readonly how: string;
  readonly what: string;
  readonly findings: readonly Finding[];
}

export interface Check {
  readonly verdict: Verdict;
  readonly stamp: string;
  readonly base_moved: boolean;
  readonly introduced: readonly Finding[];
  readonly fixed: readonly Finding[];
  readonly hidden: readonly Hidden[];
  /** Absent from a server of an earlier version. */
  readonly silenced?: readonly Silencing[];
  readonly unattributed: readonly Finding[];
  readonly remaining: number;
  readonly unjudged: readonly string[];
  readonly files: readonly {
    readonly path: string;
    readonly verdict: Verdict;
    readonly reason: Reason | null;
    readonly servers: readonly { readonly name: string; readonly reason: Reason | null }[];
  }[];
  /** Where servers' fixes were asked for. */
  readonly mended?: { readonly fixes: readonly { readonly kept: boolean }[] };
  /** Not the server's: it is known that only a part was asked, so nothing is clean by it. */
  readonly isPart?: true;
}

export interface Conflict {
  readonly path: string;
  readonly reason: string;
  /** Whether the agent may be asked to settle it; absent from an earlier version. */
  readonly can_send?: boolean;
  readonly base: string | null;
  readonly ours: string | null;
  readonly theirs: string | null;
  /** The places that both sides changed; empty where whole files collide. */
  readonly regions?: readonly Region[];
  /** Names both sides as they are. */
  readonly seen: string;
}

/** The branch that is left, null if nothing is, and where the rest went. */
export interface Parted {
  readonly branch: { readonly branch: string; readonly files: readonly string[] } | null;
  readonly archived: string | null;
}

export interface Accepted extends Parted {
  readonly outcome: "applied" | "unconfirmed" | "conflict" | "refused" | "unknown";
  readonly text: string;
  readonly paths: readonly string[];
  readonly created: readonly string[];
  readonly deleted: readonly string[];
  readonly renamed: readonly { readonly path: string; readonly to: string }[];
  readonly merged: readonly string[];
  readonly unseen: readonly string[];
  readonly conflicts: readonly Conflict[];
}

export interface Receipt {
  readonly status: number;
  readonly limit: string | null;
  readonly output: {
    readonly path: string;
    readonly lines: number;
    readonly bytes: number;
    readonly left_out: number;
  };
  readonly n_changed: {
    readonly added: number;
    readonly modified: number;
    readonly deleted: number;
  };
  readonly base_moved: boolean;
}
