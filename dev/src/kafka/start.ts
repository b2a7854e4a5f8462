import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../processes/port.ts';
import { type PrivateService, startPrivateService } from '../processes/private-service.ts';
import { probe } from '../processes/probe.ts';
import { run } from '../processes/run.ts';
import { fetchKafka } from './fetch-kafka.ts';

/** One broker that is its own controller. restart() keeps its data, stop() does not. */
export interface PrivateKafka extends PrivateService {
  readonly broker: string;
  readonly username: string;
  /** Random. */
  readonly password: string;
  /** For a client of `@platformatic/kafka`. */
  readonly connection: {
    readonly clientId: string;
    readonly bootstrapBrokers: string[];
    readonly sasl: { readonly mechanism: 'PLAIN'; readonly username: string; readonly password: string };
  };
}

// Six seconds on an idle machine; the limit is for a machine under heavy load.
const START_LIMIT_MS = 90_000;
const FORMAT_LIMIT_MS = 60_000;
const STOP_STEPS = [{ signal: 'SIGTERM', limitMs: 20_000 }] as const;
const USER = 'tastegraph';
// Any 16 bytes, in base64.
const CLUSTER_ID = 'dGFzdGVncmFwaC10ZXN0cw';
/** A request that needs no login: which requests does the broker know? Length, type 18, version 0, number 1, no client name. */
const API_VERSIONS = Buffer.from('0000000a0012000000000001ffff', 'hex');
/** A small heap, and no time spent on optimizing code that runs for a minute. */
const JAVA_OPTIONS = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

export async function startKafka(): Promise<PrivateKafka> {
  await findJava();
  const classPath = join(await fetchKafka(), '*');
  const directory = await mkdtemp(join(tmpdir(), 'tastegraph-kafka-'));
  const password = randomBytes(24).toString('hex');
  const configuration = join(directory, 'server.properties');
  let isFormatted = false;
  const format = async () => {
    if (isFormatted) return;
    isFormatted = true;
    const args = ['kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', configuration];
    const outcome = await run('java', [...JAVA_OPTIONS, '-cp', classPath, ...args], {
      limitMs: FORMAT_LIMIT_MS,
    });
    if (!outcome.ok) throw new Error(`Kafka cannot prepare its folder: ${outcome.reason}. ${outcome.stderr}`);
  };
  const kafka = await startPrivateService({
    name: 'Kafka',
    port: undefined,
    logFile: join(directory, 'kafka.log'),
    temporary: directory,
    startLimitMs: START_LIMIT_MS,
    stopSteps: STOP_STEPS,
    command: async (port) => {
      const text = settings({ port, controllerPort: await findFreePort(), password, directory });
      await writeFile(configuration, text, { mode: 0o600 });
      await format();
      return { command: 'java', args: [...JAVA_OPTIONS, '-cp', classPath, 'kafka.Kafka', configuration] };
    },
    isReady: (_, port) => probe(port, API_VERSIONS, (response) => response.length > 8),
  });
  const broker = `127.0.0.1:${kafka.port}`;
  const sasl = { mechanism: 'PLAIN', username: USER, password } as const;
  const connection = { clientId: 'test', bootstrapBrokers: [broker], sasl };
  return Object.assign(kafka, { broker, username: USER, password, connection });
}

interface Places {
  readonly port: number;
  readonly controllerPort: number;
  readonly password: string;
  readonly directory: string;
}

function settings({ port, controllerPort, password, directory }: Places): string {
  const login = `username="${USER}" password="${password}" user_${USER}="${password}"`;
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
listeners=CLIENT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}
listener.security.protocol.map=CLIENT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=CLIENT
sasl.mechanism.inter.broker.protocol=PLAIN
listener.name.client.sasl.enabled.mechanisms=PLAIN
listener.name.client.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required ${login};
log.dirs=${join(directory, 'data')}
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
`;
}

async function findJava(): Promise<void> {
  if ((await run('java', ['-version'], { limitMs: 10_000 })).ok) return;
  throw new Error(
    'Java was not found, which Kafka needs. Install it: apt install openjdk-17-jre-headless (Debian 12).',
  );
}
