import { Link } from '@tanstack/react-router';
import { Sparkles } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '../../components/badge.tsx';
import { Card } from '../../components/card.tsx';
import { EmptyState, ErrorState, failureOf, type QueryLike, Skeleton } from '../../components/states.tsx';
import { type Move, Recommendations } from '../../items/recommendations.tsx';
import { useNewestEvents } from '../../use/events.ts';
import { projectPath, useProject } from '../../use/projects.ts';
import type { Subject } from './subject.ts';
import type { AnswerQuery } from './use-answer.ts';

type Needed = QueryLike<unknown> & { readonly isFetching: boolean };

interface AnswerCardProps {
  readonly title: string;
  readonly answer: AnswerQuery;
  /** What is read before the call. */
  readonly needed?: readonly Needed[];
  readonly subject: Subject | undefined;
  readonly highlighted: string | undefined;
  readonly onHighlight: (itemId: string | undefined) => void;
  readonly actions?: ReactNode;
  /** Above the list. */
  readonly children?: ReactNode;
  /** What each item did compared with the other list. */
  readonly moves?: ReadonlyMap<string, Move> | undefined;
  /** Errors that a field above shows already. */
  readonly hidesError?: boolean;
}

/** One list of recommendations. */
export function AnswerCard(props: AnswerCardProps) {
  const { title, answer, needed = [], subject, moves, hidesError = false } = props;
  const { target_event_type: target } = useProject();
  const seen = useNewestEvents(subject?.kind === 'user' ? subject.userId : '');
  const isAsked =
    answer.fetchStatus !== 'idle' || answer.isEnabled || needed.some(({ isFetching }) => isFetching);
  const failure = failureOf(needed);
  return (
    <Card
      title={title}
      aria-label={title}
      hint={answer.data && <Degraded parts={answer.data.answer.degraded ?? []} ms={answer.data.ms} />}
      actions={props.actions}
    >
      {props.children}
      {answer.error !== null && !hidesError && (
        <ErrorState error={answer.error} onRetry={() => void answer.refetch()} />
      )}
      {failure && <ErrorState error={failure.error} onRetry={failure.retry} />}
      {answer.data && answer.data.answer.results.length > 0 && (
        <p className="border-b border-line px-4 py-1.5 text-sm text-muted">
          Below each item: its reasons, with their share of the score.{' '}
          {subject?.kind === 'user'
            ? `Items with a ${target} event are left out by default; others, such as viewed ones, are marked.`
            : 'The items of the visitor are left out by default.'}{' '}
          <Link
            from={projectPath}
            to={`${projectPath}/outcomes`}
            search={{ recommendation: answer.data.answer.recommendation_id }}
            className="text-accent-text underline"
          >
            Open this response in Outcomes
          </Link>
        </p>
      )}
      {answer.data ? (
        <Recommendations
          answer={answer.data.answer}
          isStale={answer.isPlaceholderData || answer.isError}
          highlighted={props.highlighted}
          onHighlight={props.onHighlight}
          moves={moves}
          seen={seen}
        />
      ) : (
        answer.error === null &&
        !failure &&
        (isAsked ? <Skeleton lines={10} /> : <NobodyYet subject={subject} />)
      )}
    </Card>
  );
}

function Degraded({ parts, ms }: { parts: readonly string[]; ms: number }) {
  return (
    <>
      <span title="From this browser to the service and back, with reasons.">
        {Math.round(ms)} ms, including the network
      </span>{' '}
      {parts.length > 0 && <Badge tone="warn">without {parts.join(' and ')}</Badge>}
    </>
  );
}

function NobodyYet({ subject }: { subject: Subject | undefined }) {
  return (
    <EmptyState
      icon={Sparkles}
      title={subject?.kind === 'visitor' ? 'Add an item the visitor looked at' : 'Pick a user'}
    >
      {subject?.kind === 'visitor'
        ? 'Recommendations appear with the first item.'
        : 'Type the start of a user ID, or take a random user.'}
    </EmptyState>
  );
}
