/** Which model recommends, and with which scenario. Without either, the deployed model and no scenario. */
export interface Variant {
  readonly model?: string | undefined;
  readonly scenario?: string | undefined;
}

/** The part of the address that says what is compared. */
export interface VariantsSearch extends Variant {
  readonly isCompared?: boolean | undefined;
  readonly otherModel?: string | undefined;
  readonly otherScenario?: string | undefined;
}

export const variantFields = ({ model, scenario }: Variant) => ({
  ...(model === undefined ? {} : { model_id: model }),
  ...(scenario === undefined ? {} : { scenario }),
});

export const firstOf = ({ model, scenario }: VariantsSearch): Variant => ({ model, scenario });

/** Undefined if nothing is compared. */
export const secondOf = ({ isCompared, otherModel, otherScenario }: VariantsSearch): Variant | undefined =>
  isCompared === true ? { model: otherModel, scenario: otherScenario } : undefined;

/** An ID or a name from the address, where one of digits is a number. */
const text = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

export const variantsIn = (search: Readonly<Record<string, unknown>>): VariantsSearch => ({
  model: text(search['model']),
  scenario: text(search['scenario']),
  isCompared: search['isCompared'] === true ? true : undefined,
  otherModel: text(search['otherModel']),
  otherScenario: text(search['otherScenario']),
});
