import { useQuery } from '@tanstack/react-query';
import { useAccess } from '../session/access.tsx';

/** More are not shown in the switcher; a list of projects is short. */
const maxProjects = 200;

export function useProjects() {
  const { client, account } = useAccess();
  return useQuery({
    queryKey: [account.account_id, 'projects'],
    queryFn: async ({ signal }) =>
      (await client.listProjects({ page_size: maxProjects }, { signal })).projects,
  });
}
