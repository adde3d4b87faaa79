/** What others wrote, so that it neither hides from the user nor becomes a part of the editor. */

/** As `values/printable.py` has it: controls, direction marks, and what fonts show nothing for. */
const HIDING =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
const PICTURE = String.raw`\xa9\xae\u203c-\u3299\u{1f000}-\u{1faff}`;
const SEEN = new RegExp(
  `(?<=[${PICTURE}])[\\ufe0e\\ufe0f](?![\\ufe00-\\ufe0f])|(?<=[#*0-9])\\ufe0f(?=\\u20e3)` +
    `|(?<=[${PICTURE}\\ufe0f])\\u200d(?=[${PICTURE}])` +
    String.raw`|(?<=[\u0620-\u064a\u066e-\u06d3])\u200c(?=[\u0620-\u064a\u066e-\u06d3])` +
    String.raw`|(?<=[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca])[\u200c\u200d]`,
  "uy",
);

/** The text with what hides written as escapes; line feeds and tabs stay. */
export function visible(text: string): string {
  return text.replace(HIDING, (char, at: number) => {
    SEEN.lastIndex = at;
    return SEEN.test(text) ? char : escape(char);
  });
}

/** The same on one line: a path or a command may have line ends of its own. */
export function oneLine(text: string): string {
  return visible(text).replaceAll("\n", "\\x0a");
}

/** The same for places where the editor would read icons, `$(name)`, or links, `[words](target)`. */
export function plain(text: string): string {
  return visible(text).replaceAll("$(", "$ (").replaceAll("](", "] (");
}

/** The same as Markdown that shows the words and nothing else: no link, icon, picture or tag. */
export function inMarkdown(text: string): string {
  return visible(text)
    .replace(/[\\`*_{}[\]()#+\-.!|~$:]/g, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\n", "  \n");
}

function escape(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16);
  if (code.length > 4) {
    return `\\U${code.padStart(8, "0")}`;
  }
  return code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`;
}
