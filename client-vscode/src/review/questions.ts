/** Hover, definition and the like in a branch's documents: from servers that see the branch. */
import type { LanguageClient } from "vscode-languageclient/node";
import * as vscode from "vscode";
import { ServerError } from "../client";
import type { BranchStore } from "../branches/store";
import { uriOf } from "../branches/texts";
import { SCHEME } from "../branches/uris";
import { errorText } from "../log";
import type { Subject, Subjects } from "./documents";

type Json = Readonly<Record<string, unknown>>;
type Converter = LanguageClient["protocol2CodeConverter"];

/** Asks about documents of branches; what no server knows has no answer. */
export class Questions {
  constructor(
    private readonly subjects: Subjects,
    private readonly store: BranchStore,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** A provider for each question that the editor may have about a document. */
  register(): vscode.Disposable[] {
    const of = { scheme: SCHEME };
    const place =
      <T>(method: string, made: (to: Converter, result: never) => T, more = {}) =>
      (document: vscode.TextDocument, position: vscode.Position) =>
        this.ask(document, method, { position: at(position), ...more }, made);
    const { languages } = vscode;
    return [
      languages.registerHoverProvider(of, {
        provideHover: place("hover", (to, found) => to.asHover(found)),
      }),
      languages.registerDefinitionProvider(of, {
        provideDefinition: place("definition", (to, found) => to.asDefinitionResult(found)),
      }),
      languages.registerTypeDefinitionProvider(of, {
        provideTypeDefinition: place("typeDefinition", (to, found) => to.asDefinitionResult(found)),
      }),
      languages.registerImplementationProvider(of, {
        provideImplementation: place("implementation", (to, found) => to.asDefinitionResult(found)),
      }),
      languages.registerReferenceProvider(of, {
        provideReferences: (document, position, context) =>
          this.ask(document, "references", { position: at(position), context }, (to, found) =>
            to.asReferences(found),
          ),
      }),
      languages.registerDocumentHighlightProvider(of, {
        provideDocumentHighlights: place("documentHighlight", (to, found) =>
          to.asDocumentHighlights(found),
        ),
      }),
      languages.registerSignatureHelpProvider(
        of,
        { provideSignatureHelp: place("signatureHelp", (to, found) => to.asSignatureHelp(found)) },
        ...["(", ","],
      ),
      languages.registerCompletionItemProvider(
        of,
        {
          provideCompletionItems: place("completion", (to, found) => to.asCompletionResult(found)),
        },
        ...[".", ":"],
      ),
      languages.registerDocumentSymbolProvider(of, {
        provideDocumentSymbols: (document) =>
          this.ask(document, "documentSymbol", {}, (to, found: never) =>
            isNested(found) ? to.asDocumentSymbols(found) : to.asSymbolInformations(found),
          ),
      }),
    ];
  }

  private async ask<T>(
    document: vscode.TextDocument,
    method: string,
    params: Json,
    made: (to: Converter, result: never) => T,
  ): Promise<Awaited<T> | undefined> {
    const subject = await this.subjects.of(document.uri);
    if (subject === undefined) {
      return undefined;
    }
    const { client, summary } = subject.branch;
    const uri = vscode.Uri.joinPath(client.folder.uri, subject.path).toString();
    try {
      const { result } = await client.request<{ result: unknown }>("understudy/branch/request", {
        branch: summary.branch,
        method: `textDocument/${method}`,
        params: { textDocument: { uri }, ...params },
      });
      const shown = await this.inBranch(subject, result);
      return await made((await client.client()).protocol2CodeConverter, shown as never);
    } catch (error) {
      const code = error instanceof ServerError ? error.code : "";
      this.log.debug(`${method} of ${subject.path}: ${code} ${errorText(error)}`);
      return undefined;
    }
  }

  /** An answer whose places in files of the branch lead to the branch's documents of them. */
  private async inBranch({ branch }: Subject, result: unknown): Promise<unknown> {
    const { files } = await this.store.filesOf(branch);
    const shown = new Map(
      files.map(({ path }) => [
        vscode.Uri.joinPath(branch.client.folder.uri, path).toString(),
        uriOf(branch, path, "after").toString(),
      ]),
    );
    const moved = (value: unknown): unknown => {
      if (Array.isArray(value)) {
        return value.map(moved);
      }
      if (typeof value !== "object" || value === null) {
        return value;
      }
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [
          key,
          key === "uri" || key === "targetUri"
            ? (shown.get(vscode.Uri.parse(String(item)).toString()) ?? item)
            : moved(item),
        ]),
      );
    };
    return moved(result);
  }
}

function at({ line, character }: vscode.Position): { line: number; character: number } {
  return { line, character };
}

function isNested(found: unknown): found is never {
  return Array.isArray(found) && (found.length === 0 || "selectionRange" in found[0]);
}
