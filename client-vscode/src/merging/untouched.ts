/** How far a merge is done, told by its text alone. */

export interface Region {
  readonly base_lines: readonly string[] | null;
  readonly ours_lines: readonly string[];
  readonly theirs_lines: readonly string[];
}

/**
 * How many places of a conflict have neither side's lines.
 *
 * The editor puts those there that both began with, or none, before anybody has looked. It is told
 * by texts alone, so it is good for a question, and for no refusal. A side's lines that stand in
 * the text of before as often were not put there.
 */
export function nUntouched(
  text: string,
  before: string | null,
  regions: readonly Region[],
): number {
  const now = linesOf(text);
  const then = linesOf(before ?? "");
  const isPut = (lines: readonly string[]) => nOf(lines, now) > nOf(lines, then);
  return regions.filter(({ base_lines: base, ours_lines: ours, theirs_lines: theirs }) => {
    const isOfBefore = (base ?? []).length === 0 || nOf(base ?? [], now) > 0;
    return !isPut(ours) && !isPut(theirs) && isOfBefore;
  }).length;
}

/** How often lines (with their ends) stand in others (without), one after the other. */
function nOf(lines: readonly string[], all: readonly string[]): number {
  const sought = lines.map((line) => line.replace(/[\r\n]+$/, ""));
  const places = sought.length === 0 ? [] : [...all.keys()];
  return places.filter((at) => sought.every((line, n) => all[at + n] === line)).length;
}

/** Marks of a conflict in a text that neither side has them in. */
export function marksLeft(text: string, sides: readonly (string | null)[]): string[] {
  return linesOnlyIn(text, sides, /^(<{7}|>{7}|\|{7})( |$)/);
}

/** Whether a text has the line between two sides, which may be a heading, where neither has it. */
export function hasParting(text: string, sides: readonly (string | null)[]): boolean {
  return linesOnlyIn(text, sides, /^={7}$/).length > 0;
}

function linesOnlyIn(text: string, sides: readonly (string | null)[], like: RegExp): string[] {
  const own = new Set(sides.flatMap((side) => linesOf(side ?? "")));
  return linesOf(text).filter((line) => like.test(line) && !own.has(line));
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}
