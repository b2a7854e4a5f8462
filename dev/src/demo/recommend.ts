import type { Response, Tastegraph } from '@tastegraph/sdk';
import type { Shop } from './shop/generate-shop.ts';
import { table } from './steps.ts';

type Recommendation = Response<'recommendItemsToUser'>;
type Reason = NonNullable<Recommendation['results'][number]['reasons']>[number];

const maxItems = 5;
const maxReasons = 2;

export interface Recommended {
  /** The genres of each recommended book. */
  readonly genres: readonly (readonly string[])[];
  readonly table: string;
  readonly ms: number;
}

export class Recommender {
  readonly #client: Tastegraph;
  readonly #projectId: string;
  readonly #titles: ReadonlyMap<string, string>;

  constructor(client: Tastegraph, project_id: string, { books }: Shop) {
    this.#client = client;
    this.#projectId = project_id;
    this.#titles = new Map(books.map(({ item_id, attributes }) => [item_id, attributes.title]));
  }

  async recommend(user_id: string): Promise<Recommended> {
    const startedAt = performance.now();
    const { results } = await this.#client.recommendItemsToUser({
      project_id: this.#projectId,
      user_id,
      limit: maxItems,
      explain: true,
      attributes: ['title', 'genres', 'price'],
    });
    const ms = performance.now() - startedAt;
    const genres = results.map(({ item }) => texts(item['genres']));
    const rows = results.map(({ item, reasons = [] }, index) => [
      String(item['title']),
      (genres[index] ?? []).join(', '),
      Number(item['price']).toFixed(2),
      this.#because(item.item_id, reasons),
    ]);
    return { genres, ms, table: table(['title', 'genres', 'price', 'because of'], rows) };
  }

  /** The largest contributions to the score. */
  #because(itemId: string, reasons: readonly Reason[]): string {
    const words = reasons.slice(0, maxReasons).map(({ kind, id }) => {
      if (id === itemId) return 'viewed before';
      if (kind === 'item') return this.#titles.get(id ?? '') ?? 'a book';
      return kind === 'attribute' ? (id ?? 'an attribute') : 'popularity';
    });
    return words.join('; ');
  }
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
