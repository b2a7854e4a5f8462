import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { Dices, Search, UserRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Combobox } from '../../components/combobox.tsx';
import { describeUser } from '../../items/describe-user.ts';
import { ItemFinder } from '../../items/item-finder.tsx';
import { useAccess } from '../../session/access.tsx';
import { useProject } from '../../use/projects.ts';
import { findRandomUser } from './find-user.ts';
import type { Subject } from './subject.ts';

interface PickerProps {
  readonly subject: Subject | undefined;
  readonly onChange: (subject: Subject) => void;
}

/** A user by ID, any user, or a visitor without an ID who looked at some items. */
export function SubjectPicker({ subject, onChange }: PickerProps) {
  const isVisitor = subject?.kind === 'visitor';
  return (
    <div className="flex flex-wrap items-center gap-2">
      <div
        role="group"
        aria-label="Recommend to"
        className="flex rounded-md border border-line-strong bg-card p-0.5"
      >
        <ModeButton isActive={!isVisitor} onClick={() => onChange({ kind: 'user', userId: '' })}>
          A user
        </ModeButton>
        <ModeButton isActive={isVisitor} onClick={() => onChange({ kind: 'visitor', items: [] })}>
          A visitor (no account)
        </ModeButton>
      </div>
      {isVisitor ? (
        <div className="min-w-56 flex-1">
          <ItemFinder
            label="Add an item the visitor looked at"
            onChoose={(id) =>
              onChange({ kind: 'visitor', items: [...subject.items.filter((one) => one !== id), id] })
            }
          />
        </div>
      ) : (
        <UserFinder
          userId={subject?.userId ?? ''}
          onChoose={(userId) => onChange({ kind: 'user', userId })}
        />
      )}
    </div>
  );
}

function ModeButton(props: { isActive: boolean; onClick: () => void; children: string }) {
  return (
    <button
      type="button"
      aria-pressed={props.isActive}
      onClick={props.onClick}
      className={clsx(
        'h-6.5 rounded px-2.5 font-medium',
        props.isActive ? 'bg-accent-soft text-accent-text' : 'text-muted hover:text-ink',
      )}
    >
      {props.children}
    </button>
  );
}

const suggestions = 12;

function UserFinder({ userId, onChoose }: { userId: string; onChoose: (userId: string) => void }) {
  const { client, account } = useAccess();
  const project = useProject();
  const { user_dataset_id } = project;
  const [text, setText] = useState(userId);
  useEffect(() => setText(userId), [userId]);
  const prefix = text === userId ? '' : text.trim();
  const found = useQuery({
    queryKey: [account.account_id, 'users', user_dataset_id, prefix],
    queryFn: async ({ signal }) =>
      (
        await client.listDatasetUsers(
          { user_dataset_id, page_size: suggestions, id_prefix: prefix === '' ? undefined : prefix },
          { signal },
        )
      ).users,
    placeholderData: keepPreviousData,
  });
  const random = useMutation({
    mutationFn: () => findRandomUser(client, project, userId),
    onSuccess: (id) => {
      if (id !== null) onChoose(id);
    },
  });
  // What was found for the text before is narrowed down at once: an arrow key must not pick another user.
  const fitting = (found.data ?? []).filter(({ user_id }) => user_id.startsWith(prefix));
  const choices = fitting.map(({ user_id, attributes }) => ({
    id: user_id,
    label: (
      <>
        <span className="font-medium">{user_id}</span>{' '}
        <span className="text-sm text-muted">{describeUser(attributes)}</span>
      </>
    ),
  }));
  return (
    <>
      <div className="min-w-56 flex-1">
        <Combobox
          label="User"
          placeholder="User ID"
          icon={text === userId && userId !== '' ? <UserRound aria-hidden /> : <Search aria-hidden />}
          text={text}
          onText={setText}
          choices={choices}
          isLoading={found.isFetching}
          onChoose={(id) => {
            setText(id);
            onChoose(id);
          }}
        />
      </div>
      <Button onClick={() => random.mutate()} disabled={random.isPending}>
        <Dices aria-hidden /> Random user
      </Button>
    </>
  );
}
