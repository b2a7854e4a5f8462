import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import clsx from 'clsx';
import { Columns2, SlidersHorizontal, Sparkles } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Card, PageHeader } from '../../components/card.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import { EmptyState, Skeleton } from '../../components/states.tsx';
import { History } from '../../items/history.tsx';
import { countRules, noRules, type Rules, ruleErrors } from '../../rules/rules.ts';
import { RulesFields } from '../../rules/rules-fields.tsx';
import { useAccess } from '../../session/access.tsx';
import { useItemSample } from '../../use/items.ts';
import { useProject } from '../../use/projects.ts';
import { AnswerCard } from './answer-card.tsx';
import { CopyCall } from './copy-call.tsx';
import { findFirstUser } from './find-user.ts';
import { goneOf, movesOf, summarize } from './moves.ts';
import { type PlaygroundSearch, type Subject, searchOf, subjectOf } from './subject.ts';
import { SubjectPicker } from './subject-picker.tsx';
import { useAnswer, useCall } from './use-answer.ts';
import { VariantPicker } from './variant-picker.tsx';
import { firstOf, secondOf } from './variants.ts';
import { VisitorItems } from './visitor-items.tsx';

const from = '/signed-in/accounts/$accountId/projects/$projectId/playground';

/** What a user did on the left, what is recommended and why on the right. */
export function PlaygroundScreen() {
  const project = useProject();
  const search = useSearch({ from });
  const subject = subjectOf(search);
  const navigate = useNavigate({ from: '/accounts/$accountId/projects/$projectId/playground' });
  const setSearch = (change: PlaygroundSearch, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace });
  const setSubject = (next: Subject, replace = false) => setSearch(searchOf(next), replace);
  const firstUser = useFirstUser(subject, (userId) => setSubject({ kind: 'user', userId }, true));
  const sample = useItemSample();
  const [highlighted, setHighlighted] = useState<string>();
  const [rules, setRules] = useState<Rules>(noRules);
  const [hasRules, setHasRules] = useState(false);
  const { first, second } = useMemo(() => ({ first: firstOf(search), second: secondOf(search) }), [search]);
  const call = useCall(subject, rules, first);
  const answer = useAnswer(call);
  const otherAnswer = useAnswer(useCall(subject, rules, second));
  const errors = ruleErrors(answer.error);
  const hidesError = hasRules && errors.size > 0;
  const results = answer.data?.answer.results;
  const otherResults = second && otherAnswer.data?.answer.results;
  const compared = useMemo(
    () =>
      results && otherResults
        ? { moves: movesOf(otherResults, results), gone: goneOf(results, otherResults) }
        : undefined,
    [results, otherResults],
  );
  if (!project.deployment) return <NothingDeployed />;
  return (
    <>
      <PageHeader
        title="Playground"
        hint="Pick someone, see what they did and what the deployed model recommends to them. Point at a reason, or tap it, to see the event behind it."
      />
      <div className="mb-4">
        <SubjectPicker subject={subject} onChange={setSubject} />
      </div>
      <div
        className={clsx(
          'grid items-start gap-4',
          second
            ? // The lists are side by side first; the history is beside them where there is room.
              'lg:grid-cols-2 lg:*:first:order-last lg:*:first:col-span-2 2xl:grid-cols-[minmax(16rem,2fr)_minmax(0,4fr)_minmax(0,4fr)] 2xl:*:first:order-none 2xl:*:first:col-span-1'
            : 'lg:grid-cols-[minmax(17rem,2fr)_minmax(0,5fr)]',
        )}
      >
        <SubjectColumn
          subject={subject}
          isSearching={firstUser.isFetching}
          highlighted={highlighted}
          onHover={setHighlighted}
          onChange={setSubject}
        />
        <AnswerCard
          title="Recommendations"
          answer={answer}
          needed={subject === undefined ? [sample, firstUser] : [sample]}
          subject={subject}
          highlighted={highlighted}
          onHighlight={setHighlighted}
          hidesError={hidesError}
          moves={compared?.gone}
          actions={
            <>
              <Button aria-expanded={hasRules} onClick={() => setHasRules(!hasRules)}>
                <SlidersHorizontal aria-hidden /> Rules ({countRules(rules)})
              </Button>
              <Button
                aria-pressed={second !== undefined}
                onClick={() => setSearch({ isCompared: second ? undefined : true })}
              >
                <Columns2 aria-hidden /> Compare
              </Button>
              {call && <CopyCall call={call} />}
            </>
          }
        >
          {(second ?? first.model ?? first.scenario) !== undefined && (
            <VariantPicker label="the first list" variant={first} onChange={setSearch} />
          )}
          {hasRules && (
            <div className="border-b border-line px-4 py-3">
              <RulesFields rules={rules} onChange={setRules} errors={errors} />
            </div>
          )}
        </AnswerCard>
        {second && (
          <AnswerCard
            title="Compared with"
            answer={otherAnswer}
            subject={subject}
            highlighted={highlighted}
            onHighlight={setHighlighted}
            hidesError={hidesError}
            moves={compared?.moves}
          >
            <VariantPicker
              label="the second list"
              variant={second}
              onChange={({ model, scenario }) => setSearch({ otherModel: model, otherScenario: scenario })}
            />
            {compared && (
              <p role="status" className="border-b border-line px-4 py-2 text-sm text-muted">
                {first.model === second.model && first.scenario === second.scenario
                  ? 'Both lists are the same. Choose another model or scenario above one of them to compare.'
                  : summarize(compared.moves, compared.gone)}
              </p>
            )}
          </AnswerCard>
        )}
      </div>
    </>
  );
}

function NothingDeployed() {
  return (
    <>
      <PageHeader title="Playground" />
      <Card>
        <EmptyState
          icon={Sparkles}
          title="No model is deployed"
          action={
            <ScreenLink screen="models" look="primary">
              Train and deploy a model
            </ScreenLink>
          }
        >
          Train a model and deploy it, then see here what it recommends to whom, and why. On the command line:{' '}
          <code className="text-ink">tastegraph train --watch && tastegraph deploy</code>
        </EmptyState>
      </Card>
    </>
  );
}

/** The items of a visitor, or what a user did. */
function SubjectColumn(props: {
  subject: Subject | undefined;
  isSearching: boolean;
  highlighted: string | undefined;
  onHover: (itemId: string | undefined) => void;
  onChange: (subject: Subject) => void;
}) {
  const { subject, isSearching, highlighted, onHover, onChange } = props;
  if (subject?.kind === 'visitor') {
    const { items } = subject;
    return (
      <VisitorItems
        items={items}
        highlighted={highlighted}
        onHover={onHover}
        onRemove={(id) => onChange({ kind: 'visitor', items: items.filter((one) => one !== id) })}
      />
    );
  }
  if (subject !== undefined && subject.userId !== '')
    return <History userId={subject.userId} highlighted={highlighted} onHover={onHover} />;
  return (
    <Card title="History">
      {isSearching ? <Skeleton /> : <p className="p-4 text-muted">Pick a user to see what they did.</p>}
    </Card>
  );
}

/** Opens with someone, so that there is something to look at. */
function useFirstUser(subject: Subject | undefined, onFound: (userId: string) => void) {
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
  return first;
}
