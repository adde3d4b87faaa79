// Language servers that the user has, shown in Problems the ordinary way: what an extension for one
// is at its least. `modules` is the folder that holds vscode-languageclient.
const path = require("path");

exports.start = async (modules, language, { name, command, args }) => {
  const { LanguageClient } = require(path.join(modules, "vscode-languageclient/lib/node/main.js"));
  const documentSelector = [{ scheme: "file", language }];
  const client = new LanguageClient(name, name, { command, args }, { documentSelector });
  await client.start();
};
