/** Which branches the view shows. */
import type { Summary } from "../branches/answers";
import { calledWords, type Judgement } from "../branches/wording";

export interface Filter {
  /** One of these verdicts, as far as they are known. */
  readonly judgements?: readonly Judgement[];
  /** An agent is at work in it. */
  readonly isLive?: true;
  /** Letters of what it is for, or of its name. */
  readonly words?: string;
}

export interface Choice {
  readonly label: string;
  readonly filter: Filter;
}

export const CHOICES: readonly Choice[] = [
  { label: "All Branches", filter: {} },
  { label: "With Findings", filter: { judgements: ["findings"] } },
  { label: "Not Verified", filter: { judgements: ["unknown", "part"] } },
  { label: "Not Checked as They Are Now", filter: { judgements: ["none", "stale", "past"] } },
  { label: "Clean", filter: { judgements: ["clean"] } },
  { label: "An Agent Is at Work", filter: { isLive: true } },
];

export function isShown(
  { judgements, isLive, words }: Filter,
  summary: Pick<Summary, "branch" | "called" | "rehearsal">,
  judgement: Judgement,
): boolean {
  // One that is being checked belongs to what it will be: it does not vanish in between.
  const isJudged =
    judgements === undefined || judgement === "checking" || judgements.includes(judgement);
  const isAtWork = isLive !== true || summary.rehearsal !== undefined;
  const text = `${calledWords(summary)} ${summary.branch}`.toLowerCase();
  return isJudged && isAtWork && text.includes((words ?? "").toLowerCase());
}
