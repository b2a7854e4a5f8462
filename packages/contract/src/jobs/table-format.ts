import Type from 'typebox';
import { Named } from '../schemas/fields.ts';

/** For job types whose result is nested, and which can write it as a table too. */
export const TableFormat = Type.Optional(
  Named(
    'TableFormat',
    Type.Enum(['CSV', 'PARQUET'], {
      description:
        'Writes the result as a table too, for spreadsheets, data frames and warehouses. `table_url` in the job result is its URL.',
    }),
  ),
);
