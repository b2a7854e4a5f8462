import { createHash } from 'node:crypto';
import scalarReference from '@scalar/fastify-api-reference';
import { errorCodes } from '@tastegraph/contract';
import type { FastifyInstance } from 'fastify';

/** Serves the contract at /openapi.json and as a page at /docs. The page loads nothing from other hosts. */
export function serveDocs(app: FastifyInstance, document: Record<string, unknown>): void {
  app.get('/openapi.json', async () => document);

  void app.register(async (scope) => {
    scope.addHook('onSend', async (_request, reply, page) => {
      if (typeof page === 'string' && page.startsWith('<')) void reply.header(policyName, policyOf(page));
      return page;
    });
    void scope.register(scalarReference, {
      routePrefix: '/docs',
      configuration: {
        url: '/openapi.json',
        pageTitle: 'Tastegraph API',
        defaultOpenAllTags: true,
        hideModels: true,
        hideClientButton: true,
        showDeveloperTools: 'never',
        // No requests to other hosts.
        withDefaultFonts: false,
        telemetry: false,
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    });
  });

  // The `type` of an error links here.
  app.get('/docs/errors', async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header(policyName, `default-src 'none'; style-src ${hashOf(errorsStyle)}; frame-ancestors 'none'`)
      .send(errorsPage),
  );
}

const policyName = 'Content-Security-Policy';

/** Allows the page's own inline scripts and requests to this server. It creates styles at run time, so their hashes cannot be listed. */
function policyOf(page: string): string {
  const inline = [...page.matchAll(/<script[^>]*>([^<]+)<\/script>/g)].map(([, script = '']) =>
    hashOf(script),
  );
  const rules = [
    "default-src 'none'",
    `script-src 'self' ${inline.join(' ')}`.trimEnd(),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return rules.join('; ');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const errorsStyle = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h2{font-family:ui-monospace,monospace;font-size:1.1rem}h2:target{background:#fff3bf}`;

const errorsPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Tastegraph errors</title>
<style>${errorsStyle}</style>
<h1>Errors</h1>${Object.entries(errorCodes)
  .map(
    ([code, { status, title, next }]) =>
      `<h2 id="${code.toLowerCase()}">${code} (${status})</h2><p>${title}.<br>${markdownCode(next)}</p>`,
  )
  .join('\n')}`;

/** Text in backticks is code. The contract's texts contain no HTML other than `<token>`. */
function markdownCode(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
