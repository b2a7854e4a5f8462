import { execFileSync } from 'node:child_process';
import { parseXml, XmlElement } from '@rgrove/parse-xml';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Chart, clusterMap, distributionChart } from '../src/index.ts';
import { renderSvg } from '../src/svg.ts';
import { distributionOf, edgesOf, mapOf, sampleDistribution, sampleMap } from './samples.ts';

const barColor = '#2f6f9f';

/** All elements of a drawing, as a strict parser of XML reads it; whatever could run or load something is a failure. */
function elementsOf(svg: string): XmlElement[] {
  const elements: XmlElement[] = [];
  const visit = (element: XmlElement): void => {
    elements.push(element);
    for (const child of element.children) if (child instanceof XmlElement) visit(child);
  };
  const { root } = parseXml(svg);
  if (root) visit(root);
  const allowed = new Set(['svg', 'title', 'desc', 'rect', 'path', 'polygon', 'circle', 'text', 'g']);
  expect(elements.map(({ name }) => name).filter((name) => !allowed.has(name))).toEqual([]);
  const attributes = elements.flatMap((element) => Object.entries(element.attributes));
  expect(attributes.filter(([name]) => /^on|href|^src$|^id$|^class$/i.test(name))).toEqual([]);
  expect(attributes.filter(([name, value]) => name !== 'xmlns' && /url\(|:\/\//.test(value))).toEqual([]);
  expect(attributes.filter(([, value]) => /NaN|Infinity|undefined/.test(value))).toEqual([]);
  return elements;
}

const draw = (chart: Chart): XmlElement[] => elementsOf(renderSvg(chart));

const textsOf = (elements: XmlElement[]): string[] =>
  elements.filter(({ name }) => name === 'text').map(({ text }) => text);

/** Heights of the bars, left to right. */
function barsOf(elements: XmlElement[]): number[] {
  return elements
    .filter(({ attributes }) => attributes['fill'] === barColor)
    .map(({ attributes }) => {
      const [, height] = /^M\S+ \S+ 0l0 ([\d.]+)l/.exec(attributes['d'] ?? '') ?? [];
      return Number(height);
    });
}

describe('a distribution', () => {
  test('has bars in proportion to its counts, and shows the counts', () => {
    const elements = draw(distributionOf([1707, 593, 0, 397]));
    const bars = barsOf(elements);
    expect(bars).toHaveLength(3);
    const [first = 0, ...others] = bars;
    for (const [index, count] of [593, 397].entries()) {
      expect(others[index]).toBeCloseTo((first * count) / 1707, 1);
    }
    expect(textsOf(elements)).toEqual(
      expect.arrayContaining(['1,707', '593', '397', 'Number of users', '100%']),
    );
  });

  test('has a title, a summary and a description', () => {
    const chart = distributionOf([10, 20, 5]);
    const elements = draw(chart);
    expect(textsOf(elements)).toContain(chart.title);
    expect(textsOf(elements).join('\n')).toMatch(/\b35 users\b.*\b33\.3%.*\b66\.7%/);
    expect(elements[0]?.attributes['role']).toBe('img');
    expect(elements[1]?.text).toBe(chart.title);
    expect(elements[2]?.text).toContain('The largest bin has 20 users');
  });

  test('with a thousand bins is drawn as an outline in proportion to its counts', () => {
    const counts = Array.from({ length: 1000 }, (_, bin) => (bin * 7) % 1001);
    const shape = draw(distributionOf(counts)).find(({ name }) => name === 'polygon');
    const heights = (shape?.attributes['points'] ?? '')
      .split(/[ ,]/)
      .map(Number)
      .filter((_, index) => index % 2 === 1);
    const [base = 0] = heights;
    const scale = (base - Math.min(...heights)) / Math.max(...counts);
    expect(heights).toHaveLength(2002);
    for (const [bin, count] of counts.entries())
      expect(base - (heights[2 * bin + 1] ?? 0)).toBeCloseTo(count * scale, 0);
  });

  test('shows one user among millions', () => {
    expect(Math.min(...barsOf(draw(distributionOf([12_345_678, 1]))))).toBeGreaterThanOrEqual(1);
  });

  test.each([[[0, 0, 0]], [[0]]])('without users has a note: %j', (counts) => {
    const elements = draw(distributionOf(counts));
    expect(textsOf(elements)).toContain('No users to show');
    expect(barsOf(elements)).toEqual([]);
  });

  test('shows the number of users it covers, and the given median', () => {
    const chart = distributionChart({
      attribute: 'adult',
      value: true,
      edges: [0, 1],
      counts: [6040],
      userCount: 7000,
      median: 0.1234,
      modelName: 'G1',
    });
    expect(textsOf(draw(chart)).join('\n')).toMatch(/\b6,040 of 7,000 users\b.*\b12\.3%.*\bG1\b/);
  });

  test.each([1, 2, 20, 100, 285, 1000])('with %i bins has labels that do not overlap', (bins) => {
    const counts = Array.from({ length: bins }, (_, bin) => 12_345_678 - bin);
    const labels = draw(distributionOf(counts)).filter(
      ({ attributes }) => attributes['stroke'] === '#ffffff',
    );
    const places = labels.map(({ attributes, text }) => {
      const [, x] = /translate\((\S+) /.exec(attributes['transform'] ?? '') ?? [];
      return { from: Number(x) - text.length * 2.7, to: Number(x) + text.length * 2.7 };
    });
    expect(places.length).toBeGreaterThan(0);
    for (const [index, { to }] of places.entries())
      expect(places[index + 1]?.from ?? 960).toBeGreaterThan(to);
  });

  test.each([
    [{ edges: [0, 1], counts: [1, 2] }, 'one edge more'],
    [{ edges: [0], counts: [] }, '1 to 1000 counts'],
    [{ edges: [0, 0.5, 0.5], counts: [1, 2] }, 'ascend'],
    [{ edges: [0, 2], counts: [1] }, 'ascend'],
    [{ edges: [0, 1], counts: [-1] }, 'whole numbers'],
    [{ edges: [0, 1], counts: [Number.NaN] }, 'whole numbers'],
  ])('that makes no sense is refused: %j', (wrong, message) => {
    expect(() => distributionChart({ attribute: 'a', value: 'b', userCount: 1, ...wrong })).toThrow(message);
  });
});

describe('a map', () => {
  test('has one bubble per cluster, sized by area, and a list with its number, label and size', () => {
    const clusters = [
      { id: 1, size: 400, x: 0, y: 0, label: 'Comedy' },
      { id: 2, size: 1600, x: 9, y: 9, label: 'Horror' },
      { id: 3, size: 900, x: 0, y: 9, label: 'War' },
    ];
    const others = Array.from({ length: 40 }, (_, index) => ({
      id: index + 4,
      size: 800,
      x: index % 9,
      y: 4,
      label: 'Other',
    }));
    const elements = draw(clusterMap({ title: 'Groups', clusters: [...clusters, ...others], points: [] }));
    const radii = elements
      .filter(({ name, attributes }) => name === 'path' && attributes['stroke'] === '#ffffff')
      .map(({ attributes }) =>
        Number(/matrix\((\S+?),|scale\((\S+)/.exec(attributes['transform'] ?? '')?.[1]),
      );
    expect(radii).toHaveLength(43);
    expect((radii[0] ?? 0) ** 2 / (radii[1] ?? 1) ** 2).toBeCloseTo(1600 / 900, 2);
    const texts = textsOf(elements);
    for (const text of ['Horror', '1,600', 'Comedy', 'War']) expect(texts).toContain(text);
    expect(texts.filter((text) => text === '2')).toHaveLength(2);
  });

  test('draws unassigned users in gray, with a note', () => {
    const elements = draw(sampleMap());
    expect(elements.some(({ attributes }) => attributes['stroke'] === '#bbbbbb')).toBe(true);
    expect(textsOf(elements).some((text) => text.includes('no cluster'))).toBe(true);
  });

  test('has a bounded size, whatever the input', () => {
    const svg = renderSvg(mapOf(500, 200_000));
    expect(svg.length).toBeLessThan(600_000);
    expect(textsOf(elementsOf(svg)).some((text) => text.includes('the largest 100 are drawn'))).toBe(true);
  });

  test.each([
    ['nothing', { clusters: [], points: [] }],
    ['one user', { clusters: [], points: [{ x: 3, y: 4, cluster: null }] }],
    [
      'all in one place',
      {
        clusters: Array.from({ length: 30 }, (_, id) => ({ id, size: 1, x: 0, y: 0, label: '' })),
        points: [],
      },
    ],
  ])('of %s can be drawn', (_, { clusters, points }) => {
    expect(draw(clusterMap({ title: 'Groups', clusters, points })).length).toBeGreaterThan(3);
  });

  test('refuses coordinates that are not finite', () => {
    const points = [{ x: Number.NaN, y: 0, cluster: null }];
    expect(() => clusterMap({ title: '', clusters: [], points })).toThrow('finite');
  });
});

describe('a chart', () => {
  test('has the same bytes whatever was drawn before, and in another process', () => {
    const first = [renderSvg(sampleMap()), renderSvg(sampleDistribution())];
    renderSvg(distributionOf(Array.from({ length: 1000 }, (_, bin) => bin)));
    const reversed = [renderSvg(sampleDistribution()), renderSvg(sampleMap())].reverse();
    expect(reversed).toEqual(first);
    const file = new URL('draw-in-new-process.ts', import.meta.url).pathname;
    expect(JSON.parse(execFileSync(process.execPath, [file], { encoding: 'utf8' }))).toEqual(first);
  });

  const odd = [
    '<script>alert(1)</script>',
    `"'&amp;]]>`,
    'קומדיה',
    '😀👨‍👩‍👧‍👦',
    '\u0000\u0007\u001b\u0085\u2028\n\r\t',
    '\ud800x\udfff',
    '\uffff\ufffe\u202e',
    '{a|b}{b}{c}',
    `Z${'\u0301'.repeat(500)}`,
    'W'.repeat(100_000),
    '',
  ];
  test.each(odd.map((text) => [text.slice(0, 30), text]))(
    'with unusual text is well-formed: %j',
    (_, text) => {
      const both = [...draw(distributionOf([1, 2], text, text)), ...draw(mapOf(3, 10, text))];
      for (const written of textsOf(both)) expect(written.length).toBeLessThan(400);
    },
  );

  test('shows text unchanged, except for invisible characters and excess length', () => {
    const texts = textsOf(draw(distributionOf([1], '<b>"&\'\u0000x', 'y'.repeat(50))));
    expect(texts.join('\n')).toContain(`<b>"&' x = ${'y'.repeat(29)}…`);
  });

  test.each(Object.getOwnPropertyNames(Object.prototype))('named %s changes no built-in object', (text) => {
    const builtIns: object[] = Object.values(Object.getOwnPropertyDescriptors(Object.prototype)).flatMap(
      ({ value }) => (typeof value === 'function' ? [value as object] : []),
    );
    builtIns.push(Object.prototype);
    const before = builtIns.map((builtIn) => Object.getOwnPropertyNames(builtIn));
    draw(distributionOf([1, 2], text, text));
    draw(clusterMap({ title: text, clusters: [{ id: 0, size: 1, x: 0, y: 0, label: text }], points: [] }));
    expect(builtIns.map((builtIn) => Object.getOwnPropertyNames(builtIn))).toEqual(before);
  });

  test('of any input is well-formed', () => {
    // Not the units "binary" and "grapheme", which spend seconds on maps of all code points.
    const unit = fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code));
    const text = fc.oneof(
      fc.string({ unit }),
      fc.string({ unit }).map((each) => each.normalize('NFD')),
      fc.string(),
      fc.constantFrom(...odd),
    );
    fc.assert(
      fc.property(
        text,
        text,
        fc.array(fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constant(0)), { minLength: 1, maxLength: 60 }),
        (attribute, value, counts) => {
          const edges = edgesOf(counts.length);
          draw(distributionChart({ attribute, value, edges, counts, userCount: 1, modelName: value }));
        },
      ),
      { numRuns: 60 },
    );
    const place = {
      x: fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
      y: fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
    };
    fc.assert(
      fc.property(
        text,
        fc.array(fc.record({ id: fc.oneof(fc.nat(), text), size: fc.nat(), ...place, label: text }), {
          maxLength: 60,
        }),
        fc.array(fc.record({ ...place, cluster: fc.option(fc.nat()) }), { maxLength: 50 }),
        (title, clusters, points) => {
          draw(clusterMap({ title, clusters, points }));
        },
      ),
      { numRuns: 40 },
    );
  });

  test('takes under a tenth of a second of CPU', () => {
    for (const chart of [
      () => distributionOf(Array.from({ length: 20 }, (_, bin) => bin)),
      () => distributionOf(Array.from({ length: 1000 }, (_, bin) => bin)),
      () => mapOf(40, 4000),
    ]) {
      for (let warm = 0; warm < 5; warm++) renderSvg(chart());
      // The least of several: a neighbour on the machine makes the others slower, whatever is drawn.
      const turns = Array.from({ length: 5 }, () => {
        const before = process.threadCpuUsage();
        renderSvg(chart());
        const { user, system } = process.threadCpuUsage(before);
        return (user + system) / 1000;
      });
      expect(Math.min(...turns)).toBeLessThan(100);
    }
  });
});
