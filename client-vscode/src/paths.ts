/** Paths as users write them in settings. */
import * as os from "node:os";
import * as path from "node:path";

/** A path setting with `~` and `${workspaceFolder}` replaced; relative ones are the folder's. */
export function expandPath(given: string, folder: string): string {
  const expanded = given
    .replaceAll("${workspaceFolder}", folder)
    .replace(/^~(?=$|[/\\])/, os.homedir());
  const isName = !/[/\\]/.test(expanded);
  return isName || path.isAbsolute(expanded) ? expanded : path.join(folder, expanded);
}
