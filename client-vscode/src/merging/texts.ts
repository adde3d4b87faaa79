/** The texts of a merge, in memory: the editor shows plain names, and nothing of it is on disk. */
import * as vscode from "vscode";

export const MERGE_SCHEME = "understudy-merge";

interface Held {
  readonly bytes: Uint8Array;
  readonly mtime: number;
  readonly isWritten?: true;
  readonly permissions?: vscode.FilePermission;
}

/** Files by their paths; whoever puts one there takes it away. */
export class MergeTexts implements vscode.FileSystemProvider {
  private readonly files = new Map<string, Held>();
  private readonly changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changes.event;

  /** The URI of a text that is shown under a name; only the result of a merge can be edited. */
  put(path: string, text: string, isReadOnly: boolean): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: MERGE_SCHEME, path });
    const type = this.files.has(path)
      ? vscode.FileChangeType.Changed
      : vscode.FileChangeType.Created;
    const permissions = isReadOnly ? { permissions: vscode.FilePermission.Readonly } : {};
    // With a mark it is read as UTF-8, whatever the user's files are by their settings.
    const bytes = Buffer.from(`\ufeff${text}`, "utf8");
    this.files.set(path, { bytes, mtime: Date.now(), ...permissions });
    this.changes.fire([{ type, uri }]);
    return uri;
  }

  hasBelow(folder: string): boolean {
    return [...this.files.keys()].some((path) => path.startsWith(`${folder}/`));
  }

  /** Whether somebody has saved it since it was put there. */
  isWritten({ path }: vscode.Uri): boolean {
    return this.files.get(path)?.isWritten === true;
  }

  drop(uris: readonly vscode.Uri[]): void {
    for (const uri of uris) {
      if (this.files.delete(uri.path)) {
        this.changes.fire([{ type: vscode.FileChangeType.Deleted, uri }]);
      }
    }
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, mtime, permissions } = this.at(uri);
    const told = permissions === undefined ? {} : { permissions };
    return { type: vscode.FileType.File, ctime: mtime, mtime, size: bytes.length, ...told };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.at(uri).bytes;
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    this.files.set(uri.path, { ...this.at(uri), bytes, mtime: Date.now(), isWritten: true });
    this.changes.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    return { dispose: () => undefined }; // all changes are told
  }

  readDirectory(): never {
    throw vscode.FileSystemError.Unavailable();
  }

  createDirectory(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  private at(uri: vscode.Uri): Held {
    const found = this.files.get(uri.path);
    if (found === undefined) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return found;
  }
}
