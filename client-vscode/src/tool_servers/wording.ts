import { plain } from "../shown/text";
/** The workspace's MCP servers in words. */

export type ToolServerStatus =
  "ready" | "starting" | "needs-auth" | "needs-input" | "needs-trust" | "failed" | "disabled";

/** One server of `understudy/context/mcp/list`; `runs` is its command line or address. */
export interface ToolServer {
  readonly name: string;
  readonly status: ToolServerStatus;
  readonly hint: string;
  readonly tools: number;
  readonly origin: string;
  readonly runs: string;
}

export interface ToolServers {
  readonly servers: readonly ToolServer[];
  readonly problems: readonly string[];
}

export interface ToolServerRow {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

const NEEDS: Partial<Record<ToolServerStatus, string>> = {
  "needs-auth": "needs re-authentication",
  "needs-input": "needs a value that only you can give",
  failed: "does not work",
};

const ICONS: Record<ToolServerStatus, string> = {
  ready: "$(pass)",
  starting: "$(sync)",
  "needs-auth": "$(key)",
  "needs-input": "$(edit)",
  "needs-trust": "$(shield)",
  failed: "$(error)",
  disabled: "$(circle-slash)",
};

/** What the user is told of servers that have come to need something; `known` holds what was told. */
export function toldOf(
  known: ReadonlyMap<string, ToolServerStatus>,
  servers: readonly ToolServer[],
): string[] {
  return servers
    .filter(({ name, status }) => NEEDS[status] !== undefined && known.get(name) !== status)
    .map(({ name, status, hint }) => {
      const text = `The MCP server '${name}' ${NEEDS[status]}`;
      return hint === "" ? `${text}.` : `${text}: ${hint}`;
    });
}

/** A server as a row of a list. */
export function toolServerRow(server: ToolServer): ToolServerRow {
  const { name, status, hint, tools, origin, runs } = server;
  const count = status === "disabled" ? "not allowed yet" : `${tools} tools`;
  return {
    label: `${ICONS[status]} ${plain(name)}`,
    description: plain(`${status}, ${count} (${origin})`),
    detail: plain([runs, hint].filter((part) => part !== "").join(" · ")),
  };
}
