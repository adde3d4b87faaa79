/** Accept and reject: the server holds them; here the user is asked and told. */
import * as vscode from "vscode";
import { ServerError } from "../client";
import { acceptDetail } from "./accept_words";
import type { Accepted, BranchFiles, ChangedFile, Parted } from "./answers";
import { offerConflict } from "./conflict";
import type { Branch, BranchStore } from "./store";
import type { Undos } from "./undo";
import {
  acceptedWords,
  calledWords,
  changeWords,
  count,
  operationLines,
  runsSomething,
} from "./wording";
import { errorText } from "../log";
import { isAgreed, showError, showInformation, showWarning } from "../shown/notices";
import { oneLine, plain } from "../shown/text";

const SEPARATOR = vscode.QuickPickItemKind.Separator;

/** What is meant: whole files, hunks by their file, or (neither) everything. */
export interface Wanted {
  readonly paths?: readonly string[];
  readonly hunks?: Readonly<Record<string, readonly string[]>>;
}

/** The same, where the user has chosen among files, and was told what of them runs something. */
interface Chosen extends Wanted {
  readonly among?: BranchFiles;
  /** They were told which files are written to disk at once. */
  readonly confirmed?: true;
}

/**
 * Accepts a whole branch. What has the user's own tools run something is chosen apart, and not
 * ticked: it never comes with the rest unasked.
 */
export async function acceptBranch(store: BranchStore, branch: Branch): Promise<void> {
  const among = await store.filesOf(branch);
  const apart = among.files.filter(runsSomething);
  const paths = apart.length === 0 ? undefined : await chosenPaths(branch, among.files, apart);
  const files = among.files.filter(({ path }) => paths?.includes(path) ?? true);
  const wanted = paths === undefined ? { among } : { paths, among };
  if (among.files.length === 0 || files.some(({ conflict }) => conflict !== null)) {
    await accept(store, branch, wanted); // nothing is written, so there is nothing to ask
  } else if (files.length > 0 && (await isWanted(store, branch, files))) {
    await accept(store, branch, { ...wanted, confirmed: true });
  }
}

/** Says what will become of the user's files, and how the branch was judged. */
async function isWanted(
  store: BranchStore,
  branch: Branch,
  files: readonly ChangedFile[],
): Promise<boolean> {
  const { summary, client } = branch;
  await store.learn(branch);
  const judgement = store.judgementOf(branch);
  const saving = vscode.workspace.getConfiguration("files", client.folder).get("autoSave");
  const detail = acceptDetail(files, judgement, store.checkOf(branch), saving !== "off");
  const question = `Accept ${count(files.length, "file")} of “${calledWords(summary)}” (${summary.branch})?`;
  return await isAgreed(question, detail, "Accept", judgement !== "clean");
}

/**
 * Accepts into the open documents; the user confirms files that are written to disk at once.
 *
 * Says whether it is done. With `step` it is one of many, in words: the status bar tells of it, as
 * undo takes it back.
 */
export async function accept(
  store: BranchStore,
  branch: Branch,
  { among, confirmed, ...wanted }: Chosen,
  step?: string,
): Promise<boolean> {
  const shown = among ?? (await store.filesOf(branch));
  if (among === undefined && !(await mayRun(shown, wanted))) {
    return false;
  }
  let accepted = await ask(branch, shown, wanted, confirmed ?? false);
  if (accepted.outcome === "unconfirmed") {
    if (!(await isConfirmed(branch, accepted))) {
      return false;
    }
    accepted = await ask(branch, shown, wanted, true);
  }
  const isDone = accepted.outcome === "applied";
  if (isDone && step !== undefined) {
    vscode.window.setStatusBarMessage(`Understudy: accepted ${step}`, 5000);
  } else {
    await tell(branch, accepted, hunkWords(wanted));
  }
  return isDone;
}

/** Drops edits from the branch; a button brings them back as a branch of their own. */
export async function reject(
  undos: Undos,
  branch: Branch,
  wanted: Wanted,
  step?: string,
): Promise<void> {
  const name = branch.summary.branch;
  const paths = [...(wanted.paths ?? []), ...Object.keys(wanted.hunks ?? {})];
  const words = `the rejection of ${step ?? count(paths.length, "file")}`;
  const parted = await undos.remember(
    branch,
    paths,
    words,
    (stamp) =>
      branch.client.request<Parted>("understudy/branch/reject", {
        branch: name,
        ...wanted,
        ifStamp: stamp,
      }),
    (done) => done.branch !== null,
  );
  const said = `Rejected ${step === undefined ? "" : `${step} `}from ${name}; your files are untouched.`;
  const offered = offerReopen(branch, said, parted.archived, "Bring Back");
  if (step === undefined) {
    await offered;
  } else {
    offered.catch((error: unknown) => void showError(errorText(error))); // the next step waits not
  }
}

