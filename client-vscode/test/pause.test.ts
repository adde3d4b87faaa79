import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Pause } from "../src/pause";

/** Calls every 100 ms, so often; gives when it was acted, in ms. */
function actedAt(nCalls: number, then: number): readonly number[] {
  const acted: number[] = [];
  let now = 0;
  mock.timers.enable({ apis: ["setTimeout"] });
  const clock = mock.method(performance, "now", () => now);
  const pause = new Pause({ pause: 150, limit: 1000 }, () => acted.push(now));
  const pass = (milliseconds: number) => {
    for (let step = 0; step < milliseconds; step += 10) {
      now += 10;
      mock.timers.tick(10);
    }
  };
  try {
    for (let call = 0; call < nCalls; call++) {
      pause.wait();
      pass(100);
    }
    pass(then);
  } finally {
    pause.dispose();
    clock.mock.restore();
    mock.timers.reset();
  }
  return acted;
}

test("occasions that pause count as one", () => {
  assert.deepEqual(actedAt(1, 1000), [150]);
  assert.deepEqual(actedAt(5, 1000), [550]);
});

test("occasions without a pause are acted on all the same, again and again", () => {
  assert.deepEqual(actedAt(25, 1000), [1000, 2000, 2550]);
});
