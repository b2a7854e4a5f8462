import type { FastifyInstance } from 'fastify';

/** Returns a function that lists the methods allowed at a path, including those of routes added later. */
export function trackMethods(app: FastifyInstance): (path: string) => readonly string[] {
  const routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const methods = typeof method === 'string' ? [method] : method;
    routes.push({ pattern: patternOf(url), methods });
  });
  return (path) => {
    const found = routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
    return [...new Set(found)].toSorted();
  };
}

/** Compiles a route such as `/projects/:project_id/recommend-items-to-user` or `/downloads/*`. */
function patternOf(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    return part === '*' ? '.*' : part.replaceAll(/[.\\+*?^$()[\]{}|]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}$`);
}
