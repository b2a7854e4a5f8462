import { ids, minute, morning } from './bookshop.ts';
import type { Examples } from './example.ts';

const key = {
  api_key: 'tg_main_4fK9sWq2Lr7Xc1Zv8Bn3Mt6P',
  name: 'Web shop',
  operations: ['/recommend-items-to-user', '/upsert-dataset-events'],
  event_dataset_id: null,
  user_dataset_id: null,
  created_ts: morning,
  revoked_ts: null,
  last_used_ts: morning + 30 * minute,
};
const { api_key, name, operations } = key;

export const apiKeyExamples: Examples<
  'createApiKey' | 'createWriteKey' | 'getApiKey' | 'listApiKeys' | 'updateApiKey' | 'revokeApiKey'
> = {
  createApiKey: {
    request: { name, operations },
    response: {
      ...key,
      last_used_ts: null,
      api_secret: 'tgs_…',
    },
  },
  createWriteKey: {
    request: { name: 'Kafka', event_dataset_id: ids.events },
    response: {
      ...key,
      api_key: 'tg_main_7Hd2pQx9Rk4Wm1Yc6Vn8Js3T',
      name: 'Kafka',
      operations: ['/upsert-dataset-events'],
      event_dataset_id: ids.events,
      last_used_ts: null,
      write_key: 'tg_main_7Hd2pQx9Rk4Wm1Yc6Vn8Js3T_…',
    },
  },
  getApiKey: { request: { api_key }, response: key },
  listApiKeys: { request: {}, response: { api_keys: [key], next_page_token: null, message: null } },
  updateApiKey: {
    request: { api_key, operations: ['/recommend-items-to-user'] },
    response: { ...key, operations: ['/recommend-items-to-user'] },
  },
  revokeApiKey: { request: { api_key }, response: { ...key, revoked_ts: morning + 60 * minute } },
};
