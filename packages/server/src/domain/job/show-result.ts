import { limits, type Response } from '@tastegraph/contract';
import type { JobRow, ResultFile } from '../../storage/postgres/jobs.ts';
import type { Downloads } from '../download/find-download.ts';

/** As the API shows it: files by addresses that are signed at this moment, and so hold from now on for their whole time. */
export async function showResult(
  downloads: Downloads,
  { job_result: result }: JobRow,
): Promise<Response<'getJob'>['job_result']> {
  if (!result || !('files' in result)) return result;
  const seconds = limits.downloadSeconds;
  // Before the addresses are signed: none of them is over earlier.
  const expired_at_sec = Math.floor(Date.now() / 1000) + seconds;
  const sign = ({ object_key, file_name: fileName, content_type: contentType }: ResultFile) =>
    downloads.presign(object_key, { seconds, fileName, contentType });
  const [download_url = '', ...chart_urls] = await Promise.all(result.files.map(sign));
  return { download_url, expired_at_sec, message: result.message, chart_urls };
}
