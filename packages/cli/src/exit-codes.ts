/** Scripts rely on the exit codes: a code never changes its meaning. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  auth: 3,
  notFound: 4,
  rejected: 5,
  unreachable: 6,
  interrupted: 130,
  terminated: 143,
} as const;

type ExitName = keyof typeof exitCodes;
export type ExitCode = (typeof exitCodes)[ExitName];

export const exitMeanings: Readonly<Record<ExitName, string>> = {
  ok: 'Success.',
  failed: 'The command or a job failed. The message says why and what to do next.',
  usage: 'Usage error: an unknown option, a missing argument, or a mapping that does not fit the file.',
  auth: 'Not logged in, wrong credentials, or the API key does not allow the operation.',
  notFound: 'The project, dataset, model, job or file was not found.',
  rejected:
    'The import is complete, but some records were rejected. They are in FILE.rejected.ndjson, or in the file passed to --rejected.',
  unreachable: 'The service cannot be reached or is temporarily unavailable. Try again later.',
  interrupted: 'Interrupted by Ctrl-C (SIGINT). To resume an import, run the same command again.',
  terminated: 'Terminated by SIGTERM. To resume an import, run the same command again.',
};
