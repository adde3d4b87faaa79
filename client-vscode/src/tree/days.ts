/** The newest branches by the days on which they were made. */
import type { BranchNode, DayNode } from "./nodes";

/** The rows as they are where all are of one day: one heading would say nothing. */
export function byDay(
  nodes: readonly BranchNode[],
  now = new Date(),
): readonly BranchNode[] | readonly DayNode[] {
  const days = new Map<string, BranchNode[]>();
  for (const node of nodes) {
    const day = dayWords(new Date(node.branch.summary.created * 1000), now);
    const known = days.get(day);
    if (known === undefined) {
      days.set(day, [node]);
    } else {
      known.push(node);
    }
  }
  return days.size < 2
    ? nodes
    : [...days].map(([day, branches]): DayNode => ({ kind: "day", day, branches }));
}

/** Milliseconds until the next day begins here; a little more, as timers may be early. */
export function leftOfDay(now: Date): number {
  const next = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  return next.getTime() - now.getTime() + 50;
}

function dayWords(day: Date, now: Date): string {
  const at = (date: Date, back = 0) =>
    new Date(date.getFullYear(), date.getMonth(), date.getDate() - back).getTime();
  if (at(day) === at(now)) {
    return "Today";
  }
  return at(day) === at(now, 1)
    ? "Yesterday"
    : day.toLocaleDateString(undefined, { year: "numeric", month: "long", day: "numeric" });
}
