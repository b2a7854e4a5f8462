import { limits, type Response } from '@tastegraph/contract';
import type { JobRow, ResultFile } from '../../storage/postgres/jobs.ts';
import type { Downloads } from '../download/find-download.ts';

/**
 * As the API shows it: files by addresses that are signed at this moment, and so hold from now on for their whole time. S3's
 * take half a millisecond each: a list of a thousand jobs is shown without the hundred charts that each of them may have.
 */
export async function showResult(
  downloads: Downloads,
  { job_result: result }: JobRow,
  hasCharts: boolean,
): Promise<Response<'getJob'>['job_result']> {
  if (!result || !('files' in result)) return result;
  const seconds = limits.downloadSeconds;
  // Before the addresses are signed: none of them is over earlier.
  const expired_at_sec = Math.floor(Date.now() / 1000) + seconds;
  const sign = ({ object_key, file_name: fileName, content_type: contentType }: ResultFile) =>
    downloads.presign(object_key, { seconds, fileName, contentType });
  const files = hasCharts ? result.files : result.files.slice(0, 1);
  const [download_url = '', ...chart_urls] = await Promise.all(files.map(sign));
  const shown = { download_url, expired_at_sec, message: result.message };
  return hasCharts ? { ...shown, chart_urls } : shown;
}
