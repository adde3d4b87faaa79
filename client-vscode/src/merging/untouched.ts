/** Where a merge still has the text from before both sides. */

export interface Region {
  readonly base_lines: readonly string[] | null;
  readonly ours_lines: readonly string[];
  readonly theirs_lines: readonly string[];
}

/**
 * How many places of a conflict have neither side's lines, but those that both began with.
 *
 * The editor puts these there before anybody has looked. It is told by texts alone, so it is good
 * for a question, and for no refusal.
 */
export function nUntouched(text: string, regions: readonly Region[]): number {
  const has = (lines: readonly string[]) => lines.length > 0 && text.includes(lines.join(""));
  return regions.filter(
    ({ base_lines: base, ours_lines: ours, theirs_lines: theirs }) =>
      !has(ours) && !has(theirs) && has(base ?? []),
  ).length;
}
