import { describe, expect, test } from 'vitest';
import {
  type AttributeRecord,
  CodeLearner,
  encoder,
  type LearnableKind,
  seededRandom,
} from '../src/index.ts';

function learn(records: Iterable<AttributeRecord>, declared: Record<string, LearnableKind> = {}) {
  const learner = new CodeLearner(declared);
  for (const record of records) learner.add(record);
  return learner;
}

const repeated = (records: AttributeRecord[]) => Array.from({ length: 10 }, () => records).flat();

describe('codes learned in one pass', () => {
  test('an attribute with only numbers is NUMERICAL; a single other value makes it CATEGORICAL', () => {
    const learned = learn(
      repeated([{ a: 1, b: 1 }, { a: 2, b: 'x' }, { c: true }, { d: ['x', 'y', 'x'] }, { e: [1, 2] }]),
    );
    expect(learned.finish().map(({ code }) => code)).toEqual([
      { name: 'a', kind: 'NUMERICAL', edges: [2] },
      { name: 'b', kind: 'CATEGORICAL', values: ['1', 'x'] },
      { name: 'c', kind: 'CATEGORICAL', values: ['true'] },
      { name: 'd', kind: 'CATEGORICAL', values: ['x', 'y'] },
      { name: 'e', kind: 'CATEGORICAL', values: ['1', '2'] },
    ]);
  });

  test('a declared kind is kept, whatever the values', () => {
    const learned = learn(repeated([{ a: 1, b: 'x', t: 'y' }, { a: null }]), {
      t: 'TEXT',
      b: 'NUMERICAL',
      a: 'CATEGORICAL',
    });
    expect(learned.finish()).toEqual([
      { name: 't', bearers: 10, code: { name: 't', kind: 'TEXT', values: [] } },
      { name: 'b', bearers: 10, code: { name: 'b', kind: 'NUMERICAL', edges: [] } },
      { name: 'a', bearers: 10, code: { name: 'a', kind: 'CATEGORICAL', values: ['1'] } },
    ]);
  });

  test('a text has the words that at least five records share, except those that most of them have', () => {
    const records = Array.from({ length: 30 }, (_, n) => ({
      t: `The ${['Dark', 'dark,'][n % 2]} night ${n} of ${n % 6 === 0 ? 'KÖLN; köln!' : 'x'}`,
    }));
    const [learned] = learn(records, { t: 'TEXT' }).finish();
    expect(learned?.code).toEqual({ name: 't', kind: 'TEXT', values: ['köln'] });
    const encode = encoder([learned!.code]);
    expect(encode({ t: 'Köln at night' })).toEqual([0]);
    expect(encode({ t: ['a', 'KÖLN', 'Köln'] })).toEqual([0]);
    expect(encode({ t: 7 })).toEqual([]);
  });

  test('frequent values are found among any number of rare ones', () => {
    const records = Array.from({ length: 100_000 }, (_, n) => ({
      x: n % 10 === 9 ? `often ${n % 3}` : `once ${n}`,
    }));
    const [learned] = learn(records).finish();
    expect(learned?.code).toEqual({
      name: 'x',
      kind: 'CATEGORICAL',
      values: ['often 0', 'often 1', 'often 2'],
    });
  });

  test('bins stay equal if there are more numbers than are kept, deterministically', () => {
    const numbers = () => {
      const random = seededRandom(7);
      return Array.from({ length: 200_000 }, () => ({ x: random() }));
    };
    const [learned] = learn(numbers()).finish();
    const edges = learned?.code.kind === 'NUMERICAL' ? learned.code.edges : [];
    expect(edges).toHaveLength(7);
    for (const [bin, edge] of edges.entries()) expect(edge).toBeCloseTo((bin + 1) / 8, 1.5);
    expect(learn(numbers()).finish()).toEqual([learned]);
  });

  test('names beyond the first 200 are ignored, except declared ones', () => {
    const records = repeated([Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`name ${n}`, 'x']))]);
    const learned = learn(records, { 'name 299': 'CATEGORICAL' });
    expect(learned.finish()).toHaveLength(201);
    expect(learned.ignoredValues).toBe(990);
    expect(learned.finish()[0]?.code).toEqual({ name: 'name 299', kind: 'CATEGORICAL', values: ['x'] });
  });

  test('an attribute may have the name of an inherited property', () => {
    const codes = learn(repeated([{ constructor: 'a' }]))
      .finish()
      .map(({ code }) => code);
    expect(codes).toEqual([{ name: 'constructor', kind: 'CATEGORICAL', values: ['a'] }]);
    expect(encoder(codes)({})).toEqual([]);
  });
});
