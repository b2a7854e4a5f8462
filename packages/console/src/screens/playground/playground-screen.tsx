import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { SlidersHorizontal, Sparkles } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card, PageHeader } from '../../components/card.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { shownAttributes, useItemLook, useItemSample } from '../../items/use-items.ts';
import { useProject } from '../../projects/project-context.ts';
import { useAccess } from '../../session/access.tsx';
import { useSettled } from '../../use-settled.ts';
import type { RecommendCall } from './call-text.ts';
import { CopyCall } from './copy-call.tsx';
import { findFirstUser } from './find-user.ts';
import { History } from './history.tsx';
import { Recommendations } from './recommendations.tsx';
import { noRules, type Rules, ruleErrors, ruleFields } from './rules.ts';
import { RulesCard } from './rules-card.tsx';
import { type Subject, searchOf, subjectOf } from './subject.ts';
import { SubjectPicker } from './subject-picker.tsx';
import { VisitorItems } from './visitor-items.tsx';

const from = '/signed-in/accounts/$accountId/projects/$projectId/playground';
const limit = 12;

/** What a user did on the left, what is recommended and why on the right. */
export function PlaygroundScreen() {
  const project = useProject();
  const subject = subjectOf(useSearch({ from }));
  const navigate = useNavigate({ from: '/accounts/$accountId/projects/$projectId/playground' });
  const setSubject = (next: Subject, replace = false) => void navigate({ search: searchOf(next), replace });
  useFirstUser(subject, (userId) => setSubject({ kind: 'user', userId }, true));
  const [highlighted, setHighlighted] = useState<string>();
  const [rules, setRules] = useState<Rules>(noRules);
  const [hasRules, setHasRules] = useState(false);
  const call = useCall(subject, rules);
  const answer = useAnswer(call);
  const errors = ruleErrors(answer.error);
  if (!project.deployment)
    return (
      <>
        <PageHeader title="Playground" />
        <Card>
          <EmptyState icon={<Sparkles aria-hidden />} title="No model is deployed">
            Train a model and deploy it, then see here what it recommends to whom, and why:{' '}
            <code className="text-ink">tastegraph train --watch && tastegraph deploy</code>
          </EmptyState>
        </Card>
      </>
    );
  return (
    <>
      <PageHeader
        title="Playground"
        hint="Pick someone, see what they did and what the deployed model recommends to them. Point at a reason to see the event behind it."
      />
      <div className="mb-4">
        <SubjectPicker subject={subject} onChange={setSubject} />
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(17rem,2fr)_minmax(0,5fr)]">
        {subject?.kind === 'visitor' ? (
          <VisitorItems
            items={subject.items}
            highlighted={highlighted}
            onHover={setHighlighted}
            onRemove={(id) =>
              setSubject({ kind: 'visitor', items: subject.items.filter((one) => one !== id) })
            }
          />
        ) : subject === undefined || subject.userId === '' ? (
          <Card title="History">
            <p className="p-4 text-muted">Pick a user to see what they did.</p>
          </Card>
        ) : (
          <History userId={subject.userId} highlighted={highlighted} onHover={setHighlighted} />
        )}
        <Card
          title="Recommendations"
          aria-label="Recommendations"
          hint={answer.data && <Degraded parts={answer.data.answer.degraded ?? []} ms={answer.data.ms} />}
          actions={
            <>
              <Button aria-expanded={hasRules} onClick={() => setHasRules(!hasRules)}>
                <SlidersHorizontal aria-hidden /> Rules
              </Button>
              {call && <CopyCall call={call} />}
            </>
          }
        >
          {hasRules && <RulesCard rules={rules} onChange={setRules} errors={errors} />}
          {answer.error !== null && !(hasRules && errors.size > 0) && (
            <ErrorState error={answer.error} onRetry={() => void answer.refetch()} />
          )}
          {answer.data ? (
            <Recommendations
              answer={answer.data.answer}
              isStale={answer.isPlaceholderData || answer.isError}
              highlighted={highlighted}
              onHighlight={setHighlighted}
            />
          ) : (
            answer.error === null && (call ? <Skeleton lines={10} /> : <NobodyYet subject={subject} />)
          )}
        </Card>
      </div>
    </>
  );
}

/** Opens with someone, so that there is something to look at. */
function useFirstUser(subject: Subject | undefined, onFound: (userId: string) => void): void {
  const { client, account } = useAccess();
  const project = useProject();
  const first = useQuery({
    queryKey: [account.account_id, 'first-user', project.project_id],
    queryFn: () => findFirstUser(client, project),
    enabled: subject === undefined && project.deployment !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => {
    if (subject === undefined && typeof first.data === 'string') onFound(first.data);
  });
}

/** The call for the subject and the rules, once nobody has typed for a moment; undefined while there is nobody to ask for. */
function useCall(subject: Subject | undefined, rules: Rules): RecommendCall | undefined {
  const { project_id } = useProject();
  const { isSuccess } = useItemSample();
  const look = useItemLook();
  const settled = useSettled(rules);
  return useMemo(() => {
    const rest = { project_id, attributes: shownAttributes(look), limit, ...ruleFields(settled) };
    if (!isSuccess || subject === undefined) return undefined;
    if (subject.kind === 'user')
      return subject.userId === '' ? undefined : { user_id: subject.userId, ...rest };
    return subject.items.length === 0 ? undefined : { context_items: subject.items, ...rest };
  }, [subject, settled, project_id, look, isSuccess]);
}

function useAnswer(call: RecommendCall | undefined) {
  const { client, account } = useAccess();
  const asked = useDeferredValue(call);
  return useQuery({
    queryKey: [account.account_id, 'recommend', asked],
    queryFn: async ({ signal }) => {
      const startedAt = performance.now();
      const { boosts = [], context_items = [], attributes = [], ...rest } = asked ?? {};
      const answer = await client.recommendItemsToUser(
        {
          ...rest,
          boosts: [...boosts],
          context_items: [...context_items],
          attributes: [...attributes],
          explain: true,
        },
        { signal },
      );
      return { answer, ms: performance.now() - startedAt };
    },
    enabled: asked !== undefined,
    placeholderData: (previous) => (asked === undefined ? undefined : previous),
    staleTime: 0,
  });
}

function Degraded({ parts, ms }: { parts: readonly string[]; ms: number }) {
  return (
    <>
      answered in {Math.round(ms)} ms{' '}
      {parts.length > 0 && <Badge tone="warn">without {parts.join(' and ')}</Badge>}
    </>
  );
}

function NobodyYet({ subject }: { subject: Subject | undefined }) {
  return (
    <EmptyState
      icon={<Sparkles aria-hidden />}
      title={subject?.kind === 'visitor' ? 'Add an item the visitor looked at' : 'Pick a user'}
    >
      {subject?.kind === 'visitor'
        ? 'Recommendations appear with the first item.'
        : 'Type the start of a user ID, or take a random user.'}
    </EmptyState>
  );
}
