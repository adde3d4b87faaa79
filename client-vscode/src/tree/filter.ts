/** Which branches the view shows. */
import type { Summary } from "../branches/answers";
import { calledWords, count, type Judgement } from "../branches/wording";

export interface Filter {
  /** How it is called; without a name it shows all. */
  readonly name?: string;
  /** One of these, as the branches are shown. */
  readonly judgements?: readonly Judgement[];
  /** An agent is at work in it. */
  readonly isLive?: true;
  /** Letters of what it is for, or of its name. */
  readonly words?: string;
}

export const CHOICES: readonly Filter[] = [
  {},
  { name: "With Findings", judgements: ["findings"] },
  { name: "Not Verified", judgements: ["unknown", "part"] },
  { name: "Not Checked as They Are Now", judgements: ["none", "stale", "past"] },
  { name: "Clean", judgements: ["clean"] },
  { name: "An Agent Is at Work", isLive: true },
];

/** What a view has to say while it does not show all. */
export function filterWords({ name }: Filter, nShown: number, nAll: number): string | undefined {
  return name === undefined ? undefined : `${name}: ${nShown} of ${count(nAll, "branch", "es")}`;
}

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
