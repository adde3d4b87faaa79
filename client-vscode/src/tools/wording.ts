import { oneLine, plain, visible } from "../shown/text";
/** What the user reads of a tool's call: while it runs, and before it may. */

export interface Question {
  readonly title: string;
  readonly text: string;
  /** Shown as it is, in a block of its own below the text. */
  readonly command: string;
}

type Input = Record<string, unknown>;

/** Why nothing is asked and nothing is run; the model passes it on to the user. */
export const UNTRUSTED =
  "programs run in trusted folders only, and this window's are not: " +
  "the user can trust them by `Workspaces: Manage Workspace Trust`";

/** A line for the chat while the tool is at work. */
export function progressLine(tool: string, input: Input): string {
  if (tool === "understudy_run") {
    return "Running a command on a private copy";
  }
  if (tool === "understudy_code" && input.action === "affected") {
    return "Looking for the files that a change can reach";
  }
  if (tool === "understudy_code" && (input.action === "rename" || input.action === "move")) {
    return `Trying a ${input.action} on a branch`;
  }
  if (tool === "understudy_code" && typeof input.symbol === "string") {
    return `Looking at the ${plain(String(input.action))} of ${plain(input.symbol)}`;
  }
  if (tool === "understudy_context" || tool === "understudy_code") {
    return `Looking at ${typeof input.path === "string" ? plain(input.path) : `the ${plain(String(input.action))}`}`;
  }
  const edits = Array.isArray(input.edits)
    ? input.edits.length
    : typeof input.diff === "string"
      ? 1
      : 0;
  if (edits > 0) {
    return "Checking edits on a shadow copy";
  }
  return typeof input.branch === "string"
    ? `Judging branch ${plain(input.branch)}`
    : "Judging what has changed since this chat began";
}

/** What the user has to allow first; undefined for a call that changes and runs nothing. */
export function question(tool: string, input: Input, folder: string): Question | undefined {
  if (tool === "understudy_run") {
    const words = Array.isArray(input.command) ? input.command.map(String) : [];
    const isService = typeof input.until === "string";
    if (
      Array.isArray(input.command) &&
      words.length === 0 &&
      typeof input.stage === "string" &&
      !isService
    ) {
      return undefined; // it ends what the user has allowed before
    }
    const goesOn = isService ? " It goes on until the AI ends it, or this window closes." : "";
    const place =
      typeof input.cwd === "string" && input.cwd !== "." ? `${quoted(input.cwd)} of ` : "";
    const network =
      input.network === "host" ? "It may use **your network**." : "It gets no network.";
    return {
      title: "Run a command on a private copy?",
      command: visible(shellLine(words)),
      text:
        `The command below would run in ${place}a private copy of ${quoted(folder)} that holds the AI's edits; your files stay ` +
        `as they are. ${network} Where nothing can keep it apart from your files, it is not run.${goesOn}`,
    };
  }
  if (tool === "understudy_context" && input.action === "call") {
    return {
      title: "Call a tool of an MCP server?",
      command: visible(`${String(input.tool)} ${JSON.stringify(input.arguments ?? {})}`),
      text: "The server runs with your rights; what it answers is kept as a file.",
    };
  }
  return undefined;
}

/** Text in Markdown that a model has chosen, or a workspace: it must not look like our own words. */
function quoted(text: string): string {
  const line = oneLine(text.replaceAll(/\s+/g, " "));
  return `\`${line.replaceAll("`", "'")}\``;
}

/** A command as one would type it. */
export function shellLine(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`))
    .join(" ");
}
