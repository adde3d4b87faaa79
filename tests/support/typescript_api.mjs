// Prints all findings of a TypeScript project, one JSON object a line, syntax errors or not.
// node typescript_api.mjs PACKAGE, in the project's folder; PACKAGE is the compiler's own folder.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const compiler = process.argv[2];
const config = join(process.cwd(), "tsconfig.json");
const native = join(compiler, "dist", "api", "sync", "api.js");
const found = existsSync(native) ? await ofNativeCompiler() : ofCompiler();
for (const { fileName, pos, code, category } of found) {
  const before = readFileSync(fileName, "utf8").slice(0, pos);
  const line = before.split(/\r\n|\n|\r/).length - 1;
  console.log(JSON.stringify({ fileName, line, code, category }));
}

function ofCompiler() {
  const ts = createRequire(import.meta.url)(compiler);
  const refuse = (problem) => {
    throw new Error(String(problem.messageText));
  };
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: refuse };
  const parsed = ts.getParsedCommandLineOfConfigFile(config, { noEmit: true }, host);
  const program = ts.createProgram(parsed.fileNames, parsed.options);
  return ts
    .getPreEmitDiagnostics(program)
    .map((d) => ({ fileName: d.file.fileName, pos: d.start, code: d.code, category: d.category }));
}

async function ofNativeCompiler() {
  const { API } = await import(native);
  const api = new API({ cwd: process.cwd() });
  const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects();
  const { program } = project;
  const all = [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getProgramDiagnostics(),
    ...program.getSyntacticDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...program.getSemanticDiagnostics(),
  ];
  api.close();
  return all;
}
