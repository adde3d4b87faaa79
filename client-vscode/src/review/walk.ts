/** Where a review goes on: the hunk, file or finding that follows the one at hand. */
import type { ChangedFile, Hunk } from "../branches/answers";

/** A hunk with its file; a review walks over these in the order of files. */
export interface Step {
  readonly file: ChangedFile;
  readonly hunk: Hunk;
}

export type Side = "before" | "after";

/** The hunk whose lines a line is in, else the nearest one; undefined where there is none. */
export function hunkAt(hunks: readonly Hunk[], line: number, side: Side): Hunk | undefined {
  const away = (hunk: Hunk) => {
    const { start, end } = hunk[side];
    return line < start ? start - line : Math.max(0, line - Math.max(start, end - 1));
  };
  return [...hunks].sort((one, other) => away(one) - away(other))[0];
}

/**
 * The hunk behind (`by` 1) or before (-1) a place; over the file's end it is another file's, over
 * the last one's end the first.
 */
export function stepFrom(
  files: readonly ChangedFile[],
  path: string,
  line: number,
  by: 1 | -1,
  side: Side = "after",
): Step | undefined {
  const order = by === 1 ? files : [...files].reverse();
  const steps = order.flatMap((file) => {
    const hunks = by === 1 ? file.hunks : [...file.hunks].reverse();
    return hunks.map((hunk) => ({ file, hunk }));
  });
  const at = files.findIndex((file) => file.path === path);
  const isBehind = ({ file, hunk }: Step) => {
    const place = files.indexOf(file);
    return place === at ? by * (hunk[side].start - line) > 0 : by * (place - at) > 0;
  };
  return steps.find(isBehind) ?? steps[0];
}

/** The first hunk that is left at or behind where one was, in the user's lines; else the first. */
export function stepAfter(files: readonly ChangedFile[], done: Step): Step | undefined {
  const steps = files.flatMap((file) => file.hunks.map((hunk) => ({ file, hunk })));
  return (
    steps.find(
      ({ file, hunk }) =>
        file.path > done.file.path ||
        (file.path === done.file.path && hunk.before.start >= done.hunk.before.start),
    ) ?? steps[0]
  );
}

/** The file after or before this one, round and round. */
export function fileFrom(
  files: readonly ChangedFile[],
  path: string,
  by: 1 | -1,
): ChangedFile | undefined {
  const at = files.findIndex((file) => file.path === path);
  return files[(at + by + files.length) % files.length];
}

/** The place after or before one, in the order of paths and lines, round and round. */
export function placeFrom<P extends { readonly path: string; readonly line: number }>(
  places: readonly P[],
  path: string,
  line: number,
  by: 1 | -1,
): P | undefined {
  const order = [...places].sort(
    (one, other) => by * (compare(one.path, other.path) || one.line - other.line),
  );
  return order.find((one) => by * (compare(one.path, path) || one.line - line) > 0) ?? order[0];
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
