import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import type { Response } from '@tastegraph/sdk';
import { Dices, Sparkles, UserRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { ItemFinder } from '../../items/item-finder.tsx';
import { Recommendations } from '../../items/recommendations.tsx';
import { useAccess } from '../../session/access.tsx';
import { useNewestEvents } from '../../use/events.ts';
import { shownAttributes, useItemLook, useTitles } from '../../use/items.ts';
import { useProject } from '../../use/projects.ts';
import type { Question, Settings } from '../../use/scenarios.ts';

interface PreviewProps {
  readonly question: Question;
  /** As JSON, once nobody has typed for a moment. */
  readonly settings: string;
  readonly onError: (error: unknown) => void;
}

/** Users per draw; the button goes through them. */
const drawn = 20;
const shownItems = 12;

/** What the settings lead to for one user after another. Nothing is saved. */
export function Preview(props: PreviewProps) {
  const { deployment } = useProject();
  return deployment ? <Live {...props} /> : <NoDeployment />;
}

function NoDeployment() {
  return (
    <Card title="Preview" aria-label="Preview">
      <EmptyState
        icon={Sparkles}
        title="No model is deployed"
        action={<ScreenLink screen="models">Train and deploy a model</ScreenLink>}
      >
        You can create the scenario now. Its preview needs a deployed model:{' '}
        <code className="text-ink">tastegraph train --watch && tastegraph deploy</code>
      </EmptyState>
    </Card>
  );
}

function Live({ question, settings, onError }: PreviewProps) {
  const users = useUsers();
  const seed = useSeedItem();
  const [itemId, setItemId] = useState<string>();
  const item = itemId ?? seed;
  const titleOfItem = useTitles(item === undefined ? [] : [item]);
  const answer = useAnswer({ question, settings, userId: users.current, itemId: item });
  const seen = useNewestEvents(users.current ?? '');
  const { error } = answer;
  useEffect(() => onError(error), [error, onError]);
  return (
    <Card
      title="Preview"
      aria-label="Preview"
      hint={
        users.current !== undefined && (
          <span className="flex items-center gap-1">
            <UserRound className="size-3.5" aria-hidden /> {users.current}
          </span>
        )
      }
      actions={
        <>
          <Button onClick={users.next} disabled={users.isPending}>
            Next user
          </Button>
          <Button onClick={users.draw} disabled={users.isPending} aria-label="Other users at random">
            <Dices aria-hidden />
          </Button>
        </>
      }
    >
      {question === 'ITEMS_TO_ITEM' && (
        <div className="space-y-2 border-b border-line px-4 py-3">
          <p className="text-sm">
            Similar to <span className="font-medium">{item === undefined ? '…' : titleOfItem(item)}</span>
          </p>
          <ItemFinder label="Another item" onChoose={setItemId} />
        </div>
      )}
      {error !== null && <ErrorState error={error} onRetry={() => void answer.refetch()} />}
      {users.error !== null && <ErrorState error={users.error} onRetry={users.draw} />}
      {answer.data ? (
        <Recommendations
          answer={answer.data}
          isStale={answer.isPlaceholderData || answer.isError}
          highlighted={undefined}
          onHighlight={() => undefined}
          seen={seen}
        />
      ) : (
        error === null && users.error === null && <Skeleton lines={10} />
      )}
    </Card>
  );
}

/** Users at random, one after the other. Without records of users, what somebody new gets. */
function useUsers() {
  const { client, account } = useAccess();
  const { user_dataset_id } = useProject();
  const [index, setIndex] = useState(0);
  const sample = useQuery({
    queryKey: [account.account_id, 'user-sample', user_dataset_id],
    queryFn: async ({ signal }) => {
      const { users } = await client.listDatasetUsers({ user_dataset_id, sample: drawn }, { signal });
      return users.map(({ user_id }) => user_id);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const draw = useMutation({
    mutationFn: () => sample.refetch(),
    onSuccess: () => setIndex(0),
  });
  const ids = sample.data ?? [];
  return {
    current: sample.data && (ids[index] ?? 'somebody new'),
    error: sample.data === undefined ? sample.error : null,
    isPending: sample.isFetching || draw.isPending,
    next: () => (index + 1 < ids.length ? setIndex(index + 1) : draw.mutate()),
    draw: () => draw.mutate(),
  };
}

/** An item to begin with. */
function useSeedItem(): string | undefined {
  const { client, account } = useAccess();
  const { item_dataset_id } = useProject();
  const { data } = useQuery({
    queryKey: [account.account_id, 'seed-items', item_dataset_id],
    queryFn: async ({ signal }) => {
      const { items } = await client.listDatasetItems({ item_dataset_id, sample: drawn }, { signal });
      return items.map(({ item_id }) => item_id);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.[0];
}

interface Asked {
  readonly question: Question;
  readonly settings: string;
  readonly userId: string | undefined;
  readonly itemId: string | undefined;
}

type Answer = Pick<Response<'recommendItemsToUser'>, 'results' | 'shortfall'>;

/** The call that a scenario with these settings stands for, with the attributes and reasons that the preview shows. */
function useAnswer({ question, settings, userId, itemId }: Asked) {
  const { client, account } = useAccess();
  const { project_id, item_dataset_id } = useProject();
  const look = useItemLook();
  const attributes = shownAttributes(look);
  return useQuery({
    queryKey: [account.account_id, 'preview', project_id, question, settings, userId, itemId, attributes],
    queryFn: async ({ signal }): Promise<Answer> => {
      const fields = JSON.parse(settings) as Settings;
      const common = { project_id, user_id: userId ?? '', attributes, explain: true };
      const list = { limit: shownItems, ...fields, ...common };
      const options = { signal };
      switch (question) {
        case 'ITEMS_TO_USER':
          return client.recommendItemsToUser(list, options);
        case 'ITEMS_TO_ITEM':
          return client.recommendItemsToItem({ ...list, item_id: itemId ?? '' }, options);
        case 'POPULAR':
          return client.recommendPopularItems(list, options);
        case 'RANKING': {
          const { items } = await client.listDatasetItems({ item_dataset_id, page_size: drawn }, options);
          return client.rankItemsForUser(
            { ...fields, ...common, item_ids: items.map(({ item_id }) => item_id) },
            options,
          );
        }
      }
    },
    enabled: userId !== undefined && (question !== 'ITEMS_TO_ITEM' || itemId !== undefined),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}
