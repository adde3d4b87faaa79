/** The last check of each branch over a reload of the window: what was known is told as such. */
import type { Memento } from "vscode";
import type { Check } from "./answers";

const NAME = "understudy.checks";

/** The editor writes all of them anew with each. */
const MOST = 50;

/** Characters of one as JSON; a longer one is forgotten with the window. */
const LONGEST = 10_000;

export interface KeptCheck {
  /** When its branch was made: a name may come again where all state was deleted. */
  readonly created: number;
  readonly revision: number;
  readonly check: Check;
}

export class KeptChecks {
  private readonly checks: Map<string, KeptCheck>;

  constructor(private readonly memory: Memento) {
    this.checks = new Map(Object.entries(memory.get<Record<string, KeptCheck>>(NAME, {})));
  }

  all(): Iterable<[string, KeptCheck]> {
    return this.checks;
  }

  of(key: string): KeptCheck | undefined {
    return this.checks.get(key);
  }

  /** Keeps what a row needs of it. */
  keep(key: string, { created, revision, check }: KeptCheck): void {
    const kept = { created, revision, check: { ...check, files: [], hidden: [], fixed: [] } };
    const text = JSON.stringify(kept);
    if (JSON.stringify(this.checks.get(key)) === text) {
      return; // equal stamps are not enough: servers may find something else in the same texts
    }
    this.checks.delete(key); // the newest stand last
    if (text.length <= LONGEST) {
      this.checks.set(key, kept);
    }
    for (const oldest of [...this.checks.keys()].slice(0, -MOST)) {
      this.checks.delete(oldest);
    }
    this.write();
  }

  drop(key: string): void {
    if (this.checks.delete(key)) {
      this.write();
    }
  }

  private write(): void {
    void this.memory.update(NAME, Object.fromEntries(this.checks));
  }
}
