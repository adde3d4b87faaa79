/** The side bar's view of branches, and a command for each verb. */
import * as vscode from "vscode";
import { errorText } from "../log";
import { openInBrowser, registerRehearsals, sendFindings, stop } from "../rehearsal/register";
import { registerReview } from "../review/register";
import type { Feature, Services } from "../services";
import { accept, acceptBranch, reject, type Wanted } from "./accept";
import { check, checkAndTell } from "./check";
import { JudgedTexts, mend } from "./judged";
import { sendConflicts } from "./conflict";
import { tellOfArrivals } from "./in_folder";
import { KeptChecks } from "./kept_checks";
import { compare, filterBranches, rename } from "./look";
import { branchMeant, fileMeant, hunksMeant, nodeOf, pathOf, type Given } from "./meant";
import { run } from "./run";
import { BranchStore, type Branch } from "./store";
import { BranchTexts, closeEnded, openOwn, openPlace } from "./texts";
import { SCHEME } from "./uris";
import { Undos } from "./undo";
import { create, discard, rebase, reopen, show } from "./verbs";
import { receiptText } from "./receipt";
import { count, isOpen, isToLookAt } from "./wording";
import { completeMerge, registerMerges } from "../merging/merges";
import { showError } from "../shown/notices";
import { Marks } from "../tree/marks";
import type { BranchNode, Node } from "../tree/nodes";
import { BranchTree, VIEW } from "../tree/view";

/** Whether this folder had branches when it was open last: then the view may start the server. */
const KEPT = "understudy.branchesKept";

export const registerBranches: Feature = (context, services) => {
  const { clients, log } = services;
  clients.addOptions(() => ({ user: true })); // this is the window that the user sits at
  const store = new BranchStore(clients, new KeptChecks(context.workspaceState));
  const tree = new BranchTree(store);
  const texts = new BranchTexts(clients);
  const judged = new JudgedTexts();
  const undos = new Undos(store);
  const view = vscode.window.createTreeView(VIEW, {
    treeDataProvider: tree,
    showCollapseAll: true,
  });
  context.subscriptions.push(
    ...[store, tree, texts, judged, view, tellOfArrivals(store, log)],
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, texts),
    store.onDidChange(() => {
      texts.refresh();
      void closeEnded(store, clients).catch((error: unknown) => log.debug(errorText(error)));
      void remember(context, store, view).catch((error: unknown) => log.debug(errorText(error)));
    }),
    view.onDidChangeVisibility(({ visible }) => {
      tree.setVisible(visible);
      if (visible) {
        startWhereKept(context, services);
      }
    }),
    // Not on the view's event: the editor drops it for a row that is being drawn anew.
    tree.onDidOpen((node) => checkWhenOpened(services, store, node)),
    view.onDidCollapseElement(({ element }) => tree.close(element)),
    vscode.window.registerFileDecorationProvider(new Marks()),
    registerMerges(),
    command("understudy.branch.completeMerge", (given?: vscode.Uri) => completeMerge(given)),
    command("understudy.branch.filter", () => filterBranches(tree)),
    tree.onDidFilter((told) => {
      const shown: { message?: string | undefined } = view;
      shown.message = told;
    }),
    ...commands(context, services, store, undos, judged),
  );
  registerReview(context, services, store, undos);
  registerRehearsals(context, services, store);
  tree.setVisible(view.visible);
  if (view.visible) {
    startWhereKept(context, services);
  }
};

