/** What is known of each branch's verdict, and how far it is about the texts of now. */
import type { Check } from "./answers";
import type { KeptChecks } from "./kept_checks";
import type { Judgement } from "./wording";

export interface Known {
  /** The revision that was checked; another one makes it stale, as does a change of a document. */
  readonly revision: number;
  readonly check: Check;
  /** Whether only a part was asked, as agents may: such a check finds, but it clears nothing. */
  readonly isPart: boolean;
  /** Whether it is from before the window was opened: nobody knows what has changed since. */
  readonly isPast?: true;
  isStale: boolean;
}

/** By keys that begin with a branch's folder. */
export class KnownChecks {
  private readonly checked = new Map<string, Known>();
  private readonly running = new Map<string, number>();

  constructor(private readonly kept: KeptChecks) {
    for (const [key, { revision, check }] of kept.all()) {
      this.checked.set(key, { revision, check, isPart: false, isPast: true, isStale: true });
    }
  }

  /** The last check of a branch, if there was one. */
  checkOf(key: string): Check | undefined {
    return this.checked.get(key)?.check;
  }

  /** The same while it is about the texts of now, whole or of a part. */
  checkOfNow(key: string, revision: number): Check | undefined {
    const known = this.checked.get(key);
    return known?.isStale === false && known.revision === revision ? known.check : undefined;
  }

  judgementOf(key: string, revision: number): Judgement {
    if ((this.running.get(key) ?? 0) > 0) {
      return "checking";
    }
    const known = this.checked.get(key);
    if (known === undefined) {
      return "none";
    }
    if (known.isPast === true && known.revision === revision) {
      return "past";
    }
    if (known.isStale || known.revision !== revision) {
      return known.isPart && known.check.verdict !== "findings" ? "none" : "stale";
    }
    return known.isPart ? "part" : known.check.verdict;
  }

  began(key: string): void {
    this.running.set(key, (this.running.get(key) ?? 0) + 1);
  }

  ended(key: string): void {
    this.running.set(key, (this.running.get(key) ?? 1) - 1);
  }

  know(key: string, created: number, known: Known): void {
    const { revision, isPart } = known;
    const check: Check = isPart ? { ...known.check, isPart } : known.check;
    this.checked.set(key, { ...known, check });
    if (!isPart || check.verdict === "findings") {
      this.kept.keep(key, { created, revision, check });
    }
  }

  /** All of a folder were about an earlier text of the user's. */
  textMoved(folder: string): void {
    for (const [key, known] of this.checked) {
      known.isStale ||= key.startsWith(folder);
    }
  }

  /** What is known of a branch that had the name of one of now: its folder's state was deleted. */
  dropNamesake(key: string, created: number): void {
    const known = this.kept.of(key);
    if (known !== undefined && known.created !== created) {
      this.kept.drop(key);
      this.checked.delete(key);
    }
  }
}
