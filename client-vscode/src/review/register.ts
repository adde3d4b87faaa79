/** The review of branches: findings, hunks and asks where the code is. */
import * as vscode from "vscode";
import { branchMeant, fileMeant, nodeOf, type Given } from "../branches/meant";
import type { FindingNode } from "../tree/nodes";
import type { BranchStore } from "../branches/store";
import type { Undos } from "../branches/undo";
import { SCHEME } from "../branches/uris";
import { errorText } from "../log";
import type { Services } from "../services";
import { showError } from "../shown/notices";
import { Asks, onComment } from "./asks";
import { Subjects, type Subject } from "./documents";
import { Chains, FindingHover, type PlaceGiven } from "./hover";
import { InPlace } from "./in_place";
import { ACCEPT, HunkLenses, REJECT, SEND_BACK, type HunkGiven } from "./lenses";
import { Mending, type Fix } from "./mend";
import { Questions } from "./questions";
import { Squiggles } from "./squiggles";
import { Steps } from "./steps";

export function registerReview(
  context: vscode.ExtensionContext,
  services: Services,
  store: BranchStore,
  undos: Undos,
): void {
  const { log } = services;
  const inPlace = new InPlace(store);
  const subjects = new Subjects(store, (uri) => inPlace.of(uri));
  const squiggles = new Squiggles(store, subjects, log);
  const chains = new Chains();
  const lenses = new HunkLenses(subjects, store);
  const asks = new Asks(store, subjects, log);
  const mending = new Mending(subjects, squiggles, chains, undos, log);
  const steps = new Steps(store, subjects, inPlace, undos, (...on) => asks.about(...on));
  const own = { scheme: SCHEME };
  context.subscriptions.push(
    ...[inPlace, squiggles, lenses, asks],
    vscode.languages.registerHoverProvider(own, new FindingHover(subjects, squiggles, chains, log)),
    ...new Questions(subjects, store, log).register(),
    vscode.languages.registerCodeLensProvider(own, lenses),
    vscode.languages.registerCodeActionsProvider(own, mending, {
      providedCodeActionKinds: Mending.kinds,
    }),
    lensesWhileInPlace(inPlace, lenses),
    ...commands(services, store, { inPlace, squiggles, asks, mending, steps }),
  );
}

/** The user's files have a provider of ours only while one of them is under review. */
function lensesWhileInPlace(inPlace: InPlace, lenses: HunkLenses): vscode.Disposable {
  let registered: vscode.Disposable | undefined;
  const heard = inPlace.onDidChange(() => {
    registered?.dispose();
    const shown = inPlace.files().map(({ fsPath }) => ({ scheme: "file", pattern: fsPath }));
    registered =
      shown.length === 0 ? undefined : vscode.languages.registerCodeLensProvider(shown, lenses);
  });
  return vscode.Disposable.from(heard, { dispose: () => registered?.dispose() });
}

interface Parts {
  readonly inPlace: InPlace;
  readonly squiggles: Squiggles;
  readonly asks: Asks;
  readonly mending: Mending;
  readonly steps: Steps;
}

function commands(
  { clients }: Services,
  store: BranchStore,
  { inPlace, squiggles, asks, mending, steps }: Parts,
): vscode.Disposable[] {
  const command = <G>(name: string, work: (given: G) => Promise<void> | void) =>
    onComment<G>(name, async (given) => work(given));
  const onBranch = async (
    given: Given,
    work: (branch: never, file: never) => Promise<void>,
    wantsFile: boolean,
  ) => {
    const { activeTextEditor } = vscode.window; // by a key it is about what is at hand
    const here = activeTextEditor?.document.uri;
    const node = nodeOf(clients, given ?? (here?.scheme === SCHEME ? here : undefined));
    const branch = await branchMeant(store, clients, node);
    const file = branch && wantsFile ? await fileMeant(store, branch, node) : undefined;
    if (branch !== undefined && (file !== undefined || !wantsFile)) {
      await work(branch as never, file as never);
    }
  };
  return [
    onComment<HunkGiven | undefined>(ACCEPT, (given) => steps.accept(given)),
    onComment<HunkGiven | undefined>(REJECT, (given) => steps.reject(given)),
    command("understudy.review.undo", () => steps.undo()),
    onComment<HunkGiven | undefined>(SEND_BACK, (given) => steps.sendBack(given)),
    command("understudy.review.nextChange", () => steps.change(1)),
    command("understudy.review.previousChange", () => steps.change(-1)),
    command("understudy.review.nextFile", () => steps.file(1)),
    command("understudy.review.previousFile", () => steps.file(-1)),
    command("understudy.review.nextFinding", () => steps.finding(1)),
    command("understudy.review.previousFinding", () => steps.finding(-1)),
    command("understudy.review.toggleOld", () => squiggles.toggleOld()),
    command("understudy.review.allChanges", (given: Given) =>
      onBranch(given, (branch) => steps.allChanges(branch), false),
    ),
    command("understudy.review.inPlace", (given: Given) =>
      onBranch(given, (branch, file) => steps.inOwnFile(branch, file), true),
    ),
    command("understudy.review.close", () => {
      const { activeTextEditor } = vscode.window;
      inPlace.closeAll(activeTextEditor?.document.uri);
    }),
    command("understudy.review.ask", (given: vscode.CommentReply) => asks.reply(given)),
    command("understudy.review.withdraw", (given: vscode.CommentThread) => asks.withdraw(given)),
    command("understudy.review.comment", async () => {
      await vscode.commands.executeCommand("workbench.action.addComment");
    }),
    command("understudy.review.fix", (given: PlaceGiven | FindingNode | undefined) =>
      mending.choose(given),
    ),
    command("understudy.review.sendToChat", (given: PlaceGiven | FindingNode | undefined) =>
      mending.sendToChat(given),
    ),
    vscode.commands.registerCommand(
      "understudy.review.apply",
      async (subject: Subject, stamp: string, fix: Fix) => {
        try {
          await mending.apply(subject, stamp, fix);
        } catch (error) {
          void showError(`Understudy: ${errorText(error)}`);
        }
      },
    ),
  ];
}
