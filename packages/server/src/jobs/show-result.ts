import { downloadsPath, limits, type Response } from '@tastegraph/contract';
import { type Downloads, downloadUrl } from './downloads/downloads.ts';
import type { JobRow } from './rows/jobs.ts';

/**
 * The result as the API returns it. URLs are signed on each call, so they are always valid for their full time. Lists
 * show only the first file: each of a thousand jobs may have a hundred charts or more.
 */
export function showResult(
  downloads: Pick<Downloads, 'baseUrl' | 'secret'>,
  callerId: string,
  { job_id, job_result: result }: Pick<JobRow, 'job_id' | 'job_result'>,
  hasAllFiles: boolean,
): Response<'getJob'>['job_result'] {
  if (!result || !('files' in result)) return result;
  if (result.expired_ts !== undefined) {
    const on = new Date(result.expired_ts).toISOString().slice(0, 10);
    return {
      // The contract requires a URL. This one returns 404.
      download_url: `${downloads.baseUrl}${downloadsPath}/results/${job_id}/expired`,
      expired_at_sec: Math.floor(result.expired_ts / 1000),
      message: `The result was removed on ${on} because it expired or contained a user who was erased. Submit the job again to get a new result. If that is refused, train a new model first.`,
    };
  }
  // Computed before the URLs are signed, so that none of them expires earlier.
  const expired_at_sec = Math.floor(Date.now() / 1000) + limits.downloadSeconds;
  const files = hasAllFiles ? result.files : result.files.slice(0, 1);
  const signed = files.map((file) => ({ file, url: downloadUrl(downloads, file, callerId) }));
  const urls = signed.map(({ url }) => url);
  const [download_url = ''] = urls;
  const shown = { download_url, expired_at_sec, message: result.message };
  const counted = countOf(result);
  if (counted) return hasAllFiles ? { ...shown, download_urls: urls, ...counted } : { ...shown, ...counted };
  if (!hasAllFiles) return shown;
  const others = signed.slice(1).map(({ file, url }) => ({ kind: kindOf(file.content_type), url }));
  const urlOf = (kind: FileKind) => others.find((other) => other.kind === kind)?.url;
  const [map_url, table_url] = [urlOf('map'), urlOf('table')];
  return {
    ...shown,
    chart_urls: others.filter(({ kind }) => kind === 'chart').map(({ url }) => url),
    ...(map_url !== undefined && { map_url }),
    ...(table_url !== undefined && { table_url }),
  };
}

type FileKind = 'map' | 'chart' | 'table';

/** What a file beside the first one of an analysis is. */
function kindOf(contentType: string): FileKind {
  if (contentType === 'application/json') return 'map';
  return contentType === 'image/svg+xml' ? 'chart' : 'table';
}

/** How many records or users the files have, for job types whose files are all parts of one result. */
function countOf(
  result: object,
): { record_count: number; rejected_count?: number } | { user_count: number } | undefined {
  if ('record_count' in result)
    return {
      record_count: Number(result.record_count),
      ...('rejected_count' in result && { rejected_count: Number(result.rejected_count) }),
    };
  if ('user_count' in result) return { user_count: Number(result.user_count) };
  return undefined;
}
