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
  /** Of the branch behind the step: with another one, somebody has edited it since. */
  stamp: string;
}

interface Edited {
  readonly stamp: string;
}

export class Undos {
  private readonly steps = new Map<string, Step[]>();

  constructor(private readonly store: BranchStore) {}

  /**
   * Does `work`, which changes these files of the branch if its stamp is the one that it is given.
   *
   * `stampOf` says how the branch is known behind it; undefined: nothing of it is left.
   */
  async remember<T>(
    branch: Branch,
    paths: readonly string[],
    words: string,
    work: (stamp: string) => Promise<T>,
    stampOf: (done: T) => string | undefined,
  ): Promise<T> {
    const { stamp, files } = await this.store.filesOf(branch);
    const meant = paths.map((path): Before["file"] => {
      const known = files.find((file) => file.path === path);
      return known ?? { path, kind: "modified", origin: null };
    });
    const before = await Promise.all(meant.map(({ path }) => textOf(branch, path)));
    const done = await work(stamp);
    const behind = stampOf(done);
    if (behind !== undefined) {
      const left = await Promise.all(meant.map(({ path }) => textOf(branch, path)));
      const kept = meant.map((file, at): Before => {
        return { file, text: before[at] ?? null, left: left[at] ?? null };
      });
      const steps = this.steps.get(keyOf(branch)) ?? [];
      this.steps.set(keyOf(branch), [...steps, { words, files: kept, stamp: behind }].slice(-MOST));
    }
    return done;
  }

  /** Takes the last step back, and says in words what that was; raises where it cannot. */
  async undo(branch: Branch): Promise<{ words: string } | undefined> {
    const steps = this.steps.get(keyOf(branch)) ?? [];
    const step = steps.at(-1);
    if (step === undefined) {
      return undefined;
    }
    for (const { file, left, text } of step.files) {
      // The user's own text shows through the branch's: what was typed in it since stays.
      if ((await textOf(branch, file.path)) !== left || text?.includes("\ufffd") === true) {
        throw new Error(movedWords(branch, step));
      }
    }
    const params = {
      branch: branch.summary.branch,
      edits: step.files.flatMap(editsBack),
      ifStamp: step.stamp,
    };
    try {
      const { stamp } = await branch.client.request<Edited>("understudy/branch/edit", params);
      steps.pop();
      const above = steps.at(-1);
      if (above !== undefined) {
        above.stamp = stamp; // its text is what there was behind it
      }
    } catch (error) {
      if (error instanceof ServerError && error.code === "stale-stamp") {
        throw new Error(movedWords(branch, step), { cause: error });
      }
      throw error;
    }
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

function movedWords({ summary }: Branch, { words }: Step): string {
  const what = `${words} of ${summary.branch} cannot be undone here`;
  return `${what}: a text has changed since. A branch that was rejected is kept in the archive.`;
}

function keyOf({ client, summary }: Branch): string {
  const { branch, created } = summary;
  return `${client.folder.uri.toString()} ${branch} ${created}`;
}
