/** What is known of the branches of every folder: listed when a server says so, never polled. */
import * as vscode from "vscode";
import type { FolderClient } from "../client";
import { ServerError } from "../client";
import type { Clients } from "../clients";
import { Pause } from "../pause";
import type { BranchFiles, Check, Summary } from "./answers";
import type { KeptChecks } from "./kept_checks";
import { KnownChecks } from "./known_checks";
import { isToLookAt, type Judgement } from "./wording";

/** A branch of one folder's server. */
export interface Branch {
  readonly client: FolderClient;
  readonly summary: Summary;
}

/** The answer of `understudy/branch/verdict`. */
interface Last {
  readonly revision: number;
  readonly check: Check | null;
  readonly ofNow: boolean;
  /** The last check that asked for less than everything, if it is all that is known of now. */
  readonly inPart: Check | null;
}

/** Somebody who types without a pause sees the tree follow all the same, if seldom: it costs keys. */
const PATIENCE = { pause: 150, limit: 15_000 };

export class BranchStore implements vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly listed = new Map<FolderClient, Promise<readonly Summary[]>>();
  private readonly files = new Map<string, Promise<BranchFiles>>();
  private readonly known: KnownChecks;
  /** For which revision the server was asked for its verdict last. */
  private readonly asked = new Map<string, { revision: number; answered: Promise<void> }>();
  private readonly subscriptions: vscode.Disposable[];
  private readonly pause = new Pause(PATIENCE, () => this.changes.fire());

  /** Fires when something that is shown may have changed; several changes at once count as one. */
  readonly onDidChange = this.changes.event;

  constructor(
    private readonly clients: Clients,
    kept: KeptChecks,
  ) {
    this.known = new KnownChecks(kept);
    this.subscriptions = [
      this.changes,
      clients.onNotification("understudy/branchesChanged", ({ client }) => this.forget(client)),
      clients.onDidChangeState((client) => this.forget(client)),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const client = clients.of(document.uri);
        if (contentChanges.length > 0 && document.uri.scheme === "file" && client !== undefined) {
          this.textMoved(client);
        }
      }),
    ];
  }

  /** The branches of the servers that run; nothing is started for it. */
  async all(): Promise<readonly Branch[]> {
    const found = await Promise.all(
      this.clients
        .running()
        .map(async (client) =>
          (await this.ofClient(client)).map((summary) => ({ client, summary })),
        ),
    );
    return found.flat();
  }

  /** Those to look at, newest first, each with the verdict that its server has. */
  async judged(): Promise<readonly Branch[]> {
    return await this.learned((await this.all()).filter(isToLookAt));
  }

  /** The same of all branches, for who may want one that the folder has already. */
  async everyOne(): Promise<readonly Branch[]> {
    return await this.learned(await this.all());
  }

  /** The files of a branch over the user's text of now. */
  filesOf({ client, summary }: Branch): Promise<BranchFiles> {
    const key = keyOf(client, summary.branch);
    const known = this.files.get(key);
    if (known !== undefined) {
      return known;
    }
    const params = { branch: summary.branch };
    const asked = client.request<BranchFiles>("understudy/branch/files", params);
    this.files.set(key, asked);
    asked.catch(() => this.files.delete(key));
    return asked;
  }

  /** The last check of a branch, if there was one. */
  checkOf({ client, summary }: Branch): Check | undefined {
    return this.known.checkOf(keyOf(client, summary.branch));
  }

  /** The same while it is about the texts of now, whole or of a part. */
  checkOfNow({ client, summary }: Branch): Check | undefined {
    return this.known.checkOfNow(keyOf(client, summary.branch), summary.revision);
  }

  judgementOf({ client, summary }: Branch): Judgement {
    return this.known.judgementOf(keyOf(client, summary.branch), summary.revision);
  }

  /** Checks a branch by `work`, and remembers what came out for the texts of then. */
  async check(branch: Branch, work: () => Promise<Check>): Promise<Check> {
    const { created, revision } = branch.summary;
    const key = keyOf(branch.client, branch.summary.branch);
    this.known.began(key);
    const known = { revision, isPart: false, isStale: false };
    const moving = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const isHere = this.clients.of(document.uri) === branch.client;
      known.isStale ||= isHere && document.uri.scheme === "file" && contentChanges.length > 0;
    });
    this.fire();
    try {
      const check = await work();
      this.known.know(key, created, { ...known, check });
      return check;
    } finally {
      moving.dispose();
      this.known.ended(key);
      this.fire();
    }
  }

  /** Takes over the verdict that the server has, by whomever it was asked: an agent's lint, too. */
  async learn(branch: Branch): Promise<void> {
    const { client, summary } = branch;
    const key = keyOf(client, summary.branch);
    const asked = this.asked.get(key);
    if (summary.files === 0) {
      return;
    }
    if (asked?.revision === summary.revision) {
      await asked.answered; // whoever asks meanwhile waits, too
      return;
    }
    const answered = this.askVerdict(branch, key);
    this.asked.set(key, { revision: summary.revision, answered });
    await answered;
  }

  private async learned(branches: readonly Branch[]): Promise<readonly Branch[]> {
    const newest = [...branches].reverse();
    newest.sort((one, other) => other.summary.created - one.summary.created);
    await Promise.all(newest.map((branch) => this.learn(branch)));
    return newest;
  }

  private async askVerdict(branch: Branch, key: string): Promise<void> {
    const { client, summary } = branch;
    try {
      const params = { branch: summary.branch };
      const last = await client.request<Last>("understudy/branch/verdict", params);
      const check = last.inPart ?? last.check;
      if (check !== null) {
        const isPart = last.inPart !== null;
        const isStale = !isPart && !last.ofNow;
        const known = { revision: last.revision, check, isPart, isStale };
        this.known.know(key, summary.created, known);
      }
    } catch {
      this.asked.delete(key); // it has just been put away; the next list says so
    }
  }

  /** Looks anew at what a server has. */
  forget(client: FolderClient): void {
    this.listed.delete(client);
    for (const key of this.asked.keys()) {
      if (key.startsWith(keyOf(client, ""))) {
        this.asked.delete(key);
      }
    }
    this.forgetFiles(client);
    this.fire();
  }

  dispose(): void {
    vscode.Disposable.from(this.pause, ...this.subscriptions).dispose();
  }

  private ofClient(client: FolderClient): Promise<readonly Summary[]> {
    const known = this.listed.get(client);
    if (known !== undefined) {
      return known;
    }
    const asked = client
      .request<{ branches: readonly Summary[] }>("understudy/branch/list", {})
      .then(({ branches }) => {
        for (const { branch, created } of branches) {
          this.known.dropNamesake(keyOf(client, branch), created);
        }
        return branches;
      })
      .catch((error: unknown) => {
        this.listed.delete(client);
        if (error instanceof ServerError) {
          throw error;
        }
        return []; // the server has just gone; its next start tells
      });
    this.listed.set(client, asked);
    return asked;
  }

  /** What was judged and listed is about an earlier text of the user's. */
  private textMoved(client: FolderClient): void {
    this.known.textMoved(keyOf(client, ""));
    this.forgetFiles(client);
    this.fire();
  }

  private forgetFiles(client: FolderClient): void {
    const folder = keyOf(client, "");
    for (const key of this.files.keys()) {
      if (key.startsWith(folder)) {
        this.files.delete(key);
      }
    }
  }

  private fire(): void {
    this.pause.wait();
  }
}

function keyOf(client: FolderClient, branch: string): string {
  return `${client.folder.uri.toString()} ${branch}`;
}
