/** The parts of an import that run in a browser too: the console reads and maps files as the command line does. */
export { fieldsOf, isRequired, type Kind, kinds } from './fields.ts';
export { createMapping, type Mapping, type MappingOptions } from './mapping.ts';
export { type AnyRecord, createRecordMapper } from './record-mapper.ts';
export { readSample } from './sample.ts';
export { sendRecords } from './send-records.ts';
export { CsvReader, guessDelimiter } from './sources/csv.ts';
export { NdjsonReader } from './sources/ndjson.ts';
export { type Cells, type Chunk, MalformedRow, type Source } from './sources/source.ts';
export { kindNames } from './values.ts';
