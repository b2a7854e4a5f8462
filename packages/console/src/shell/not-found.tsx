import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { buttonClass } from '../components/button.tsx';
import { EmptyState } from '../components/states.tsx';

export function NotFound() {
  return (
    <main className="mx-auto max-w-lg pt-24">
      <EmptyState
        icon={Compass}
        title="This page does not exist"
        action={
          <Link to="/" className={buttonClass('primary')}>
            Go to your projects
          </Link>
        }
      >
        The address may be mistyped, or what it showed was deleted.
      </EmptyState>
    </main>
  );
}
