import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Response } from '@tastegraph/sdk';
import { useAccess, useMay } from '../session/access.tsx';
import { sessionQuery } from '../session/session.ts';

export type Person = Response<'getPerson'>;
export type Role = Person['role'];

const pageSize = 100;

/** The people of the account, for those who may see them. */
export function usePeople() {
  const { client, account } = useAccess();
  return useInfiniteQuery({
    queryKey: [account.account_id, 'people'],
    enabled: useMay('listPeople'),
    queryFn: async ({ signal, pageParam }) =>
      client.listPeople({ page_size: pageSize, ...(pageParam && { page_token: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_page_token }) => next_page_token,
    select: ({ pages }) => pages.flatMap(({ people }) => people),
  });
}

function useRefresh() {
  const queryClient = useQueryClient();
  const { account } = useAccess();
  return async (personId: string) => {
    // Who changes their own role may see less.
    if (personId === account.person_id)
      await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
    await queryClient.invalidateQueries({ queryKey: [account.account_id, 'people'] });
  };
}

export function useInvite() {
  const { client } = useAccess();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (person: Pick<Person, 'email' | 'name' | 'role'>) => client.invitePerson(person),
    onSuccess: ({ person_id }) => refresh(person_id),
  });
}

export function useChangeRole() {
  const { client } = useAccess();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (change: { person_id: string; role: Role }) => client.updatePerson(change),
    onSettled: async (_person, _error, { person_id }) => refresh(person_id),
  });
}

export function useRemovePerson() {
  const { client } = useAccess();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (person_id: string) => client.removePerson({ person_id }),
    onSuccess: ({ person_id }) => refresh(person_id),
  });
}
