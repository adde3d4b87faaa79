/** How often a server may end by itself before it is left alone. */

const MOST = 5;
const WINDOW_MS = 3 * 60_000;

export class CrashCount {
  /** For a message: how often in what time is too often. */
  readonly text = `${MOST} times within ${WINDOW_MS / 60_000} minutes`;
  private times: number[] = [];

  /** Counts one more, at a time in ms; false when there were too many lately. */
  mayRestart(now: number): boolean {
    this.times = [...this.times.filter((at) => now - at < WINDOW_MS), now];
    return this.times.length < MOST;
  }
}
