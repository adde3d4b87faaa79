/** What is told of a branch's finding under the pointer: who says it, since when, over which way. */
import * as vscode from "vscode";
import { errorText } from "../log";
import { inMarkdown } from "../shown/text";
import type { Subject, Subjects } from "./documents";
import { chainWords, originWords, type Reached, type Shown } from "./findings";
import { rangeIn, type Squiggles } from "./squiggles";

/** Asks how edits of branches get to files; an answer is kept as long as the branch is the same. */
export class Chains {
  private readonly known = new Map<string, Promise<readonly Reached[]>>();

  /** The way of the branch's edits to a file in words; nothing for a file that it edits. */
  async to({ branch, path }: Subject): Promise<string> {
    const { client, summary } = branch;
    const key = `${client.folder.uri.toString()} ${summary.branch} ${summary.revision}`;
    let files = this.known.get(key);
    if (files === undefined) {
      files = client
        .request<{ files: readonly Reached[] }>("understudy/affected", { branch: summary.branch })
        .then((answer) => answer.files);
      files.catch(() => this.known.delete(key));
      this.known.clear(); // of earlier revisions nobody asks
      this.known.set(key, files);
    }
    return chainWords((await files).find((file) => file.path === path));
  }
}

/** Where the commands of a hover are about; the document says which branch and file it is. */
export interface PlaceGiven {
  readonly uri: string;
  readonly line: number;
  readonly character: number;
}

export class FindingHover implements vscode.HoverProvider {
  constructor(
    private readonly subjects: Subjects,
    private readonly squiggles: Squiggles,
    private readonly chains: Chains,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  async provideHover(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<vscode.Hover | undefined> {
    const here = this.squiggles
      .of(document.uri)
      .filter(({ finding }) => rangeIn(document, finding).contains(position));
    const subject = here.length === 0 ? undefined : await this.subjects.of(document.uri);
    const [first] = here;
    if (subject === undefined || first === undefined) {
      return undefined;
    }
    const chain = await this.chains.to(subject).catch((error: unknown) => {
      this.log.debug(`chain: ${errorText(error)}`);
      return "";
    });
    const told = here.map((shown) => words(shown, document.uri, subject, chain));
    return new vscode.Hover(told, rangeIn(document, first.finding));
  }
}

/** Others wrote the message: it is told as text, and only our own commands can be clicked. */
function words(
  shown: Shown,
  uri: vscode.Uri,
  { branch }: Subject,
  chain: string,
): vscode.MarkdownString {
  const { finding } = shown;
  const told = new vscode.MarkdownString(undefined, true);
  told.isTrusted = { enabledCommands: ["understudy.review.fix", "understudy.review.sendToChat"] };
  told.appendMarkdown(inMarkdown(finding.message)).appendMarkdown("\n\n");
  told.appendMarkdown(inMarkdown(originWords(shown, branch.summary.branch)));
  if (chain !== "") {
    told.appendMarkdown(`\n\n${inMarkdown(`The edit gets here over ${chain}`)}`);
  }
  const { line, character } = finding.range.start;
  const place: PlaceGiven = { uri: uri.toString(), line, character };
  const given = encodeURIComponent(JSON.stringify([place]));
  told.appendMarkdown(
    `\n\n[$(lightbulb) Fix…](command:understudy.review.fix?${given} "What its server would do, tried first")` +
      ` · [$(comment-discussion) Send to Chat](command:understudy.review.sendToChat?${given} "With the code around it")`,
  );
  return told;
}
