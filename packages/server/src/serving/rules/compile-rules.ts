import type { Filter } from '../../filters/compile-filter.ts';
import { ApiError, invalidField } from '../../http/api-error.ts';
import { slices } from '../../kernel/lib/slices.ts';
import type { LoadedModel } from '../../models/loaded-model.ts';
import type { CallBudget } from '../call-budget.ts';
import type { CompiledBoost, DiversityRules, Rules } from '../compiled-rules.ts';
import type { Placement } from '../placement.ts';
import { pinnedItems } from './pin.ts';

/** How much similarity counts at each level. docs/guide/rules.md has what each costs. */
const weights = { NONE: undefined, LOW: 0.2, MEDIUM: 0.4, HIGH: 0.6 } as const;

type Attributes = Parameters<Rules['mark']>[0];

interface CompileContext {
  readonly serving: { readonly compileFilter: (text: string, accountId: string) => Filter };
  readonly project: { readonly account_id: string };
}

type RulesRequest = Pick<
  Placement,
  'boosts' | 'pins' | 'promote' | 'new_item_share' | 'diversity' | 'exclude_item_ids' | 'limit' | 'cursor'
>;

/** Undefined without rules. Throws an ApiError for rules that are not valid. */
export async function compileRules(
  { serving, project }: CompileContext,
  request: RulesRequest,
): Promise<Rules | undefined> {
  const pins = pinnedItems(request);
  const { promote, new_item_share: newItemShare } = request;
  const diversity = diversityOf(request.diversity);
  const conditions = [
    ...request.boosts.map(({ if: text }, place) => ({ text, path: `boosts.${place}.if` })),
    ...(promote ? [{ text: promote.if, path: 'promote.if' }] : []),
  ];
  const { cap, weight } = diversity;
  if (conditions.length === 0 && pins.size === 0 && !cap && !weight && newItemShare === 0) return undefined;
  const filters: Filter[] = [];
  // Each condition may take milliseconds to compile.
  await slices.forEach(project.account_id, conditions, ({ text, path }) => {
    filters.push(compileAt(path, () => serving.compileFilter(text, project.account_id)));
  });
  const boosts = request.boosts.flatMap(({ factor }, place) => {
    const filter = filters[place];
    return filter ? [{ filter, factor }] : [];
  });
  const promoted = filters[request.boosts.length];
  const boostsOf = (attributes: Attributes, itemId: string, budget: CallBudget) =>
    boosts.filter(({ filter }) => filter.matches(attributes, itemId, budget));
  return {
    boosts,
    pins,
    promotion: promoted && promote ? { filter: promoted, share: promote.share } : undefined,
    newItemShare,
    diversity,
    attributes: attributesOf(filters, cap?.attribute),
    factorOf: (attributes, itemId, budget) => product(boostsOf(attributes, itemId, budget)),
    mark: (attributes, itemId, budget) => {
      const matched = boosts.length > 0 ? boostsOf(attributes, itemId, budget) : boosts;
      return {
        boosts: matched,
        factor: product(matched),
        isPromoted: promoted?.matches(attributes, itemId, budget) ?? false,
        values: cap ? valuesOf(attributes, cap.attribute, budget) : [],
        tokens: [],
      };
    },
  };
}

const product = (boosts: readonly CompiledBoost[]) =>
  boosts.reduce((factor, boost) => factor * boost.factor, 1);

function attributesOf(filters: readonly Filter[], capped: string | undefined): readonly string[] | undefined {
  const names = new Set<string>(capped === undefined ? [] : [capped]);
  for (const { attributes } of filters) {
    if (!attributes) return undefined;
    for (const name of attributes) names.add(name);
  }
  return [...names];
}

/** Replaces `filter_query` in a compiler error with the field of the condition. */
function compileAt(path: string, compile: () => Filter): Filter {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(error.code, error.message.replace('filter_query', path), {
      errors: error.errors.map(({ message }) => ({ path, message })),
      cause: error,
    });
  }
}

/** Throws an ApiError if `attribute` or `max_per_value` is given without the other. */
function diversityOf(request: Placement['diversity']): DiversityRules {
  const { level = 'NONE', attribute, max_per_value } = request ?? {};
  const weight = weights[level];
  if (attribute === undefined && max_per_value === undefined) return { weight, cap: undefined };
  if (attribute === undefined) throw invalidField('diversity.attribute', 'is required with max_per_value');
  if (max_per_value === undefined)
    throw invalidField('diversity.max_per_value', 'is required with attribute');
  return { weight, cap: { attribute, maxPerValue: max_per_value } };
}

/** The distinct values of an attribute; of a list, its elements. */
export function valuesOf(
  attributes: Readonly<Record<string, unknown>>,
  name: string,
  budget: CallBudget,
): readonly unknown[] {
  const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  const values = [...new Set<unknown>(Array.isArray(value) ? value : [value])];
  budget.spend(values.length);
  return values.filter((one) => one !== undefined && one !== null);
}

/** Throws an ApiError if a call compares or requests an attribute that is a vector. */
export function refuseVectors(
  { vectorNames }: Pick<LoadedModel, 'vectorNames'>,
  { attributes }: Pick<Placement, 'attributes'>,
  filter: Pick<Filter, 'attributes'> | undefined,
  rules: Pick<Rules, 'boosts' | 'promotion' | 'diversity'> | undefined,
): void {
  if (vectorNames.size === 0) return;
  const { boosts = [], promotion, diversity } = rules ?? {};
  const used: [path: string, names: readonly string[] | undefined][] = [
    ['attributes', attributes],
    ['filter_query', filter?.attributes],
    ...boosts.map((boost, place): [string, Filter['attributes']] => [
      `boosts.${place}.if`,
      boost.filter.attributes,
    ]),
    ['promote.if', promotion?.filter.attributes],
    ['diversity.attribute', diversity?.cap && [diversity.cap.attribute]],
  ];
  for (const [path, names = []] of used) {
    const vector = names.find((name) => vectorNames.has(name));
    if (vector === undefined) continue;
    const quoted = JSON.stringify(vector);
    throw invalidField(path, `contains ${quoted}, which is a vector: only the model can use it`);
  }
}
