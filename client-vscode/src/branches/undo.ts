/** What the user took out of a branch or mended in it, in this window: undo brings its text back. */
import { ServerError } from "../client";
import type { ChangedFile } from "./answers";
import type { Branch, BranchStore } from "./store";

/** So many steps of a branch are remembered. */
const MOST = 50;

/** A file of a branch before a step, and the texts that the step left. */
interface Before {
  readonly file: Pick<ChangedFile, "path" | "kind" | "origin">;
  readonly text: string | null;
  readonly left: string | null;
}

interface Step {
  readonly words: string;
  readonly files: readonly Before[];
}

export class Undos {
  private readonly steps = new Map<string, Step[]>();
  /** One after the other: a key that is held asks again before the last step is taken back. */
  private undoing: Promise<unknown> = Promise.resolve();

  constructor(private readonly store: BranchStore) {}

  /**
   * Does `work`, which changes these files of the branch if its stamp is the one that it is given.
   *
   * `isLeft` says whether anything of the branch is left behind it.
   */
  async remember<T>(
    branch: Branch,
    paths: readonly string[],
    words: string,
    work: (stamp: string) => Promise<T>,
    isLeft: (done: T) => boolean,
  ): Promise<T> {
    const { stamp, files } = await this.store.filesOf(branch);
    const meant = paths.map((path): Before["file"] => {
      const known = files.find((file) => file.path === path);
      return known ?? { path, kind: "modified", origin: null };
    });
    const before = await Promise.all(meant.map(({ path }) => textOf(branch, path)));
    const done = await work(stamp);
    if (isLeft(done)) {
      const left = await Promise.all(meant.map(({ path }) => textOf(branch, path)));
      const kept = meant.map((file, at): Before => {
        return { file, text: before[at] ?? null, left: left[at] ?? null };
      });
      const steps = this.steps.get(keyOf(branch)) ?? [];
      this.steps.set(keyOf(branch), [...steps, { words, files: kept }].slice(-MOST));
    }
    return done;
  }

  /** Takes the last step back, and says in words what that was; raises where it cannot. */
  undo(branch: Branch): Promise<{ words: string } | undefined> {
    const undone = this.undoing.then(() => this.undoLast(branch));
    this.undoing = undone.catch(() => undefined); // whoever asked is told; the next one goes on
    return undone;
  }

  private async undoLast(branch: Branch): Promise<{ words: string } | undefined> {
    const steps = this.steps.get(keyOf(branch)) ?? [];
    const step = steps.at(-1);
    if (step === undefined) {
      return undefined;
    }
    const { stamp } = await this.store.filesOf(branch); // what is edited from here on is seen
    for (const { file, left, text } of step.files) {
      if (text?.includes("\ufffd") === true) {
        throw new Error(`${refusal(branch, step)}: ${file.path} has bytes that are no text.`);
      }
      // The user's own text shows through the branch's: what was typed in it since stays.
      if ((await textOf(branch, file.path)) !== left) {
        throw new Error(movedWords(branch, step));
      }
    }
    const params = {
      branch: branch.summary.branch,
      edits: step.files.flatMap(editsBack),
      ifStamp: stamp,
    };
    try {
      await branch.client.request("understudy/branch/edit", params);
    } catch (error) {
      if (error instanceof ServerError && error.code === "stale-stamp") {
        throw new Error(movedWords(branch, step), { cause: error });
      }
      throw error;
    }
    steps.pop();
    return { words: step.words };
  }
}

/** The branch's text of a file, null where it has none: also of one that nobody has any more. */
async function textOf({ client, summary }: Branch, path: string): Promise<string | null> {
  const params = { branch: summary.branch, path };
  try {
    return (await client.request<{ after: string | null }>("understudy/branch/text", params)).after;
  } catch (error) {
    if (error instanceof ServerError && error.code === "no-change") {
      return null;
    }
    throw error;
  }
}

function editsBack({ file, text }: Before): object[] {
  const { path, kind, origin } = file;
  if (text === null) {
    return [{ kind: "delete", path }];
  }
  const moved = kind === "renamed" && origin !== null;
  return [
    ...(moved ? [{ kind: "rename", path: origin, to: path }] : []),
    { kind: "write", path, text },
  ];
}

function refusal({ summary }: Branch, { words }: Step): string {
  return `${words} of ${summary.branch} cannot be undone here`;
}

function movedWords(branch: Branch, step: Step): string {
  const kept = "A branch that was rejected is kept in the archive.";
  return `${refusal(branch, step)}: a text has changed since. ${kept}`;
}

function keyOf({ client, summary }: Branch): string {
  const { branch, created } = summary;
  return `${client.folder.uri.toString()} ${branch} ${created}`;
}
