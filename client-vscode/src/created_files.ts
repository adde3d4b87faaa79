/** New files as one step each: a file that is made empty, filled and saved cannot be undone. */
import type { ApplyWorkspaceEditParams } from "vscode-languageclient/node";

type Change = NonNullable<ApplyWorkspaceEditParams["edit"]["documentChanges"]>[number];

/**
 * The edit with the text of each new file as the contents that it is made with.
 *
 * `contents` is no part of LSP, but of the editor's own `createFile`, whose options the client
 * passes on as they are.
 */
export function withContents(params: ApplyWorkspaceEditParams): ApplyWorkspaceEditParams {
  const changes = params.edit.documentChanges ?? [];
  const joined: Change[] = [];
  for (const change of changes) {
    const made = joined.at(-1);
    const text = fillOf(change);
    if (made !== undefined && isCreate(made) && text?.uri === made.uri) {
      const options = { ...made.options, contents: new TextEncoder().encode(text.content) };
      joined[joined.length - 1] = { ...made, options };
    } else {
      joined.push(change);
    }
  }
  return joined.length === changes.length
    ? params
    : { ...params, edit: { ...params.edit, documentChanges: joined } };
}

/** The document and the whole text of a change that does nothing but fill an empty one. */
function fillOf(change: Change): { uri: string; content: string } | undefined {
  if ("kind" in change || change.edits.length !== 1) {
    return undefined;
  }
  const [edit] = change.edits;
  return edit !== undefined && "newText" in edit
    ? { uri: change.textDocument.uri, content: edit.newText }
    : undefined;
}

function isCreate(change: Change): change is Extract<Change, { kind: "create" }> {
  return "kind" in change && change.kind === "create";
}
