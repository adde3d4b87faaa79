// The text that the editor's terminal shows for a stream: logical lines of @xterm/headless.
// Reads one JSON job a line on stdin: {"id", "text", "columns", "rows"}; answers one a line.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(process.argv[2]);
const { Terminal } = require("@xterm/headless");
const { Unicode11Addon } = require("@xterm/addon-unicode11");

function logicalLines(terminal) {
  const buffer = terminal.buffer.normal;
  const lines = [];
  for (let y = 0; y < buffer.length; y++) {
    const row = buffer.getLine(y);
    const next = buffer.getLine(y + 1);
    let end = terminal.cols;
    // A wide character that did not fit leaves one empty cell, which is no blank of the text.
    const last = row.getCell(end - 1);
    const before = row.getCell(end - 2);
    const isLeftOver = last.getCode() === 0 && last.getWidth() === 1 && (before.getCode() !== 0 || before.getWidth() === 0);
    if (next?.isWrapped && next.getCell(0).getWidth() === 2 && isLeftOver) end -= 1;
    const text = row.translateToString(!next?.isWrapped, 0, end);
    if (row.isWrapped && lines.length) lines[lines.length - 1] += text;
    else lines.push(text);
  }
  while (lines.length && !lines[lines.length - 1].trimEnd()) lines.pop();
  return lines.map((line) => line.replace(/ +$/, ""));
}

for await (const line of createInterface({ input: process.stdin })) {
  const job = JSON.parse(line);
  const terminal = new Terminal({
    cols: job.columns, rows: job.rows, scrollback: 1e6, allowProposedApi: true,
    scrollOnEraseInDisplay: true, logLevel: "off",
  });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = "11";
  // Erasing the scrollback erases what we have committed for good.
  terminal.parser.registerCsiHandler({ final: "J" }, (numbers) => numbers[0] === 3);
  await new Promise((done) => terminal.write(job.text, done));
  if (terminal.buffer.active.type === "alternate") {
    await new Promise((done) => terminal.write("\x1b[?47l", done));
  }
  process.stdout.write(JSON.stringify({ id: job.id, lines: logicalLines(terminal) }) + "\n");
  terminal.dispose();
}
