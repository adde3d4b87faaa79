// Serves the workbench as the program `code-server` does, in this process: it gives a child of its
// own, which does it, ten seconds to begin, and no more on a busy machine.
const path = require("path");

const [, , program, ...options] = process.argv;
const own = (name) => require(path.join(path.dirname(program), name));

async function serve() {
  process.env.CODE_SERVER_PARENT_PID = String(process.pid); // the workbench is to be a part of it
  const { parse, readConfigFile, setDefaults } = own("cli");
  const given = parse(options);
  await own("main").runCodeServer(await setDefaults(given, await readConfigFile(given.config)));
}

serve().catch((error) => {
  console.error(error);
  process.exit(1);
});
