/** The same call in three ways, ready to paste into a terminal or a program. */
export interface RecommendCall {
  readonly user_id?: string;
  readonly context_items?: readonly string[];
  readonly project_id: string;
  readonly attributes: readonly string[];
  readonly limit: number;
  readonly scenario?: string;
  readonly model_id?: string;
  readonly filter_query?: string;
  readonly boosts?: readonly { readonly if: string; readonly factor: number }[];
}

const path = '/recommend-items-to-user';

export function asCurl(call: RecommendCall, baseUrl: string): string {
  return `TOKEN=$(curl -sS ${baseUrl}/oauth/token -d client_id=$TASTEGRAPH_API_KEY \\
  -d client_secret=$TASTEGRAPH_API_SECRET -d scope=${path} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -sS ${baseUrl}${path} -H "Authorization: Bearer $TOKEN" -H "APIKey: $TASTEGRAPH_API_KEY" \\
  -H 'Content-Type: application/json' -d ${quote(JSON.stringify(call))}`;
}

export function asSdk(call: RecommendCall, baseUrl: string): string {
  return `import { Tastegraph } from '@tastegraph/sdk';

const client = new Tastegraph({
  baseUrl: '${baseUrl}',
  apiKey: process.env.TASTEGRAPH_API_KEY ?? '',
  apiSecret: process.env.TASTEGRAPH_API_SECRET ?? '',
});
const { results } = await client.recommendItemsToUser(${JSON.stringify(call, null, 2)});`;
}

/** Boosts have no option: scenarios hold them. */
export function asCli(call: RecommendCall): string {
  const { user_id, context_items = [], scenario, model_id, attributes, filter_query } = call;
  return [
    'tastegraph recommend',
    ...(user_id === undefined ? [] : [quote(user_id)]),
    ...(context_items.length === 0 ? [] : [`--context ${quote(context_items.join(','))}`]),
    `--project ${call.project_id}`,
    ...(scenario === undefined ? [] : [`--scenario ${quote(scenario)}`]),
    ...(model_id === undefined ? [] : [`--model ${model_id}`]),
    ...(attributes.length === 0 ? [] : [`--attributes ${quote(attributes.join(','))}`]),
    ...(filter_query === undefined ? [] : [`--filter ${quote(filter_query)}`]),
    `--limit ${call.limit}`,
    '--explain',
  ].join(' ');
}

/** For a POSIX shell, in which nothing between single quotes has a meaning. */
const quote = (text: string) => (/^[\w./:@=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
