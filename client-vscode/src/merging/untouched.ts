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
 * by texts alone, so it is good for a question, and for no refusal.
 */
export function nUntouched(text: string, regions: readonly Region[]): number {
  const has = (lines: readonly string[]) => lines.length > 0 && text.includes(lines.join(""));
  return regions.filter(({ base_lines: base, ours_lines: ours, theirs_lines: theirs }) => {
    const isOfBefore = (base ?? []).length === 0 || has(base ?? []);
    return !has(ours) && !has(theirs) && isOfBefore;
  }).length;
}

/** Lines that part the sides of a conflict, in a text that neither side has them in. */
export function marksLeft(text: string, sides: readonly (string | null)[]): string[] {
  const own = new Set(sides.flatMap((side) => marksOf(side ?? "")));
  return marksOf(text).filter((line) => !own.has(line));
}

function marksOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/).filter((line) => /^(<{7}|>{7}|\|{7})( |$)|^={7}$/.test(line));
}
