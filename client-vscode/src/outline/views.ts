/** Names of the documents that show outlines and maps: what they are about stands in their URI. */

export const SCHEME = "understudy-outline";

/** What a document shows: a file's outline, the text of some of its lines, or a folder's map. */
export interface View {
  readonly kind: "outline" | "map";
  /** The URI of the workspace folder. */
  readonly folder: string;
  /** Relative to the folder; empty for a map of all of it. */
  readonly path: string;
  /** Only these lines of the file, from 1, as they stand there. */
  readonly lines?: readonly [number, number];
}

/** The parts of the URI that stands for a view; the tab shows the end of `path`. */
export function partsOf(view: View): { scheme: string; path: string; query: string } {
  const { kind, lines } = view;
  const name = view.path === "" ? "folder" : view.path;
  const shown = lines === undefined ? name : `${name}:${lines[0]}-${lines[1]}`;
  const path = `/${shown}.${kind === "map" ? "map" : lines === undefined ? "outline" : "lines"}`;
  return { scheme: SCHEME, path, query: JSON.stringify(view) };
}

/** The view that a URI's query stands for; undefined where somebody else has made it. */
export function viewOf(query: string): View | undefined {
  try {
    const view = JSON.parse(query) as Partial<View> | null;
    const isOne = view?.kind === "outline" || view?.kind === "map";
    return isOne && typeof view.folder === "string" && typeof view.path === "string"
      ? (view as View)
      : undefined;
  } catch {
    return undefined;
  }
}
