/** Does something once its occasions pause, and at the latest after a limit if they never do. */

/** Milliseconds: how long nothing must come, and how long the first one may wait. */
export interface Patience {
  readonly pause: number;
  readonly limit: number;
}

export class Pause {
  private timer: NodeJS.Timeout | undefined;
  private first: number | undefined;

  constructor(
    private readonly patience: Patience,
    private readonly act: () => void,
  ) {}

  /** Several calls at once count as one. */
  wait(): void {
    const now = performance.now();
    this.first ??= now;
    const left = this.first + this.patience.limit - now;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), Math.max(Math.min(this.patience.pause, left), 0));
  }

  dispose(): void {
    clearTimeout(this.timer);
  }

  private end(): void {
    this.first = undefined;
    this.act();
  }
}
