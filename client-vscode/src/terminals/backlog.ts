/** What waits to be told of a terminal: bounded, and what is dropped of it is counted. */

export type TerminalEvent =
  | { readonly kind: "begin"; readonly command: string; readonly cwd: string }
  | { readonly kind: "data"; readonly text: string }
  | { readonly kind: "missed"; readonly characters: number }
  | { readonly kind: "end"; readonly exit: number | null }
  | { readonly kind: "closed"; readonly withdrawn?: boolean };

/** Characters of output that may wait; a terminal that prints faster loses what comes next. */
export const MAX_WAITING = 4_000_000;

export class Backlog {
  private events: TerminalEvent[] = [];
  private waiting = 0;

  add(event: TerminalEvent): void {
    const last = this.events.at(-1);
    if (event.kind !== "data") {
      this.events.push(event);
    } else if (this.waiting + event.text.length > MAX_WAITING) {
      const before = last?.kind === "missed" ? last.characters : 0;
      if (before > 0) {
        this.events.pop();
      }
      this.events.push({ kind: "missed", characters: before + event.text.length });
    } else {
      this.waiting += event.text.length;
      this.events.push(event);
    }
  }

  /** All that waits, in its order. */
  take(): readonly TerminalEvent[] {
    const taken = this.events;
    this.events = [];
    this.waiting = 0;
    return taken;
  }
}
