import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { boundsMs } from '../lib/histogram.ts';

/** Values come from the code, never from callers, so that the number of series is bounded. */
type Labels = Readonly<Record<string, string | number>>;
type NoLabels = Readonly<Record<string, never>>;

interface Definition<Kind extends string, L extends Labels> {
  readonly kind: Kind;
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** The series that start at 0: an alert could not see the first increase of a new one. */
  readonly zeros: readonly L[];
}

type CounterDefinition<L extends Labels> = Definition<'counter', L>;
type GaugeDefinition<L extends Labels> = Definition<'gauge', L>;
type HistogramDefinition<L extends Labels> = Definition<'histogram', L>;
export type MetricDefinition = Definition<'counter' | 'gauge' | 'histogram', Labels>;

interface Options<L extends Labels> {
  readonly labels?: readonly (keyof L & string)[];
  /** By default, the only series of a metric without labels. */
  readonly zeros?: readonly L[];
}

const define =
  <Kind extends string>(kind: Kind) =>
  <L extends Labels = NoLabels>(
    name: string,
    help: string,
    { labels = [], zeros = labels.length === 0 ? [{} as L] : [] }: Options<NoInfer<L>> = {},
  ): Definition<Kind, L> => ({ kind, name: `tastegraph_${name}`, help, labels, zeros });

export const counter = define('counter');
export const gauge = define('gauge');
/** Of durations, in seconds. */
export const histogram = define('histogram');

/** A number, or one for each set of labels. Undefined: there is no value now. */
type Value<L extends Labels> = number | readonly { readonly labels: L; readonly value: number }[] | undefined;

/** The metrics of a process. */
export interface Metrics {
  /** The metrics in Prometheus's text format, whose media type is `contentType`. */
  read(): Promise<string>;
  readonly contentType: string;
  add<L extends Labels>(counter: CounterDefinition<L>, labels: NoInfer<L>, n?: number): void;
  set(gauge: GaugeDefinition<NoLabels>, value: number): void;
  observe<L extends Labels>(histogram: HistogramDefinition<L>, labels: NoInfer<L>, seconds: number): void;
  /** `read` is called whenever metrics are read. If it fails, the metric has no value, and the others are still readable. */
  watch<L extends Labels>(
    metric: CounterDefinition<L> | GaugeDefinition<L>,
    read: () => Value<NoInfer<L>> | Promise<Value<NoInfer<L>>>,
  ): void;
}

/** Uses a separate registry per call, so that a test may run several processes' metrics side by side. */
export function createMetrics(definitions: readonly MetricDefinition[]): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const reads = new Map<MetricDefinition, () => Value<Labels> | Promise<Value<Labels>>>();
  const metrics = new Map(
    definitions.map((definition) => [
      definition,
      register(registry, definition, () => reads.get(definition)),
    ]),
  );
  const find = (definition: MetricDefinition) => {
    const metric = metrics.get(definition);
    if (!metric) throw new Error(`no module lists the metric ${definition.name}`);
    return metric;
  };
  return {
    read: () => registry.metrics(),
    contentType: registry.contentType,
    add: (definition, labels, n = 1) => (find(definition) as Counter).inc(labels, n),
    set: (definition, value) => (find(definition) as Gauge).set(value),
    observe: (definition, labels, seconds) => (find(definition) as Histogram).observe(labels, seconds),
    watch(definition, read) {
      find(definition);
      reads.set(definition, read);
    },
  };
}

function register(
  registry: Registry,
  { kind, name, help, labels, zeros }: MetricDefinition,
  watched: () => (() => Value<Labels> | Promise<Value<Labels>>) | undefined,
): Counter | Gauge | Histogram {
  const options = { name, help, labelNames: [...labels], registers: [registry] };
  if (kind === 'histogram') return new Histogram({ ...options, buckets: boundsMs.map((ms) => ms / 1000) });
  const replace = (samples: Exclude<Value<Labels>, number | undefined>) => {
    metric.reset();
    // A metric without labels is 0 after that.
    if (samples.length === 0) metric.remove({});
    for (const sample of samples) metric.inc(sample.labels, sample.value);
  };
  const collect = async () => {
    const read = watched();
    if (!read) return;
    let value: Value<Labels>;
    try {
      value = await read();
    } catch {
      value = undefined;
    }
    replace(typeof value === 'number' ? [{ labels: {}, value }] : (value ?? []));
  };
  const metric =
    kind === 'counter' ? new Counter({ ...options, collect }) : new Gauge({ ...options, collect });
  replace(zeros.map((zero) => ({ labels: zero, value: 0 })));
  return metric;
}

/** Metrics that are watched with the returned function share one read per scrape. */
export function shareRead<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}
