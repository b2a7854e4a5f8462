/** Real private services for tests and benches. */
export { BinariesMissingError } from './postgres/binaries.ts';
export { type PostgresOptions, type PrivatePostgres, startPostgres } from './postgres/start.ts';
export { findFreePort, isPortFree } from './processes/port.ts';
export { type PrivateRedis, RedisMissingError, type RedisOptions, startRedis } from './redis/start.ts';
export { type PrivateSwift, type SwiftOptions, startSwift } from './swift/start.ts';
