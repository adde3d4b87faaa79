/** The server of one workspace folder, started at its first request and again after a crash. */
import type { LanguageClient, LanguageClientOptions } from "vscode-languageclient/node";
import * as vscode from "vscode";
import { CrashCount } from "./crashes";
import { withContents } from "./created_files";
import { interpreterFor } from "./interpreter";
import { asServerError } from "./server_error";
import { ServerProcess } from "./server_process";
import { SECTION, serverSettings } from "./settings";

export { ServerError } from "./server_error";

export type ServerState = "idle" | "starting" | "running" | "failed";

/** What the server is told at `initialize`, see `initializationOptions` in docs/reference/lsp.md. */
export type Options = Record<string, unknown>;

/** What a client needs to know of its surroundings. */
export interface Surroundings {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  options(folder: vscode.WorkspaceFolder): Promise<Options>;
  notified(client: FolderClient, method: string, params: unknown): void;
  stateChanged(client: FolderClient): void;
}

/** The server's notifications, handed on by `Clients.onNotification`. */
const NOTICES = [
  "understudy/branchesChanged",
  "understudy/serversChanged",
  "understudy/mcpChanged",
  "understudy/watched",
] as const;

const STOP_MS = 1500;

export class FolderClient {
  private current: ServerState = "idle";
  private reason: unknown;
  private started: Promise<LanguageClient> | undefined;
  private server: ServerProcess | undefined;
  private ending: Promise<void> = Promise.resolve();
  private hasRun = false;
  private readonly crashes = new CrashCount();

  constructor(
    readonly folder: vscode.WorkspaceFolder,
    private readonly around: Surroundings,
  ) {}

  get state(): ServerState {
    return this.current;
  }

  /** Why the state is `failed`; undefined in every other. */
  get failure(): unknown {
    return this.current === "failed" ? this.reason : undefined;
  }

  /** The server's process id while there is one. */
  get pid(): number | undefined {
    return this.server?.pid;
  }

  /** The running client; the first call starts the server, as does one after a failure. */
  client(): Promise<LanguageClient> {
    this.started ??= this.start().catch((error: unknown) => {
      this.fail(asServerError(error));
      throw asServerError(error);
    });
    return this.started;
  }

  /** The client once its server runs, also while that is being started again after a crash. */
  async running(): Promise<LanguageClient> {
    const client = await this.client();
    if (this.current === "starting") {
      await client.start(); // it returns what it has begun
    }
    return client;
  }

  /** Sends a request, starting the server if need be; raises ServerError for what it refuses. */
  async request<T>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<T> {
    const client = await this.client();
    try {
      // A token that is undefined would be sent as a second parameter.
      return await (token === undefined
        ? client.sendRequest<T>(method, params)
        : client.sendRequest<T>(method, params, token));
    } catch (error) {
      throw asServerError(error);
    }
  }

  /** Tells a running server something; one that does not run needs no telling. */
  async notify(method: string, params: unknown): Promise<void> {
    if (this.current === "running") {
      const client = await this.client();
      await client.sendNotification(method, params);
    }
  }

  /** Ends the server; returns within about two seconds, whatever it does. */
  async stop(): Promise<void> {
    const { started, server } = this;
    this.started = this.server = undefined;
    if (server !== undefined) {
      this.ending = server.ended;
    }
    const stopped = started?.then((client) => client.dispose(STOP_MS));
    const waited = Promise.race([stopped, new Promise((done) => setTimeout(done, STOP_MS))]);
    await waited.catch(() => undefined); // it may have failed to start, or not answer
    server?.end();
    if (this.started === undefined) {
      this.enter("idle"); // else somebody has asked meanwhile, and the next one starts
    }
  }

  private enter(state: ServerState): void {
    if (this.current !== state) {
      this.current = state;
      this.around.stateChanged(this);
    }
  }

  private fail(reason: unknown): void {
    this.started = undefined;
    this.server?.end();
    this.reason = reason;
    this.enter("failed");
  }

  private async start(): Promise<LanguageClient> {
    this.hasRun = false;
    this.enter("starting");
    const begun = Date.now();
    const { context, log } = this.around;
    await this.ending; // the one before still holds the folder's lock
    const [python, options, languageClient] = await Promise.all([
      interpreterFor(this.folder, log),
      this.around.options(this.folder),
      import("vscode-languageclient/node"),
    ]);
    const { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn, State } =
      languageClient;
    const launch = () => {
      this.server = ServerProcess.start(python.path, context.extensionPath, log);
      return Promise.resolve(this.server.child);
    };
    const client = new LanguageClient(SECTION, "Understudy", launch, {
      ...this.clientOptions(options),
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          const restarts = this.mayRestart();
          return {
            action: restarts ? CloseAction.Restart : CloseAction.DoNotRestart,
            handled: true,
          };
        },
      },
    });
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        this.hasRun = true;
        this.enter("running");
      } else if (newState === State.Starting) {
        this.enter("starting");
      }
    });
    for (const method of NOTICES) {
      client.onNotification(method, (params) => this.around.notified(this, method, params));
    }
    await client.start();
    const server = client.initializeResult?.serverInfo?.version ?? "of unknown version";
    log.info(`${this.folder.name}: server ${server} ready after ${Date.now() - begun} ms`);
    return client;
  }

  private clientOptions(options: Options): LanguageClientOptions {
    const inFolder = { baseUri: this.folder.uri.toString(), pattern: "**" };
    return {
      documentSelector: [{ scheme: "file", pattern: inFolder }],
      workspaceFolder: this.folder,
      outputChannel: this.around.log,
      initializationOptions: options,
      initializationFailedHandler: () => false,
      middleware: {
        workspace: {
          handleApplyEdit: (params, next) => {
            const never = new vscode.CancellationTokenSource().token; // an edit is applied or not
            return next(withContents(params), never);
          },
          configuration: async (params, token, next) => {
            const answers = await next(params, token);
            return Array.isArray(answers)
              ? params.items.map(({ section }, index) =>
                  section === SECTION
                    ? serverSettings(this.around.context, this.folder)
                    : (answers[index] as unknown),
                )
              : answers;
          },
        },
      },
    };
  }

  /** Whether a server that has ended by itself is to be started again at once. */
  private mayRestart(): boolean {
    if (!this.hasRun) {
      return false; // it cannot be started, which `start` says
    }
    if (this.crashes.mayRestart(Date.now())) {
      this.around.log.warn(`${this.folder.name}: the server has ended; it is started again`);
      return true;
    }
    this.fail(new Error(`Understudy's server ended ${this.crashes.text}.`));
    return false;
  }
}
