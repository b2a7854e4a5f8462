import { Tastegraph } from '@tastegraph/sdk';
import { inject } from 'vitest';

/** A client of the bookshop's account that may do everything. */
export const shopClient = () =>
  new Tastegraph({
    baseUrl: inject('baseUrl'),
    apiKey: inject('apiKey'),
    apiSecret: inject('apiSecret'),
    scopes: 'all',
  });
