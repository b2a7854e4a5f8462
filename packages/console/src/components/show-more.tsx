import { Button } from './button.tsx';

interface PagedQuery {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): Promise<unknown>;
}

/** The next page of a list, if there is one. */
export function ShowMore({ query }: { query: PagedQuery }) {
  if (!query.hasNextPage) return null;
  return (
    <div className="border-t border-line p-2 text-center">
      <Button look="quiet" onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage}>
        Show more
      </Button>
    </div>
  );
}
