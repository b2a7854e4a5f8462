import { type Interactions, InteractionsBuilder } from '@tastegraph/algorithms';
import { largest, readLists } from './data.ts';
import type { Question } from './measure.ts';

interface Taobao {
  readonly items: number;
  /** By user. */
  readonly buys: ReadonlyMap<number, readonly number[]>;
  readonly carts: ReadonlyMap<number, readonly number[]>;
  readonly relevant: ReadonlyMap<number, readonly number[]>;
  /** Purchases are the target; carts are events of type 1. */
  readonly events: Interactions;
  /** The question of a user of whom these purchases and the carts are known. */
  readonly ask: (user: number, bought: readonly number[]) => Question;
}

/** Purchases and carts without times, and each user's next purchase. */
export function readTaobao(): Taobao {
  const buys = readLists('taobao-buycart/train.txt');
  const carts = readLists('taobao-buycart/cart.txt');
  const relevant = readLists('taobao-buycart/test.txt');
  const items = Math.max(...[buys, carts, relevant].map((lists) => largest(lists.values()))) + 1;
  const both = new InteractionsBuilder();
  for (const [user, list] of buys) for (const item of list) both.push(user, item, 0);
  for (const [user, list] of carts) for (const item of list) both.push(user, item, 1);
  return {
    items,
    buys,
    carts,
    relevant,
    events: both.build({ ordered: false, items }),
    ask: (user, bought) => {
      const carted = carts.get(user) ?? [];
      const types = [...bought.map(() => 0), ...carted.map(() => 1)];
      return { items: [...bought, ...carted], types, relevant: relevant.get(user) ?? [] };
    },
  };
}
