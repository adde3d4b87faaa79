/** The page as HTML: no program runs in it, its buttons are links to commands that it may name. */
import { oneLine, visible } from "../shown/text";
import type { Remedy, Row, Sorted } from "./sorted";

/** All that the page's buttons may run. */
export const COMMANDS = [
  ...["understudy.chooseInterpreter", "understudy.doctor", "understudy.doctor.asText"],
  ...["understudy.doctor.copy", "understudy.openPage", "understudy.restart"],
  ...["understudy.showLog", "workbench.action.openSettings", "workbench.trust.manage"],
];

export function pageOf(title: string, { summary, problems, working, rest }: Sorted): string {
  const again = link({ title: "Look Again", command: "understudy.doctor", given: [] });
  const text = link({ title: "Open as Text", command: "understudy.doctor.asText", given: [] });
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escape(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escape(title)}</h1>
<p class="summary">${escape(summary)}</p>
<p>${again} ${text}</p>
${section("To mend", problems, "problem")}
${section("Works here", working, "ok")}
${folded(rest)}
</main>
</body>
</html>`;
}

function section(heading: string, rows: readonly Row[], kind: string): string {
  return rows.length === 0 ? "" : `<h2>${heading}</h2>\n<dl class="${kind}">${list(rows)}</dl>`;
}

function folded(rows: readonly Row[]): string {
  return rows.length === 0
    ? ""
    : `<details><summary>Everything else (${rows.length})</summary><dl>${list(rows)}</dl></details>`;
}

function list(rows: readonly Row[]): string {
  return rows.map(rowOf).join("\n");
}

function rowOf({ subject, text, remedies }: Row): string {
  const buttons = remedies.map(link).join(" ");
  const below = buttons === "" ? "" : `<p>${buttons}</p>`;
  return `<dt>${escape(oneLine(subject))}</dt><dd>${escape(text)}${below}</dd>`;
}

function link({ title, command, given }: Remedy): string {
  const query = given.length === 0 ? "" : `?${encodeURIComponent(JSON.stringify(given))}`;
  return `<a class="button" href="command:${command}${query}">${escape(title)}</a>`;
}

function escape(text: string): string {
  return visible(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

const STYLE = `
main { max-width: 60rem; line-height: 1.5; }
h1 { font-size: 1.6em; } h2 { font-size: 1.2em; margin-top: 1.5em; }
.summary { font-size: 1.1em; }
dt { font-weight: 600; margin-top: .6em; }
dd { margin-left: 1.2em; overflow-wrap: anywhere; }
dl.problem dt::before { content: "! "; color: var(--vscode-problemsWarningIcon-foreground); }
dl.ok dt::before { content: "✓ "; color: var(--vscode-testing-iconPassed); }
dd p { margin: .3em 0; }
summary { cursor: pointer; margin-top: 1.5em; font-size: 1.2em; font-weight: 600; }
a.button { display: inline-block; padding: .15em .8em; margin-right: .3em; border-radius: 2px;
  text-decoration: none; color: var(--vscode-button-foreground);
  background: var(--vscode-button-background);
  border: 1px solid var(--vscode-button-border, var(--vscode-contrastBorder, transparent)); }
a.button:hover { background: var(--vscode-button-hoverBackground); }
a.button:focus, summary:focus { outline: 1px solid var(--vscode-focusBorder); outline-offset: 2px; }
`;
