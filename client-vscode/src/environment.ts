/** How the bundled server is run: on its own libraries, apart from the user's Python packages. */
import * as path from "node:path";

/** What the server puts back before it starts anything itself, so that nothing of ours leaks. */
const USER_ENVIRONMENT = "UNDERSTUDY_USER_ENVIRONMENT";

/** The folder with the server and all it imports, inside the extension's own. */
export function bundledLibraries(extensionPath: string): string {
  return path.join(extensionPath, "bundled", "libs");
}

/** What follows the interpreter on the command line; `-S` keeps the user's packages out. */
export function serverArguments(command: string): string[] {
  return ["-S", "-m", "understudy", command];
}

/** The server's environment; what it changes of the user's is written down in it. */
export function serverEnvironment(
  user: NodeJS.ProcessEnv,
  libraries: string,
): Record<string, string | undefined> {
  const ours: Record<string, string | undefined> = {
    PYTHONHOME: undefined,
    PYTHONNOUSERSITE: "1",
    PYTHONPATH: libraries,
    PYTHONSAFEPATH: "1",
    PYTHONSTARTUP: undefined,
    PYTHONUTF8: "1",
  };
  const theirs = Object.fromEntries(Object.keys(ours).map((name) => [name, user[name] ?? null]));
  return { ...user, ...ours, [USER_ENVIRONMENT]: JSON.stringify(theirs) };
}
