/** URIs of texts that a branch makes of files: what they are about stands in the query. */

export const SCHEME = "understudy";

/** One side of a file of a branch: the branch's text, the user's, or what both began with. */
export interface BranchText {
  /** The URI of the workspace folder. */
  readonly folder: string;
  readonly branch: string;
  /** Relative to the folder. */
  readonly path: string;
  readonly side: "after" | "before" | "none";
}

/** The parts of a URI: it stands below its branch, and ends as the file does, by its language. */
export function partsOf(text: BranchText): { scheme: string; path: string; query: string } {
  const { folder, branch, side } = text;
  return {
    scheme: SCHEME,
    path: `/${branch}/${text.path}`,
    query: JSON.stringify({ folder, branch, side }),
  };
}

/** What a URI is about; undefined where somebody else has made it. */
export function textOf(path: string, query: string): BranchText | undefined {
  try {
    const { folder, branch, side } = JSON.parse(query) as Partial<BranchText>;
    const isOne = typeof folder === "string" && typeof branch === "string";
    return isOne && (side === "after" || side === "before" || side === "none")
      ? { folder, branch, side, path: path.slice(`/${branch}/`.length) }
      : undefined;
  } catch {
    return undefined;
  }
}
