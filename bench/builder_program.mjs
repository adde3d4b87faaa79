// Prints which file of a TypeScript project takes from which, as the compiler's builder program
// says: node builder_program.mjs PACKAGE, in the project's folder; PACKAGE is the compiler's own.
import { createRequire } from "node:module";
import { join, relative } from "node:path";

const ts = createRequire(import.meta.url)(process.argv[2]);
const folder = process.cwd();
const refuse = (problem) => {
  throw new Error(String(problem.messageText));
};
const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: refuse };
const parsed = ts.getParsedCommandLineOfConfigFile(
  join(folder, "tsconfig.json"),
  { noEmit: true },
  host,
);
const builder = ts.createSemanticDiagnosticsBuilderProgram(
  parsed.fileNames,
  parsed.options,
  ts.createIncrementalCompilerHost(parsed.options), // which gives texts versions
);
const { referencedMap } = builder.state;
const program = builder.getProgram();
for (const file of program.getSourceFiles()) {
  for (const path of referencedMap.getValues(file.resolvedPath) ?? []) {
    const target = program.getSourceFileByPath(path);
    const edge = [file, target].map((one) => relative(folder, one.fileName));
    if (!edge.some((path) => path.startsWith(".."))) {
      console.log(JSON.stringify(edge));
    }
  }
}
