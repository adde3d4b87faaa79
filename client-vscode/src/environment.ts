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

/**
 * The same for a program in the user's terminal: nothing that is set for us reaches what it starts.
 *
 * With `stays`, its last words stay to be read, unless it was told to end.
 */
export function terminalArguments(
  extensionPath: string,
  words: readonly string[],
  stays = false,
): string[] {
  const libraries = JSON.stringify(bundledLibraries(extensionPath));
  const start = `import sys; sys.path.insert(0, ${libraries}); from understudy.__main__ import main\n`;
  return ["-I", "-S", "-c", start + (stays ? STAYS : "main()"), ...words];
}

const STAYS = `
code = None
try:
    main()
except SystemExit as end:
    code = end.code
try:
    code in (129, 143) or input("understudy: Enter closes this terminal ")
except (EOFError, KeyboardInterrupt, OSError):
    pass
`;

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
