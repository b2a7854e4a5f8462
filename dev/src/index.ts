/** Real services, started privately for tests and benchmarks. */
export { startHaproxy } from './haproxy/start.ts';
export { type ConsumerProcess, startConsumer } from './kafka/consumer-process.ts';
export { type PrivateKafka, startKafka } from './kafka/start.ts';
export { BinariesMissingError } from './postgres/binaries.ts';
export { disposable } from './postgres/settings.ts';
export { type PrivateStandby, startStandby } from './postgres/standby.ts';
export { type PostgresOptions, type PrivatePostgres, startPostgres } from './postgres/start.ts';
export { findFreePort, isPortFree } from './processes/port.ts';
export { type PrivateRedis, RedisMissingError, type RedisOptions, startRedis } from './redis/start.ts';
export { type PrivateSwift, type SwiftOptions, startSwift } from './swift/start.ts';