async function ask(
  branch: Branch,
  shown: BranchFiles,
  wanted: Wanted,
  confirmed: boolean,
): Promise<Accepted> {
  // What the user has seen is what is accepted: an edit of the agent's meanwhile is refused.
  const params = { branch: branch.summary.branch, ...wanted, confirmed, ifStamp: shown.stamp };
  try {
    return await branch.client.request<Accepted>("understudy/branch/accept", params);
  } catch (error) {
    if (error instanceof ServerError && ["stale-stamp", "unknown-hunk"].includes(error.code)) {
      throw new Error(
        `${branch.summary.branch} was edited meanwhile. Look at it again, then accept.`,
        { cause: error },
      );
    }
    throw error;
  }
}

/** The paths of what the user ticks: all that is harmless at once, each of the others alone. */
async function chosenPaths(
  { summary }: Branch,
  files: readonly ChangedFile[],
  apart: readonly ChangedFile[],
): Promise<readonly string[]> {
  const others = files.filter((file) => !apart.includes(file));
  const separator = { label: "Your own tools run these. Read them first", kind: SEPARATOR };
  const items: (vscode.QuickPickItem & { readonly paths: readonly string[] })[] = [
    ...(others.length === 0
      ? []
      : [
          {
            label: `All others: ${count(others.length, "file")}`,
            description: others.map(({ path }) => plain(path)).join(", "),
            picked: true,
            paths: others.map(({ path }) => path),
          },
        ]),
    { ...separator, paths: [] },
    ...apart.map((file) => ({
      label: plain(file.path),
      description: changeWords(file),
      detail: plain(file.runs ?? ""),
      paths: [file.path],
    })),
  ];
  const picked = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    title: `Accept ${summary.branch}`,
    placeHolder: "What is not ticked stays in the branch",
  });
  return (picked ?? []).flatMap(({ paths }) => paths);
}

/** Whether the user wants files, one by one, that their own tools run. */
async function mayRun({ files }: BranchFiles, { paths, hunks }: Wanted): Promise<boolean> {
  const named = new Set([...(paths ?? []), ...Object.keys(hunks ?? {})]);
  const apart = files.filter((file) => runsSomething(file) && named.has(file.path));
  if (apart.length === 0) {
    return true;
  }
  const detail = apart.map(({ path, runs }) => `${oneLine(path)}: ${runs ?? ""}`).join("\n");
  return await isAgreed("Accept what your own tools run?", detail, "Accept");
}

async function isConfirmed(branch: Branch, accepted: Accepted): Promise<boolean> {
  const detail = [
    "These are written to disk at once; edits of text stay unsaved.",
    "",
    ...operationLines(accepted),
  ].join("\n");
  const question = `Accept ${branch.summary.branch}, and let it change files on disk?`;
  return await isAgreed(question, detail, "Accept");
}

/** "2 hunks in a.py", where no more than that was wanted. */
function hunkWords({ paths, hunks }: Wanted): string | undefined {
  const [only, ...others] = Object.entries(hunks ?? {});
  return only === undefined || others.length > 0 || paths !== undefined
    ? undefined
    : `${count(only[1].length, "hunk")} in ${oneLine(only[0])}`;
}

async function tell(branch: Branch, accepted: Accepted, what: string | undefined): Promise<void> {
  const said = acceptedWords(branch.summary.branch, accepted, what);
  if (accepted.outcome === "applied") {
    await offerReopen(branch, said, accepted.archived, "Reopen Branch");
  } else if (accepted.outcome === "conflict") {
    await offerConflict(branch, accepted.conflicts, said);
  } else {
    void showWarning(said);
  }
}

/** Says it in the background, so that the command is over; the archive has what was taken out. */
async function offerReopen(
  branch: Branch,
  said: string,
  archived: string | null,
  button: string,
): Promise<void> {
  const buttons = archived === null ? [] : [button];
  const chosen = await showInformation(said, ...buttons);
  if (chosen !== undefined && archived !== null) {
    await branch.client.request("understudy/branch/reopen", { branch: archived });
  }
}
