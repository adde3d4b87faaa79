/** In which files two branches differ. */
import type { ChangedFile } from "./answers";

/** The paths that either changes, and whether each has a file there; equal changes are none. */
export function differing(
  mine: readonly ChangedFile[],
  its: readonly ChangedFile[],
): { path: string; isHere: boolean; isThere: boolean }[] {
  const [here, there] = [mine, its].map(statesOf) as [States, States];
  return [...new Set([...here.keys(), ...there.keys()])]
    .sort()
    .map((path) => {
      const [one, other] = [here.get(path), there.get(path)];
      // What one leaves alone is as the user has it: there, unless the other one makes it.
      const isHere = one?.isThere ?? other?.wasThere ?? false;
      const isThere = other?.isThere ?? one?.wasThere ?? false;
      const isSame = one?.text !== undefined && one.text === other?.text;
      return { path, isHere, isThere, isSame };
    })
    .filter(({ isHere, isThere, isSame }) => !isSame && (isHere || isThere))
    .map(({ path, isHere, isThere }) => ({ path, isHere, isThere }));
}

interface State {
  readonly wasThere: boolean;
  readonly isThere: boolean;
  /** Equal ones make the same of the user's file; none where that cannot be told from hunks. */
  readonly text: string | undefined;
}

type States = ReadonlyMap<string, State>;

function statesOf(files: readonly ChangedFile[]): States {
  return new Map(
    files.flatMap(({ path, kind, origin, conflict, hunks }) => {
      const places = hunks.map(({ hunk, before }) => [hunk, before.start]);
      // Where it conflicts they are of the text that the branch was made over.
      const text = conflict === null ? JSON.stringify([kind, origin, places]) : undefined;
      const isThere = kind !== "deleted";
      const wasThere = kind === "modified" || kind === "deleted";
      const own: [string, State] = [path, { wasThere, isThere, text }];
      const gone: State = { wasThere: true, isThere: false, text: undefined };
      return origin === null ? [own] : [own, [origin, gone]];
    }),
  );
}
