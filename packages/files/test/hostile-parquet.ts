/** Parquet files of about a hundred bytes with one column, whose sizes are lies. In Thrift's compact protocol, in hex. */
interface Claims {
  /** The header of the only page, and its content. */
  readonly page?: string;
  readonly rows?: number;
  readonly isOptional?: boolean;
}

const varint = (value: number): string => {
  const rest = Math.floor(value / 128);
  const byte = (value % 128) + (rest > 0 ? 128 : 0);
  return byte.toString(16).padStart(2, '0') + (rest > 0 ? varint(rest) : '');
};
/** Zigzag. */
const int = (value: number) => varint(value * 2);
const bytesIn = (hex: string) => hex.length / 2;

function parquet({ page = '', rows = 1, isOptional = false }: Claims): Buffer {
  const schema = `192c480172150200150425${int(isOptional ? 1 : 0)}18016300`;
  const size = int(bytesIn(page));
  const column = `26081c150419150019180163150016${int(rows)}16${size}16${size}26080000`;
  return withFooter(page, `1502${schema}16${int(rows)}191c191c${column}16${size}16${int(rows)}0000`);
}

function withFooter(page: string, footer: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytesIn(footer));
  return Buffer.concat([Buffer.from('PAR1'), Buffer.from(page + footer, 'hex'), length, Buffer.from('PAR1')]);
}

/** A page of the first version: its values, their encoding, and its content. */
const page = (values: number, encoding: number, content: string) =>
  `150015${int(bytesIn(content))}15${int(bytesIn(content))}2c15${int(values)}15${int(encoding)}150615060000${content}`;

const billions = 2 ** 31 - 1;

export const hostileParquet = {
  /** A list of two billion structs in the footer. */
  'list.parquet': withFooter('', `150219fc${varint(billions)}`),
  'rows.parquet': parquet({ rows: 4_000_000_000, page: page(1, 0, '0100000000000000') }),
  /** Two billion differences of width 0. */
  'values.parquet': parquet({
    rows: billions,
    page: page(billions, 5, `8001${varint(4)}${varint(billions)}0002`),
  }),
  /** One value, and then half a billion levels: not seen before the page is read. */
  'levels.parquet': parquet({ isOptional: true, page: page(1, 0, `06000000${varint(2 ** 30)}00`) }),
  /** A run of the indexes of a dictionary (of page version 2) that never ends. */
  'run.parquet': parquet({ page: `1506150c150c5c150215001502151015001500000000ffffffff0b` }),
} as const;
