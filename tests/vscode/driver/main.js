// Runs test steps in the extension host. It connects to the tests' socket, so that each window that
// is opened or reloaded makes itself known, and takes steps as lines of JSON: the body of an async
// function with `vscode`, `require` and `memory` (kept between steps). What it returns goes back.
const net = require("net");
const readline = require("readline");
const vscode = require("vscode");
const userServers = require("./user_servers");

const AsyncFunction = (async () => {}).constructor;
const memory = { calls: [], userServers };

exports.activate = (context) => {
  const socket = net.connect(process.env.UNDERSTUDY_TEST_DRIVER);
  socket.write(JSON.stringify({ pid: process.pid }) + "\n");
  readline.createInterface({ input: socket }).on("line", async (line) => {
    const { id, step } = JSON.parse(line);
    socket.write(JSON.stringify({ id, ...(await answer(step)) }) + "\n");
  });
  context.subscriptions.push({ dispose: () => socket.destroy() });
  registerAgent(context);
};

async function answer(step) {
  try {
    const value = await new AsyncFunction("vscode", "require", "memory", step)(vscode, require, memory);
    JSON.stringify(value); // a step that returns what is no JSON has failed
    return { value: value === undefined ? null : value };
  } catch (error) {
    return { error: String((error && error.stack) || error) };
  }
}

// `@rehearser TOOL INPUT` calls a tool with the token of the chat, as an agent does.
function registerAgent(context) {
  const participant = vscode.chat.createChatParticipant(
    "driver.agent",
    async (request, _history, stream, cancellation) => {
      const [, name, input] = /^(\S+)\s*(.*)$/s.exec(request.prompt);
      const options = { input: JSON.parse(input || "{}"), toolInvocationToken: request.toolInvocationToken };
      const call = { name, input: options.input };
      try {
        const result = await vscode.lm.invokeTool(name, options, cancellation);
        call.text = result.content.map((part) => part.value).join("");
      } catch (error) {
        call.error = String(error);
      }
      memory.calls.push(call);
      stream.markdown("```text\n" + (call.text || call.error) + "\n```");
    },
  );
  const model = {
    id: "stand-in", name: "Stand-in", family: "stand-in", version: "1",
    maxInputTokens: 100000, maxOutputTokens: 10000, capabilities: { toolCalling: true },
  };
  const provider = vscode.lm.registerLanguageModelChatProvider("driver", {
    provideLanguageModelChatInformation: async () => [model],
    provideLanguageModelChatResponse: async (_model, _messages, _options, progress) =>
      progress.report(new vscode.LanguageModelTextPart("I only call tools.")),
    provideTokenCount: async (_model, text) => String(text).length,
  });
  context.subscriptions.push(participant, provider);
}
