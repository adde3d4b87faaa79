/** What the editor was given of rows, so that what would look the same is left alone. */
import type * as vscode from "vscode";
import { idOf, type Node } from "./nodes";

export function rowKey(node: Node): string {
  return node.kind === "note" ? `note ${node.text}` : `${node.kind} ${idOf(node)}`;
}

export function rowKeys(nodes: readonly Node[]): string {
  return nodes
    .map((node) =>
      node.kind === "day" ? `${rowKey(node)}\n${rowKeys(node.branches)}` : rowKey(node),
    )
    .join("\n");
}

export function listKey(node: Node | undefined): string {
  return node === undefined ? "below" : `below ${rowKey(node)}`;
}

/**
 * All that a row shows, and what its commands are about; a check has rows of its own, and of rows
 * below it is enough which they are.
 */
export function pictureOf(node: Node, item: vscode.TreeItem): string {
  return JSON.stringify([node, item], (key, value: unknown) =>
    key === "client" || key === "check"
      ? undefined
      : key === "below" || key === "branches"
        ? rowKeys(value as readonly Node[])
        : value,
  );
}
