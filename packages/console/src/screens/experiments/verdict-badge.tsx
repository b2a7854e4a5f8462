import { Badge, type Tone } from '../../components/badge.tsx';
import type { ListedExperiment } from '../../use/experiments.ts';

const looks: Readonly<Record<ListedExperiment['verdict'], { tone: Tone; label: string }>> = {
  UNDECIDED: { tone: 'neutral', label: 'undecided' },
  VARIANT_BETTER: { tone: 'good', label: 'a variant is better' },
  CONTROL_BETTER: { tone: 'warn', label: 'the control is better' },
  INVALID: { tone: 'bad', label: 'invalid' },
};

export function VerdictBadge({ verdict }: { verdict: ListedExperiment['verdict'] }) {
  const { tone, label } = looks[verdict];
  return <Badge tone={tone}>{label}</Badge>;
}
