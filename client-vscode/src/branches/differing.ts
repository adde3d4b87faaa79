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
      return { path, isHere, isThere, isSame: one !== undefined && one.text === other?.text };
    })
    .filter(({ isHere, isThere, isSame }) => !isSame && (isHere || isThere))
    .map(({ path, isHere, isThere }) => ({ path, isHere, isThere }));
}

type States = ReadonlyMap<string, { wasThere: boolean; isThere: boolean; text: string }>;

function statesOf(files: readonly ChangedFile[]): States {
  return new Map(
    files.flatMap((file) => {
      const text = JSON.stringify([
        file.kind,
        file.origin,
        file.hunks.map(({ hunk, before }) => [hunk, before.start]),
      ]);
      const isThere = file.kind !== "deleted";
      const wasThere = file.kind === "modified" || file.kind === "deleted";
      const gone = { wasThere: true, isThere: false, text: JSON.stringify(["deleted", null, []]) };
      const own: [string, { wasThere: boolean; isThere: boolean; text: string }] = [
        file.path,
        { wasThere, isThere, text },
      ];
      return file.origin === null ? [own] : [own, [file.origin, gone]];
    }),
  );
}
