/** "Rehearse an Agent Here…": an agent, as it is, in a terminal of the editor and a branch of its own. */
import * as vscode from "vscode";
import { wordsOf } from "../branches/command_line";
import { terminalArguments } from "../environment";
import { interpreterFor } from "../interpreter";
import type { Services } from "../services";
import { plain } from "../shown/text";
import type { Agent } from "./wording";

interface Agents {
  readonly agents: readonly Agent[];
  /** Why none can rehearse on this system. */
  readonly why: string | null;
}

/** What is to live in a branch, and what people call it. */
interface Meant {
  readonly title: string;
  readonly words: readonly string[];
}

interface Choice extends vscode.QuickPickItem {
  readonly meant?: Meant;
}

const MAX_TITLE = 200;
let lastTyped = "";

/** Asks what is to live in a branch, and how that is called, and starts it. */
export async function rehearse(
  context: vscode.ExtensionContext,
  { clients, log }: Services,
): Promise<vscode.Terminal | undefined> {
  const client = await clients.choose();
  if (client === undefined) {
    return undefined;
  }
  const { agents, why } = await client.request<Agents>("understudy/rehearsal/agents", {});
  if (why !== null) {
    throw new Error(`${why}.`);
  }
  const meant = await commandMeant(agents);
  if (meant === undefined) {
    return undefined;
  }
  const name = await vscode.window.showInputBox({
    title: `Rehearse ${plain(meant.title)}`,
    prompt: `What is it for? The branch is called so. Enter: ${plain(meant.title)}`,
    validateInput: (text) =>
      text.length > MAX_TITLE ? `At most ${MAX_TITLE} characters.` : undefined,
  });
  if (name === undefined) {
    return undefined;
  }
  const python = await interpreterFor(client.folder, log);
  const title = name.trim() === "" ? meant.title.slice(0, MAX_TITLE) : name.trim();
  const words = ["rehearse", "--root", client.folder.uri.fsPath, "--name", title, "--"];
  const terminal = vscode.window.createTerminal({
    name: title,
    iconPath: new vscode.ThemeIcon("git-branch"),
    cwd: client.folder.uri,
    shellPath: python.path,
    shellArgs: terminalArguments(context.extensionPath, [...words, ...meant.words], true),
  });
  terminal.show();
  return terminal;
}

async function commandMeant(agents: readonly Agent[]): Promise<Meant | undefined> {
  const items: Choice[] = [
    ...agents.map(({ title, program, preset }) => ({
      label: plain(title),
      description: plain(program),
      detail: preset
        ? "What it needs (hosts, login, settings) is shown in the terminal, and asked once"
        : "Without network, and without your home",
      meant: { title, words: [program] },
    })),
    { label: "A Command…", detail: "Any program: it may be an agent, a script or a shell" },
  ];
  const placeHolder = "What is to work in a branch? Your files stay as they are until you accept";
  const title = "Rehearse an Agent Here";
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder });
  return picked === undefined || picked.meant !== undefined ? picked?.meant : typedCommand();
}

async function typedCommand(): Promise<Meant | undefined> {
  const typed = await vscode.window.showInputBox({
    title: "Rehearse a Command",
    prompt:
      "A program and its arguments; without network, unless you start it in a terminal with --net",
    placeHolder: "claude --model opus",
    value: lastTyped,
    validateInput: refusalOf,
  });
  if (typed === undefined) {
    return undefined;
  }
  lastTyped = typed;
  return { title: typed.trim(), words: wordsOf(typed) };
}

function refusalOf(text: string): string | undefined {
  try {
    return wordsOf(text).length === 0 ? "Type a command." : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
