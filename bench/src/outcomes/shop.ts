import { seededRandom } from '@tastegraph/algorithms';

export interface ShopSize {
  readonly users: number;
  readonly items: number;
  readonly days: number;
}

const groups = 40;
const pastPerUser = 20;
/** The chance that a user comes on a day, and that they come again on the same day. */
const visitChance = { aDay: 0.2, again: 0.35 };
/** Most purchases follow at once; some take until the next visit or longer. */
const delays = { soon: 0.7, soonMs: 3600_000, lateMs: 20 * 3600_000 };
const shownItems = 10;
/** The chance to buy the first item of a list: one of the user's groups, and any other. */
const chances = { liked: 0.03, other: 0.01 };
/** An item at place n is seen with this chance to the power of n. */
const seen = 0.93;
const clicksPerPurchase = 3;
/** The chance that a visitor buys any item without a recommendation. */
const organic = 0.05;
const dayMs = 24 * 3600_000;

export interface ShopEvent {
  readonly event_id: string;
  readonly user_id: string;
  readonly item_id: string;
  readonly ts: number;
  readonly event_type: 'buy' | 'view';
  /** The number of the visit that led to it. */
  readonly visit?: number;
}

interface Visit {
  readonly user: number;
  readonly model: number;
  readonly ts: number;
  readonly items: readonly string[];
}

/** A shop whose users buy by a taste that we know, so that the truth about each model is known too. */
export class SimulatedShop {
  readonly #size: ShopSize;
  readonly #random = seededRandom(11);
  readonly #tastes: readonly (readonly number[])[];

  constructor(size: ShopSize) {
    this.#size = size;
    this.#tastes = Array.from({ length: size.users }, () => [
      Math.floor(this.#random() * groups),
      Math.floor(this.#random() * groups),
    ]);
  }

  users(): { user_id: string }[] {
    return this.#tastes.map((_, user) => ({ user_id: `u${user}` }));
  }

  items(): { item_id: string }[] {
    return Array.from({ length: this.#size.items }, (_, item) => ({ item_id: `i${item}` }));
  }

  /** Purchases before the models are trained: three of four by taste, with a long tail. */
  past(beforeTs: number): ShopEvent[] {
    const { items } = this.#size;
    return this.#tastes.flatMap((likes, user) =>
      Array.from({ length: pastPerUser }, (_, n) => {
        const rank = Math.floor(this.#random() ** 2 * (items / groups));
        const group =
          this.#random() < 0.75 ? (likes[n % likes.length] ?? 0) : Math.floor(this.#random() * groups);
        return {
          event_id: `p${user}-${n}`,
          user_id: `u${user}`,
          item_id: `i${rank * groups + group}`,
          ts: beforeTs - Math.floor(this.#random() * 60 * dayMs),
          event_type: 'buy' as const,
        };
      }),
    );
  }

  /**
   * The visits of all users, each with a list of their model: `lists[model][user]`. Users keep their model. `trueRates` has what share of
   * the visits would lead to a purchase if all users had that model.
   */
  simulate(lists: readonly (readonly (readonly string[])[])[], fromTs: number) {
    const visits: Visit[] = [];
    const events: ShopEvent[] = [];
    const trueSums = lists.map(() => 0);
    const random = this.#random;
    for (let user = 0; user < this.#size.users; user++) {
      const model = user % lists.length;
      for (let day = 0; day < this.#size.days; day++) {
        for (let comes = random() < visitChance.aDay; comes; comes = random() < visitChance.again) {
          const ts = fromTs + day * dayMs + Math.floor(random() * dayMs);
          const isLeftOut = Array.from({ length: 2 * shownItems }, () => random() < 0.5);
          const shown = lists.map((all) => chooseItems(all[user] ?? [], isLeftOut));
          for (const [n, items] of shown.entries())
            trueSums[n] = (trueSums[n] ?? 0) + this.#chance(user, items);
          const items = shown[model] ?? [];
          this.#act(user, items, { ts, visit: visits.length }, events);
          visits.push({ user, model, ts, items });
        }
      }
    }
    return { visits, events, trueRates: trueSums.map((sum) => sum / visits.length) };
  }

  #act(
    user: number,
    items: readonly string[],
    { ts, visit }: { ts: number; visit: number },
    events: ShopEvent[],
  ): void {
    const random = this.#random;
    const add = (item_id: string, event_type: ShopEvent['event_type'], from?: number) =>
      events.push({
        event_id: `e${events.length}`,
        user_id: `u${user}`,
        item_id,
        ts: ts + Math.floor(random() * (random() < delays.soon ? delays.soonMs : delays.lateMs)),
        event_type,
        ...(from !== undefined && { visit: from }),
      });
    for (const [place, item] of items.entries()) {
      const chance = this.#itemChance(user, item, place);
      if (random() < chance) add(item, 'buy', visit);
      if (random() < chance * clicksPerPurchase) add(item, 'view', visit);
    }
    if (random() < organic) add(`i${Math.floor(random() * this.#size.items)}`, 'buy');
  }

  #itemChance(user: number, item: string, place: number): number {
    const isLiked = this.#tastes[user]?.includes(Number(item.slice(1)) % groups);
    return (isLiked ? chances.liked : chances.other) * seen ** place;
  }

  /** The chance that the list leads to at least one purchase. */
  #chance(user: number, items: readonly string[]): number {
    return 1 - items.reduce((none, item, place) => none * (1 - this.#itemChance(user, item, place)), 1);
  }
}

/** About half of a list, in its order: a user does not see the same items at every visit. */
function chooseItems(list: readonly string[], isLeftOut: readonly boolean[]): string[] {
  return list.filter((_, place) => !isLeftOut[place]).slice(0, shownItems);
}
