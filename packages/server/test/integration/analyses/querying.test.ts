import { describe, expect } from 'vitest';
import {
  follow,
  linesOf,
  makeAnalysedProject,
  resultOf,
  submitQueries,
  tableRowsOf,
  usagesOf,
} from '../stack/analysed-project.ts';
import { api, caller, perFile, test } from '../stack/stack.ts';

const project = perFile(() => makeAnalysedProject(caller), test);

const ask = async (asked: Parameters<typeof submitQueries>[2]) =>
  resultOf(caller, project.project_id, await submitQueries(caller, project, asked));
const usages = (attribute: string, value: string | number | boolean) =>
  usagesOf(api, caller, project, attribute, value);
const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

interface Line {
  readonly query?: number;
  readonly conditions?: object[];
  readonly user_count?: number;
  readonly user_id?: string;
  readonly usage?: number[];
}

describe('a list of users', () => {
  test('has the users that a slow reference finds, with their affinities, for each query in order', async () => {
    const [horror, price, kids] = [
      await usages('genres', 'Horror'),
      await usages('price', 2),
      await usages('kids', true),
    ];
    const conditions = [
      { attribute: 'genres', value: 'Horror', lower_bound: 0.25 },
      { attribute: 'price', value: 2, lower_bound: 0.1, upper_bound: 0.45 },
    ];
    const result = await ask({
      query_type: 'user_list',
      queries: [
        { conditions },
        { conditions: [{ attribute: 'kids', value: true }] },
        { conditions: [{ attribute: 'genres', value: 'Horror', lower_bound: 1 }] },
      ],
    });
    const lines = await linesOf<Line>(caller, result);
    const heads = lines.filter((line) => line.query !== undefined);
    expect(heads.map(({ query, conditions }) => ({ query, conditions }))).toEqual([
      {
        query: 0,
        conditions: [
          { attribute: 'genres', value: 'Horror', lower_bound: 0.25, upper_bound: 1 },
          { attribute: 'price', value: 2, lower_bound: 0.1, upper_bound: 0.45 },
        ],
      },
      { query: 1, conditions: [{ attribute: 'kids', value: true, lower_bound: 0, upper_bound: 1 }] },
      { query: 2, conditions: [{ attribute: 'genres', value: 'Horror', lower_bound: 1, upper_bound: 1 }] },
    ]);
    const within = (usage: number | undefined, lower: number, upper: number) =>
      usage !== undefined && usage >= lower && usage <= upper;
    const both = [...horror.keys()]
      .filter((user) => within(horror.get(user), 0.25, 1) && within(price.get(user), 0.1, 0.45))
      .toSorted(byBytes);
    expect(both.length).toBeGreaterThan(3);
    expect(both.length).toBeLessThan(horror.size - 3);
    const place = lines.indexOf(heads[1] as Line);
    const [first, second] = [lines.slice(1, place), lines.slice(place + 1, -1)];
    expect(first.map((line) => line.user_id)).toEqual(both);
    expect(second.map((line) => line.user_id)).toEqual([...kids.keys()].toSorted(byBytes));
    expect(heads.map((head) => head.user_count)).toEqual([both.length, kids.size, 0]);
    for (const { user_id = '', usage = [] } of first) {
      expect(usage[0]).toBeCloseTo(horror.get(user_id) ?? Number.NaN, 5);
      expect(usage[1]).toBeCloseTo(price.get(user_id) ?? Number.NaN, 5);
    }
    for (const { user_id = '', usage = [] } of second)
      expect(usage[0]).toBeCloseTo(kids.get(user_id) ?? Number.NaN, 5);
    expect(result.message).toMatch(/\bquery 2\b/);
    expect(result.chart_urls).toEqual([]);
  });

  test('refers to the data that the model was trained on, not to newer data', async () => {
    const asked = {
      query_type: 'user_list' as const,
      queries: [{ conditions: [{ attribute: 'kids', value: true }] }],
    };
    const before = await linesOf(caller, await ask(asked));
    await caller.call('upsertDatasetEvents', {
      event_dataset_id: project.event_dataset_id,
      events: [{ event_id: 'later', user_id: 'later', item_id: 'i0', ts: 1, event_type: 'buy' }],
    });
    await caller.call('deleteDatasetItems', { item_dataset_id: project.item_dataset_id, ids: ['i0'] });
    expect(await linesOf(caller, await ask(asked))).toEqual(before);
  });
});

