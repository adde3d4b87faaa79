/** What the server refuses, and what it means when it goes away in the midst of a request. */

/** An error that the server answered: `code` is one of the names in docs/reference/errors.md. */
export class ServerError extends Error {
  constructor(
    readonly code: string,
    readonly text: string,
    readonly where: string | null,
  ) {
    super(where === null ? text : `${where}: ${text}`);
  }
}

/** Of vscode-jsonrpc: an answer will not come, because the connection is gone. */
const CONNECTION_GONE = new Set([-32097, -32098, -32099]);

/** The error as ServerError if it is one; others are as they were. */
export function asServerError(error: unknown): unknown {
  const { code, data } = error as { code?: unknown; data?: Record<string, unknown> | null };
  if (typeof data?.["code"] === "string" && typeof data["text"] === "string") {
    const where = data["where"];
    return new ServerError(data["code"], data["text"], typeof where === "string" ? where : null);
  }
  if (typeof code === "number" && CONNECTION_GONE.has(code)) {
    return new ServerError("crashed", "Understudy's server ended before it answered", null);
  }
  return error;
}
