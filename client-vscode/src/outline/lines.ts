/** Where the lines of an outline or a map lead: which lines of which file each one stands for. */

export interface Place {
  /** The line in the outline itself, from 0. */
  readonly line: number;
  /** How many characters at its beginning name the lines it stands for. */
  readonly indent: number;
  readonly length: number;
  /** Relative to the root; empty in an outline, which is about one file. */
  readonly path: string;
  /** First and last line in the file, from 1. */
  readonly first: number;
  readonly last: number;
}

const ENTRY = /^( *)(\d+)(?:-(\d+))?: /;

/** The places that an outline's or a map's text names; a map has the file's path above its entries. */
export function placesIn(text: string): readonly Place[] {
  const places: Place[] = [];
  let path = "";
  text.split("\n").forEach((shown, line) => {
    const found = ENTRY.exec(shown);
    if (found !== null) {
      const [, indent = "", first = "", last = first] = found;
      places.push({
        line,
        indent: indent.length,
        length:
          last === first && !shown.startsWith(`${indent}${first}-`)
            ? first.length
            : first.length + 1 + last.length,
        path,
        first: Number(first),
        last: Number(last),
      });
    } else if (shown !== "" && !shown.startsWith("#") && !shown.startsWith(" ")) {
      path = shown;
    }
  });
  return places;
}

/** The place that a line of the text is about. */
export function placeAt(places: readonly Place[], line: number): Place | undefined {
  return places.find((place) => place.line === line);
}
