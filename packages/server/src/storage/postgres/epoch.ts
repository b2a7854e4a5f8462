/** A timestamp as the API shows it: whole milliseconds since 1970. Null stays null. */
export const epochMs = (column: string) => `floor(extract(epoch FROM ${column}) * 1000)::float8`;
