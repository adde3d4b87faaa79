/** What a tool is called with: which folder is meant, and which chat it comes from. */

/** A folder as an agent may name it. */
export interface Folder {
  readonly name: string;
  readonly path: string;
}

/** A call that is not passed on, with the name of the mistake; the model reads the message. */
export class BadCall extends Error {
  constructor(
    readonly code: string,
    text: string,
  ) {
    super(`${code}: ${text}`);
  }
}

/** The input without `root`, and `root` itself; the editor does not check inputs, so it is done here. */
export function splitRoot(input: unknown): {
  root: string | undefined;
  rest: Record<string, unknown>;
} {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new BadCall("bad-params", "the input must be a JSON object");
  }
  const { root, ...rest } = input as Record<string, unknown>;
  if (root !== undefined && root !== null && typeof root !== "string") {
    throw new BadCall("bad-params", "root: expected a string");
  }
  return { root: root ?? undefined, rest };
}

/**
 * The folder that a call is about.
 *
 * With several of them it must be named: a verdict on another folder than the agent has changed
 * would be taken for one on its own.
 */
export function folderMeant(folders: readonly Folder[], root: string | undefined): Folder {
  const [first, second] = folders;
  if (first === undefined) {
    throw new BadCall("no-such-root", "no folder is open in the editor, so nothing can be judged");
  }
  if (root === undefined) {
    if (second !== undefined) {
      throw new BadCall(
        "bad-params",
        `root: several folders are open, name one: ${names(folders)}`,
      );
    }
    return first;
  }
  const meant = withoutEnd(root);
  const fitting = folders.filter(({ name, path }) => meant === name || meant === withoutEnd(path));
  if (fitting[0] === undefined) {
    throw new BadCall("no-such-root", `${root}: open are ${names(folders)}`);
  }
  if (fitting.length > 1) {
    throw new BadCall("bad-params", `root: several folders have this name: ${names(fitting)}`);
  }
  return fitting[0];
}

/**
 * A name for the chat that a tool is called from; calls of one chat share a branch.
 *
 * The editor's types promise nothing about the token, so it is looked at as it is.
 */
export function sessionOf(options: unknown): string {
  const token = field(options, "toolInvocationToken");
  const candidates = [
    field(options, "chatSessionResource"),
    field(token, "sessionResource"),
    field(token, "sessionId"),
  ];
  return candidates.map(identity).find((name) => name !== undefined) ?? "editor";
}

function identity(value: unknown): string | undefined {
  if (typeof value === "string" && value !== "") {
    return value;
  }
  const parts = ["scheme", "authority", "path"].map((key) => field(value, key));
  return typeof parts[0] === "string" && typeof parts[2] === "string"
    ? `${parts[0]}://${String(parts[1] ?? "")}${parts[2]}`
    : undefined;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function names(folders: readonly Folder[]): string {
  return folders.map(({ name, path }) => `${name} (${path})`).join(", ");
}

function withoutEnd(path: string): string {
  return path.length > 1 ? path.replace(/[/\\]$/, "") : path;
}
