/** Reading and mapping files, as the command line, the console and import jobs do it. All of it runs in a browser. */
export { fieldsOf, isRequired, type Kind, kinds } from './fields.ts';
export { createMapping, type MappedColumn, type Mapping, type MappingOptions } from './mapping.ts';
export { type AnyRecord, createRecordMapper } from './record-mapper.ts';
export { readSample } from './sample.ts';
export { sendRecords } from './send-records.ts';
export { SourceError } from './source-error.ts';
export { CsvReader, guessDelimiter } from './sources/csv.ts';
export { parseJson } from './sources/json.ts';
export { NdjsonReader } from './sources/ndjson.ts';
export { type Cells, type Chunk, type Format, formats, MalformedRow, type Source } from './sources/source.ts';
export { convert, isNumber, kindNames, parseDate, toId, type ValueKind, valueKinds } from './values.ts';
