import type { Tastegraph } from '@tastegraph/sdk';
import type { Client } from 'pg';
import { createDatasets, createProject } from '../sdk-client.ts';
import { fillShop, type ShopSize } from '../serve/synthetic-shop.ts';

/** Creates a project with a synthetic shop, and returns its ID. */
export async function createShop(client: Tastegraph, admin: Client, size: ShopSize): Promise<string> {
  const datasets = await createDatasets(client, 10 + Math.ceil(size.events / 100_000));
  await fillShop(admin, datasets, size);
  return createProject(client, datasets);
}
