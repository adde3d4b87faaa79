/** The tools for the AI in the editor; their texts are the server's, the same as over MCP. */
import * as vscode from "vscode";
import { ServerError, type FolderClient } from "../client";
import type { Clients } from "../clients";
import { errorText } from "../log";
import type { Feature } from "../services";
import { BadCall, folderMeant, sessionOf, splitRoot } from "./input";
import { progressLine, question, UNTRUSTED } from "./wording";

/** As `contributes.languageModelTools` has them. */
const TOOLS = [
  "understudy_lint",
  "understudy_run",
  "understudy_context",
  "understudy_code",
] as const;

/** Set where no stage can run commands, as the server has found out: the tool is then not offered. */
const CANNOT_RUN = "understudy.cannotRun";

/** The answer of `understudy/tool`. */
interface Answer {
  readonly text: string;
  readonly branch: string | null;
}

type Options = vscode.LanguageModelToolInvocationOptions<object>;

export const registerTools: Feature = (context, { clients, log }) => {
  // Editors that are built from VS Code may lack the whole of `vscode.lm`.
  if (typeof (vscode.lm as typeof vscode.lm | undefined)?.registerTool !== "function") {
    log.info("this editor has no tools for language models");
    return;
  }
  // A server that was started anew knows the branches, but not which chat had which.
  const branches = new Map<string, string>();
  for (const tool of TOOLS) {
    context.subscriptions.push(
      vscode.lm.registerTool<object>(tool, {
        prepareInvocation: ({ input }) => prepared(clients, tool, input),
        invoke: (options, token) => invoke(clients, branches, log, tool, options, token),
      }),
    );
  }
};

async function invoke(
  clients: Clients,
  branches: Map<string, string>,
  log: vscode.LogOutputChannel,
  tool: string,
  options: Options,
  token: vscode.CancellationToken,
): Promise<vscode.LanguageModelToolResult> {
  try {
    const { root, rest } = splitRoot(options.input);
    const session = sessionOf(options);
    const client = clientMeant(clients, root);
    const chat = `${client.folder.uri.toString()} ${session}`;
    const params = { tool, input: rest, session, resume: branches.get(chat) ?? null };
    const { text, branch } = await client.request<Answer>("understudy/tool", params, token);
    if (branch !== null) {
      branches.set(chat, branch);
    }
    return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
  } catch (error) {
    if (token.isCancellationRequested) {
      throw new vscode.CancellationError();
    }
    log.info(`${tool}: ${errorText(error)}`);
    if (error instanceof ServerError && error.code === "cannot-run") {
      void vscode.commands.executeCommand("setContext", CANNOT_RUN, true);
    }
    throw told(error);
  }
}

/** The error as the model reads it: by its name, and never as if something had been judged. */
function told(error: unknown): Error {
  if (error instanceof ServerError) {
    return new Error(`${error.code}: ${error.message}`);
  }
  return error instanceof BadCall
    ? error
    : new Error(`NOT VERIFIED, Understudy could not answer: ${errorText(error)}`);
}

/**
 * Without side effects: it may be called for calls that are never made.
 *
 * Raises BadCall `untrusted` for what runs programs, in a folder that the user does not trust.
 */
function prepared(
  clients: Clients,
  tool: string,
  input: object,
): vscode.PreparedToolInvocation | undefined {
  const fields = input as Record<string, unknown>;
  const folders = clients.all().map(({ folder }) => folder.name);
  const named = typeof fields.root === "string" ? fields.root : (folders[0] ?? "the folder");
  const asked = question(tool, fields, named);
  const invocationMessage = progressLine(tool, fields);
  if (asked === undefined) {
    return { invocationMessage };
  }
  if (!vscode.workspace.isTrusted) {
    // The server would refuse it: nobody is asked for leave that cannot be given.
    throw new BadCall("untrusted", UNTRUSTED);
  }
  // A dialog without Markdown glues what follows a block to it, but not what stands before one.
  const message = new vscode.MarkdownString(asked.text);
  message.appendCodeblock(asked.command, "shellscript");
  return { invocationMessage, confirmationMessages: { title: asked.title, message } };
}

function clientMeant(clients: Clients, root: string | undefined): FolderClient {
  const all = clients.all();
  const folders = all.map(({ folder }) => ({ name: folder.name, path: folder.uri.fsPath }));
  const meant = folderMeant(folders, root);
  const found = all[folders.indexOf(meant)];
  if (found === undefined) {
    throw new BadCall("no-such-root", "the folder was closed meanwhile");
  }
  return found;
}