function commands(
  context: vscode.ExtensionContext,
  services: Services,
  store: BranchStore,
  undos: Undos,
  judged: JudgedTexts,
): vscode.Disposable[] {
  const { clients } = services;
  const onBranch = (name: string, work: (branch: Branch, node: Node | undefined) => unknown) =>
    command(name, async (...given: Given[]) => {
      const [on] = given;
      if (given.length > 0 && on === undefined) {
        // A row that the editor has just dropped for a new drawing; from the palette comes nothing.
        throw new Error("the list was being drawn anew; click once more.");
      }
      const node = nodeOf(clients, on);
      const branch = await branchMeant(store, clients, node);
      if (branch !== undefined) {
        await work(branch, node);
      }
    });
  const meant = async (branch: Branch, node: Node | undefined): Promise<Wanted | undefined> => {
    const file = await fileMeant(store, branch, node);
    return file === undefined ? undefined : { paths: [file.path] };
  };
  return [
    command("understudy.branch.show", () => show(services)),
    command("understudy.branch.new", () => create(services)),
    onBranch("understudy.branch.check", (branch) => checkAndTell(store, branch)),
    onBranch("understudy.branch.judged", (branch) => judged.show(store, branch)),
    onBranch("understudy.branch.mend", (branch) => mend(store, branch)),
    onBranch("understudy.branch.run", (branch) => run(branch)),
    onBranch("understudy.branch.rebase", (branch) => rebase(branch)),
    onBranch("understudy.branch.accept", (branch) => acceptBranch(store, branch)),
    onBranch("understudy.branch.acceptFile", async (branch, node) => {
      const wanted = await meant(branch, node);
      return wanted && accept(store, branch, wanted);
    }),
    onBranch("understudy.branch.acceptHunks", async (branch, node) => {
      const wanted = await chosenHunks(store, branch, node, "Accept");
      return wanted && accept(store, branch, wanted);
    }),
    onBranch("understudy.branch.rejectFile", async (branch, node) => {
      const wanted = await meant(branch, node);
      return wanted && reject(undos, branch, wanted);
    }),
    onBranch("understudy.branch.rejectHunks", async (branch, node) => {
      const wanted = await chosenHunks(store, branch, node, "Reject");
      return wanted && reject(undos, branch, wanted);
    }),
    onBranch("understudy.branch.sendConflict", async (branch, node) => {
      const file = await fileMeant(store, branch, node);
      return file && sendConflicts(branch, [file.path]);
    }),
    onBranch("understudy.branch.discard", discard),
    onBranch("understudy.branch.rename", rename),
    onBranch("understudy.branch.compare", (branch) => compare(store, branch)),
    onBranch("understudy.branch.sendFindings", sendFindings),
    onBranch("understudy.rehearsal.stop", stop),
    onBranch("understudy.rehearsal.openInBrowser", (branch) =>
      openInBrowser(context.workspaceState, branch),
    ),
    onBranch("understudy.branch.openFile", (branch, node) => openOwn(store, branch, pathOf(node))),
    onBranch("understudy.branch.openDiff", (branch, node) => showDiff(store, branch, node)),
    onBranch("understudy.branch.copyReceipt", (branch) => copyReceipt(store, branch)),
    command("understudy.branch.reopen", () => reopen(services)),
  ];
}

/** Whoever opens a branch wants to know its verdict: it is checked if its last one is not of now. */
function checkWhenOpened(services: Services, store: BranchStore, { branch }: BranchNode): void {
  if (branch.summary.files > 0 && isOpen(store.judgementOf(branch))) {
    check(store, branch).catch((error: unknown) => services.log.warn(errorText(error)));
  }
}

function startWhereKept(context: vscode.ExtensionContext, { clients, log }: Services): void {
  const kept = new Set(context.workspaceState.get<string[]>(KEPT, []));
  for (const client of clients.all()) {
    if (client.state === "idle" && kept.has(client.folder.uri.toString())) {
      client.client().catch((error: unknown) => log.debug(errorText(error)));
    }
  }
}

/** The view's badge, and which folders have branches. */
async function remember(
  context: vscode.ExtensionContext,
  store: BranchStore,
  view: vscode.TreeView<Node>,
): Promise<void> {
  const all = await store.all();
  const value = all.filter((one) => one.summary.files > 0 && isToLookAt(one)).length;
  view.badge =
    value === 0 ? undefined : { value, tooltip: `${count(value, "branch", "es")} to look at` };
  const kept = [...new Set(all.map(({ client }) => client.folder.uri.toString()))];
  if (kept.join("\n") !== context.workspaceState.get<string[]>(KEPT, []).join("\n")) {
    await context.workspaceState.update(KEPT, kept);
  }
}

async function chosenHunks(
  store: BranchStore,
  branch: Branch,
  node: Node | undefined,
  verb: "Accept" | "Reject",
): Promise<Wanted | undefined> {
  const file = await fileMeant(store, branch, node);
  const hunks = file === undefined ? undefined : await hunksMeant(file, verb);
  return file === undefined || hunks === undefined
    ? undefined
    : file.kind === "modified"
      ? { hunks: { [file.path]: hunks.map(({ hunk }) => hunk) } }
      : { paths: [file.path] };
}

async function showDiff(store: BranchStore, branch: Branch, node: Node | undefined): Promise<void> {
  const line = node?.kind === "finding" ? node.finding.range.start.line : undefined;
  const path = pathOf(node) ?? (await fileMeant(store, branch, node))?.path;
  if (path !== undefined) {
    await openPlace(store, branch, path, line);
  }
}

async function copyReceipt(store: BranchStore, branch: Branch): Promise<void> {
  await store.learn(branch);
  const known = isOpen(store.judgementOf(branch)) ? undefined : store.checkOf(branch);
  const checked = known ?? (await check(store, branch));
  const { branch: name, title } = branch.summary;
  await vscode.env.clipboard.writeText(receiptText(name, title, checked));
  vscode.window.setStatusBarMessage(`Understudy: the receipt of ${name} is copied`, 5000);
}

function command<A extends unknown[]>(
  name: string,
  work: (...given: A) => unknown,
): vscode.Disposable {
  return vscode.commands.registerCommand(name, async (...given: A) => {
    try {
      await work(...given);
    } catch (error) {
      void showError(`Understudy: ${errorText(error)}`);
    }
  });
}
