/** Settings that few people need: entries of one table, and the names that they had at the top. */

/** What one layer says: the user's own settings, the workspace's, or the folder's. */
export interface Layer {
  /** Whether the layer is the user's own, who alone decides about all workspaces. */
  readonly isUsers: boolean;
  /** The table `understudy.advanced`, as somebody wrote it. */
  readonly table: unknown;
  /** Values by the old names. */
  readonly old: Readonly<Record<string, unknown>>;
}

/** Which entries there are. */
export interface Entries {
  readonly names: readonly string[];
  /** Those that are about all workspaces: taken from the user's own settings alone. */
  readonly personal: readonly string[];
  /** Those that the server does not know. */
  readonly editors: readonly string[];
}

/**
 * The entries that are set, the nearest layer's value of each; in one layer the table wins.
 *
 * What is no entry is handed on by a name that the server refuses, which says where it stands.
 */
export function layered(layers: readonly Layer[], entries: Entries): Record<string, unknown> {
  const set: Record<string, unknown> = {};
  for (const { isUsers, table, old } of layers) {
    const isTable = typeof table === "object" && table !== null && !Array.isArray(table);
    if (!isTable && table !== undefined && table !== null) {
      set["advanced"] = table;
    }
    const said = [...Object.entries(old), ...(isTable ? Object.entries(table) : [])];
    for (const [name, value] of said) {
      if (entries.editors.includes(name)) {
        continue;
      }
      if (!entries.names.includes(name)) {
        set[`advanced.${name}`] = value;
      } else if (
        value !== null &&
        value !== undefined &&
        (isUsers || !entries.personal.includes(name))
      ) {
        set[name] = value;
      }
    }
  }
  return set;
}
