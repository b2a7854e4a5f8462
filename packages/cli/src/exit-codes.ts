/** What the command ends with. Scripts rely on them: a code never changes its meaning. */
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
  ok: 'Done.',
  failed: 'It failed, or a job did; the message says why and what to do next.',
  usage:
    'The command line is not understood: an unknown option, a missing argument, a mapping that does not fit.',
  auth: 'Not logged in, wrong credentials, or a key that is not allowed the operation.',
  notFound: 'There is no such project, dataset, model, job or file.',
  rejected: 'The import is done, but some records were rejected; they are in the file of rejected records.',
  unreachable: 'The service cannot be reached, or cannot answer right now. Trying again later may help.',
  interrupted:
    'Interrupted by Ctrl-C (SIGINT). An import goes on where it was when the same command is given again.',
  terminated: 'Ended by SIGTERM; otherwise as 130.',
};
