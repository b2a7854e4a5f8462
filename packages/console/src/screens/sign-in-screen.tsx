import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { LogIn } from 'lucide-react';
import { type SubmitEvent, useEffect } from 'react';
import { Button, buttonClass } from '../components/button.tsx';
import { Field } from '../components/field.tsx';
import { Skeleton } from '../components/states.tsx';
import { describeOidcError } from '../session/oidc-errors.ts';
import { redeemLink, sessionQuery, signIn, signInOptionsQuery } from '../session/session.ts';
import { Logo } from '../shell/logo.tsx';

/** By password, by a link with a one-time token, or by the organization's identity provider. */
export function SignInScreen() {
  const { next, error } = useSearch({ from: '/sign-in' });
  const router = useRouter();
  const queryClient = useQueryClient();
  const options = useQuery(signInOptionsQuery);
  const enter = useMutation({
    mutationFn: (way: { token: string } | { email: string; password: string }) =>
      'token' in way ? redeemLink(way.token) : signIn(way.email, way.password),
    onSuccess: async () => {
      await queryClient.query({ ...sessionQuery, staleTime: 0 });
      router.history.replace(next ?? '/');
    },
  });
  const { mutate } = enter;
  useEffect(() => {
    const token = takeToken();
    if (token !== undefined) mutate({ token });
  }, [mutate]);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    mutate({ email: textOf(form, 'email'), password: textOf(form, 'password') });
  };
  const oidc = options.data?.oidc;
  const problem = enter.error?.message ?? describeOidcError(error, oidc?.name);
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div className="w-full max-w-sm rounded-xl border border-line bg-card p-7 shadow-sm">
        <Logo />
        <h1 className="mt-6 mb-4 text-xl font-semibold tracking-tight">Sign in</h1>
        {problem !== undefined && (
          <p role="alert" className="mb-4 rounded-md bg-bad-soft px-3 py-2 text-bad">
            {problem}
          </p>
        )}
        {enter.isPending && 'token' in enter.variables ? (
          <Skeleton lines={3} label="Signing you in" />
        ) : (
          <form className="space-y-4" onSubmit={submit}>
            <Field label="Email" name="email" type="email" autoComplete="username" required />
            <Field
              label="Password"
              name="password"
              type="password"
              autoComplete="current-password"
              required
            />
            <Button type="submit" look="primary" className="w-full" disabled={enter.isPending}>
              <LogIn aria-hidden /> Sign in
            </Button>
          </form>
        )}
        {oidc && (
          <>
            <p className="my-4 flex items-center gap-3 text-sm text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
              or
            </p>
            <a
              href={next === undefined ? oidc.url : `${oidc.url}?next=${encodeURIComponent(next)}`}
              className={`${buttonClass('plain')} w-full`}
            >
              Continue with {oidc.name}
            </a>
          </>
        )}
        <p className="mt-5 text-sm text-muted">
          No password yet? Open the one-time link from your invitation, or create one with{' '}
          <code className="text-ink">tastegraph-server admin</code>.
        </p>
      </div>
    </main>
  );
}

const textOf = (form: FormData, name: string) => {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
};

/** The token is in the fragment, which browsers send to no server, and leaves the address before anything else happens. */
function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}