describe('with table_format', () => {
  const conditions = [
    { attribute: 'genres', value: 'Horror', lower_bound: 0.2 },
    { attribute: 'price', value: 2 },
  ];
  const lists = {
    query_type: 'user_list' as const,
    queries: [
      { conditions },
      { conditions: [{ attribute: 'genres', value: 'none' }] },
      { conditions: [{ attribute: 'kids', value: true, lower_bound: 0.3 }] },
    ],
  };

  test('a list has one row per user and condition, in the order of the lines', async () => {
    const result = await ask({ ...lists, table_format: 'PARQUET' });
    const expected: object[] = [];
    let head: Line = {};
    for (const line of await linesOf<Line>(caller, result)) {
      if (line.query !== undefined) head = line;
      for (const [index, usage] of (line.usage ?? []).entries()) {
        const { attribute, value } = head.conditions?.[index] as { attribute: string; value: unknown };
        const text = String(value);
        expected.push({ query: head.query, user_id: line.user_id, attribute, value: text, usage });
      }
    }
    expect(expected.length).toBeGreaterThan(20);
    expect(await tableRowsOf(caller, result)).toEqual(expected);
    expect(result.chart_urls).toEqual([]);
    expect(result.message).toMatch(/^Query 1\b/);
  });

  test('a list as CSV has the same rows, with IDs quoted where they must be', async () => {
    const parquet = await tableRowsOf(caller, await ask({ ...lists, table_format: 'PARQUET' }));
    const { table_url = '' } = await ask({ ...lists, table_format: 'CSV' });
    const file = await follow(caller, table_url);
    expect(file.headers.get('content-type')).toMatch(/^text\/csv/);
    const [header, ...rows] = (await file.text()).split('\r\n').slice(0, -1);
    expect(header).toBe('query,user_id,attribute,value,usage');
    const quoted = (cell: unknown) => (cell === 'ü "3"' ? '"ü ""3"""' : String(cell));
    expect(rows).toEqual(parquet.map((row) => Object.values(row).map(quoted).join()));
  });

  test('a distribution has one row per bin, besides its charts', async () => {
    const result = await ask({
      query_type: 'user_distribution',
      queries: [
        { attribute: 'genres', value: 'Drama', bins: 4 },
        { attribute: 'price', value: 0, bins: 2 },
      ],
      table_format: 'PARQUET',
    });
    const { distributions } = (await (await follow(caller, result.download_url)).json()) as {
      distributions: { attribute: string; value: unknown; edges: number[]; counts: number[] }[];
    };
    expect(await tableRowsOf(caller, result)).toEqual(
      distributions.flatMap(({ attribute, value, edges, counts }, query) =>
        counts.map((users, bin) => {
          const about = { query, attribute, value: String(value) };
          return { ...about, low: edges[bin], high: edges[bin + 1], users };
        }),
      ),
    );
    expect(result.chart_urls).toHaveLength(2);
  });

  test('absent, there is no table', async () => {
    expect(await ask(lists)).not.toHaveProperty('table_url');
  });
});

describe('a distribution of users', () => {
  test('counts what a slow reference counts, and has a chart for each query', async () => {
    const result = await ask({
      query_type: 'user_distribution',
      queries: [
        { attribute: 'genres', value: 'Drama' },
        { attribute: 'price', value: 0, bins: 3 },
      ],
    });
    const answer = await follow(caller, result.download_url);
    expect(answer.headers.get('content-type')).toBe('application/json');
    const { distributions } = (await answer.json()) as {
      distributions: { edges: number[]; counts: number[]; chart: string }[];
    };
    const expected = [];
    for (const [attribute, value, bins] of [
      ['genres', 'Drama', 20],
      ['price', 0, 3],
    ] as const) {
      const all = [...(await usages(attribute, value)).values()];
      const edges = Array.from({ length: bins + 1 }, (_, edge) => edge / bins);
      const counts = edges
        .slice(1)
        .map((right, bin) => all.filter((usage) => usage >= bin / bins && usage < right).length);
      expected.push({ attribute, value, bins, edges, counts, user_count: all.length });
    }
    expect(distributions).toMatchObject(expected);
    expect(result.message).toMatch(/^\d+ users .*"genres"; \d+ users? .*"price"/);
    expect(result.chart_urls).toHaveLength(2);
    for (const [place, words] of ['genres = Drama', 'price = 0'].entries()) {
      const chart = await follow(caller, result.chart_urls?.[place] ?? '');
      expect(chart.headers.get('content-type')).toBe('image/svg+xml');
      expect(chart.headers.get('content-security-policy')).toContain('sandbox');
      const svg = await chart.text();
      expect(svg).toMatch(/^<svg xmlns/);
      expect(svg).toContain(words);
      expect(svg).toContain('>Usage</text>');
      expect(distributions[place]?.chart).toBe(svg);
    }
  });
});

