import { onTestFinished } from 'vitest';
import { CliRunner, type FakeRequest, FakeService, type Handler } from './fake-service.ts';

/** A service and a runner against it, which end with the test. */
export async function open(handler?: Handler): Promise<{ service: FakeService; cli: CliRunner }> {
  const service = await FakeService.open(handler);
  onTestFinished(() => service[Symbol.asyncDispose]());
  return { service, cli: new CliRunner(service) };
}

/** Responses by path. Of a list, its only page. */
type Known = Readonly<Record<string, object>>;

export const oneProject: Known = { '/list-projects': { projects: [{ project_id: 'prj_1', name: 'p' }] } };

/** As `open`, with a service that responds what is `known`, or else what `respond` returns. `requests` has those that are not known. */
export async function openWith(
  respond: (request: FakeRequest) => unknown,
  known = oneProject,
): Promise<{ service: FakeService; cli: CliRunner; requests: [string, object][] }> {
  const requests: [string, object][] = [];
  const opened = await open((request) => {
    const { path, body } = request;
    if (path === '/oauth/token') return undefined;
    const page = path.startsWith('/list-') ? { next_page_token: null } : {};
    if (known[path]) return { status: 200, body: { ...page, ...known[path] } };
    requests.push([path, body]);
    return { status: 200, body: respond(request) };
  });
  return { ...opened, requests };
}

/** As `openWith`, for jobs that end at once and have `count` files. `requests` has what was submitted. */
export async function openWithFiles(
  count: number,
  job_type: string,
  result: object,
  known = oneProject,
): Promise<{ cli: CliRunner; requests: object[] }> {
  const requests: object[] = [];
  const { service, cli } = await openWith(({ path, body }) => {
    if (path.startsWith('/file-')) return path;
    if (path.startsWith('/submit-')) requests.push(body);
    const download_urls = Array.from({ length: count }, (_, n) => `${service.url}/file-${n + 1}`);
    const job_result = { download_url: download_urls[0], download_urls, message: null, ...result };
    return { job_id: 'job_1', job_type, job_status: 'SUCCEED', job_result };
  }, known);
  return { cli, requests };
}
