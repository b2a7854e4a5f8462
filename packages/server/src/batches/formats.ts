import type { JobData } from '@tastegraph/contract';
import type { DatasetRow } from '../datasets/rows/datasets.ts';
import {
  type Cell,
  type Column,
  createLineEncoder,
  type Encoder,
  fileTypes,
  type Table,
  textOf,
} from '../kernel/files/table.ts';
import { createCsvEncoder, createParquetEncoder } from '../kernel/files/write-table.ts';
import type { UserAnswer } from './protocol.ts';

/** The item attributes that each answer has, with their kinds where these are known. */
interface AnswerShape {
  readonly attributes: readonly string[];
  readonly attributeSchema: DatasetRow['attribute_schema'];
}

interface FileFormat {
  readonly extension: string;
  readonly contentType: string;
  readonly createEncoder: (shape: AnswerShape) => Encoder<UserAnswer>;
}

export const formats: Readonly<Record<JobData<'RECOMMENDING'>['format'], FileFormat>> = {
  NDJSON: {
    ...fileTypes.NDJSON,
    createEncoder: () => createLineEncoder((answer) => JSON.stringify(answer)),
  },
  CSV: { ...fileTypes.CSV, createEncoder: (shape) => createCsvEncoder(tableOf(shape)) },
  PARQUET: { ...fileTypes.PARQUET, createEncoder: (shape) => createParquetEncoder(tableOf(shape)) },
};

const fields: readonly Column[] = [
  { name: 'user_id', type: 'text', isRequired: true },
  { name: 'position', type: 'integer', isRequired: true },
  { name: 'item_id', type: 'text', isRequired: true },
];

/** One row per recommended item. An attribute with the name of another column has no column of its own. */
function tableOf({ attributes, attributeSchema }: AnswerShape): Table<UserAnswer> {
  const taken = new Set(fields.map(({ name }) => name));
  const names = [...new Set(attributes)].filter((name) => !taken.has(name));
  const isNumber = (name: string) => attributeSchema?.[name] === 'NUMERICAL';
  const cellOf = (name: string, value: unknown): Cell => {
    if (isNumber(name)) return typeof value === 'number' ? value : null;
    return textOf(value ?? null);
  };
  return {
    columns: [
      ...fields,
      ...names.map((name): Column => ({ name, type: isNumber(name) ? 'number' : 'text', isRequired: false })),
    ],
    rowsOf: ({ user_id, results }) =>
      results.map(({ item }, index) => [
        user_id,
        index + 1,
        String(item['item_id']),
        ...names.map((name) => cellOf(name, item[name])),
      ]),
  };
}
