import { a } from "./a";
import type { B } from "./b";

/** How many at once. */
export const LIMIT = 3;
const { x, y: z } = { x: 1, y: 2 };
let [first] = [1];

export type Pair<T> = { left: T; right: T };

export interface Shape<in out T extends object> extends Base {
  readonly name: string; // over the door
  area(unit?: string): number;
  area(unit: number): number;
  <A>(value: A): A
  <A, C>(value: A, other: C): A
  new (name: string): Shape<T>;
  [key: string]: unknown;
}

export declare function overloaded(a: string): string;
export declare function overloaded(a: number): number;

export enum Color { Red, Green = "green" }

export namespace Deep.Er {
  export const inside: number = 1;
  export function nested() {}
}

declare global {
  interface Window { shop: Shop }
}

/**
 * Sells things.
 * At length.
 */
@decorated({ template: "something that is long enough to be left out of the signature" })
export abstract class Shop<T> extends Base<T> implements Shape<T> {
  static count = 0;
  private items: T[] = [];
  #hidden = 1;
  handler = (event: Event): void => {
    const local = 1;
  };

  constructor(private readonly store: Store, plain: number) {
    super();
  }

  get size(): number {
    return 1;
  }

  set size(value: number) {}

  find(key: string): T;
  find(key: number): T;
  find(key: unknown): T {
    function helper() {
      return 1;
    }
    return helper() as T;
  }

  abstract later(): Promise<void>;
}

export const arrow = async <A>(a: A): Promise<A> => {
  const nestedArrow = () => a;
  return nestedArrow();
};

export const table = {
  method() {
    return 1;
  },
  property: () => 2,
  value: 3,
};

export default function main() {}
