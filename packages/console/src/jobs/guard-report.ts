import type { SucceededJob } from '@tastegraph/sdk';
import { formatNumberOf, formatPercent } from '../format.ts';
import type { ListedJob } from './use-jobs.ts';

type DeploymentResult = SucceededJob<'DEPLOYMENT'>['job_result'];
export type GuardReport = NonNullable<DeploymentResult['guard']>;

/** The result of a deployment that has succeeded. */
export const deploymentResult = ({ job_type, job_result }: ListedJob): DeploymentResult | undefined =>
  job_type === 'DEPLOYMENT' && job_result !== null ? (job_result as DeploymentResult) : undefined;

/** Whether a guard kept the deployment before. */
export const isRefused = (job: ListedJob): boolean => deploymentResult(job)?.deployed === false;

/** What the guard found, in words. Without the name of the model. */
export function describeGuard({ verdict, users, loss }: GuardReport, isDeployed: boolean): string {
  if (verdict === 'NOTHING_DEPLOYED') return 'Nothing was deployed to compare with.';
  if (!loss)
    return `There was too little to compare on: ${formatNumberOf(users, 'user')} with newer target events. ${isDeployed ? 'It was deployed without a comparison.' : 'As the deployment asked, it was refused then.'}`;
  const share = (value: number) => formatPercent(Math.abs(value), 1);
  const found =
    loss.value > 0
      ? `It predicts the newest events ${share(loss.value)} worse than the deployed model`
      : `It predicts the newest events ${share(loss.value)} better than the deployed model`;
  return `${found}, on the same ${formatNumberOf(users, 'user')}. ${
    verdict === 'REFUSED'
      ? `Even at the lucky end of the interval it loses ${share(loss.low)}: that is not chance.`
      : 'That is within what the guard accepts.'
  }`;
}
