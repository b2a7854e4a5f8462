import scalarReference from '@scalar/fastify-api-reference';
import { errorCodes } from '@tastegraph/contract';
import type { FastifyInstance } from 'fastify';

/** The contract for machines at /openapi.json, for people at /docs. The page loads nothing from elsewhere. */
export function serveDocs(app: FastifyInstance, document: Record<string, unknown>): void {
  app.get('/openapi.json', async () => document);

  void app.register(scalarReference, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Tastegraph API',
      defaultOpenAllTags: true,
      hideModels: true,
      hideClientButton: true,
      showDeveloperTools: 'never',
      // The page talks to this server and to nobody else.
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });

  // Where the `type` of an error leads.
  app.get('/docs/errors', async (_request, reply) => reply.type('text/html; charset=utf-8').send(errorsPage));
}

const errorsPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Tastegraph errors</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h2{font-family:ui-monospace,monospace;font-size:1.1rem}h2:target{background:#fff3bf}</style>
<h1>Errors</h1>${Object.entries(errorCodes)
  .map(
    ([code, { status, title, next }]) =>
      `<h2 id="${code.toLowerCase()}">${code} (${status})</h2><p>${title}.<br>${markdownCode(next)}</p>`,
  )
  .join('\n')}`;

/** The contract's sentences are ours and hold no HTML but `<token>`; what stands in backticks is code. */
function markdownCode(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