describe('a query is refused at submission', () => {
  const refusal = async (change: object) => {
    const { project_id, model_id } = project;
    const request = { name: 'q', project_id, model_id, ...change };
    const { status, body } = await caller.ask('submitQueryingJob', request);
    return { status, code: body.code, errors: body.errors, detail: body.detail };
  };
  const list = (condition: object) => ({ query_type: 'user_list', queries: [{ conditions: [condition] }] });

  test('with bounds in the wrong order, naming both', async () => {
    expect(
      await refusal(list({ attribute: 'genres', value: 'Drama', lower_bound: 0.7, upper_bound: 0.4 })),
    ).toMatchObject({
      status: 400,
      code: 'INVALID_REQUEST',
      errors: [
        {
          path: 'queries.0.conditions.0.lower_bound',
          message: expect.stringMatching(/0\.7.*0\.4/) as string,
        },
      ],
    });
  });

  test('with an attribute that no item had, naming the nearest or all attributes', async () => {
    expect(await refusal(list({ attribute: 'Genre', value: 'Drama' }))).toMatchObject({
      status: 400,
      errors: [
        {
          path: 'queries.0.conditions.0.attribute',
          message: expect.stringMatching(/"Genre".*"genres"/) as string,
        },
      ],
    });
    const other = { query_type: 'user_distribution', queries: [{ attribute: 'director', value: 'x' }] };
    const { detail, errors } = await refusal(other);
    expect(errors).toMatchObject([{ path: 'queries.0.attribute' }]);
    expect(detail).toMatch(/"director".*\bgenres, kids, price\b/);
  });

  test('of a missing model, or of one without a snapshot', async () => {
    const asked = list({ attribute: 'genres', value: 'Drama' });
    expect(await refusal({ ...asked, model_id: 'mdl_none' })).toMatchObject({ status: 404 });
    const old = await makeAnalysedProject(caller, 2);
    await api.rows(
      `UPDATE models SET snapshot_key = NULL, snapshot_size = NULL, snapshot_sha256 = NULL, attributes = NULL
        WHERE model_id = $1`,
      [old.model_id],
    );
    const { project_id, model_id } = old;
    expect(await refusal({ ...asked, project_id, model_id })).toMatchObject({
      status: 400,
      errors: [{ path: 'model_id' }],
    });
    const clustering = { name: 'c', project_id, model_id, cluster_type: 'user', parameters: {} };
    expect((await caller.ask('submitClusteringJob', clustering)).status).toBe(400);
  });
});

describe('a query with a value that no item had', () => {
  const nobody = [
    ['genres', 'Horor', '"Horror"'],
    ['kids', 'tru', 'true'],
  ] as const;

  test.each(nobody)(
    '(%s = %j) has no users, and suggests the probable value',
    async (attribute, value, meant) => {
      const { project_id } = project;
      const known = { attribute: 'genres', value: 'Horror' };
      const spread = await resultOf(
        caller,
        project_id,
        await submitQueries(caller, project, {
          query_type: 'user_distribution',
          queries: [known, { attribute, value, bins: 4 }],
        }),
      );
      const answer = await follow(caller, spread.download_url);
      const { distributions } = (await answer.json()) as {
        distributions: { user_count: number; counts: number[]; message?: string }[];
      };
      expect(distributions[0]?.user_count).toBeGreaterThan(0);
      expect(distributions[0]).not.toHaveProperty('message');
      expect(distributions[1]).toMatchObject({ user_count: 0, counts: [0, 0, 0, 0] });
      expect(distributions[1]?.message).toContain(meant);
      expect(spread.message).toContain(`Query 1: ${distributions[1]?.message ?? '-'}`);
      expect(spread.chart_urls).toHaveLength(2);

      const listed = await resultOf(
        caller,
        project_id,
        await submitQueries(caller, project, {
          query_type: 'user_list',
          queries: [{ conditions: [known] }, { conditions: [known, { attribute, value }] }],
        }),
      );
      const lines = await linesOf<{ query?: number; user_count?: number; message?: string }>(caller, listed);
      const heads = lines.filter(({ query }) => query !== undefined);
      expect(heads[0]?.user_count).toBeGreaterThan(0);
      expect(heads[1]).toMatchObject({ user_count: 0 });
      expect(heads[1]?.message).toContain(meant);
      expect(listed.message).toContain(meant);
    },
  );
});

test.each([
  ['genres', 'Horror', { lower_bound: -5, upper_bound: 5 }],
  ['price', '2', {}],
  ['kids', 'true', {}],
] as const)(
  '%s = %j with the bounds %j has what the plain query has: bounds beyond 0 and 1 do not bound, and values are equal if their texts are',
  async (attribute, value, bounds) => {
    const plain = attribute === 'genres' ? value : (JSON.parse(value) as number | boolean);
    const expected = await usages(attribute, plain);
    const lines = await linesOf<Line>(
      caller,
      await ask({ query_type: 'user_list', queries: [{ conditions: [{ attribute, value, ...bounds }] }] }),
    );
    expect(lines[0]?.user_count).toBe(expected.size);
    for (const { user_id = '', usage } of lines.slice(1))
      expect(usage?.[0]).toBeCloseTo(expected.get(user_id) ?? Number.NaN, 5);
  },
);
