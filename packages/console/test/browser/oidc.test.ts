import { expect, inject, test } from 'vitest';
import { useConsole } from './open-console.ts';
import { shopClient } from './sdk-client.ts';

const { open, openScreen } = useConsole();

test('an invited person continues with the provider and is on the page they asked for', async () => {
  const client = shopClient();
  await client.invitePerson({ email: 'iris@example.com', name: 'Iris', role: 'VIEWER' });
  const page = await openScreen('/models', { signedOut: true });
  await page.getByRole('link', { name: 'Continue with Example' }).click();
  // Another site than the console: the way back is a navigation with which no Strict cookie is sent.
  await page.getByRole('button', { name: 'iris' }).click();
  await page.getByRole('heading', { name: 'Models', level: 1 }).waitFor();
  expect(new URL(page.url()).origin).toBe(inject('baseUrl'));
  await page.reload();
  await page.getByRole('button', { name: 'Signed in as Iris' }).waitFor();
  const cookies = await page.context().cookies(inject('baseUrl'));
  expect(cookies).toMatchObject([{ name: 'tastegraph-session', httpOnly: true, sameSite: 'Strict' }]);
});

test('who is not invited sees what to do, and can go back to the sign-in', async () => {
  const page = await open('/sign-in', { signedOut: true });
  await page.getByRole('link', { name: 'Continue with Example' }).click();
  await page.getByRole('button', { name: 'stranger' }).click();
  await page.getByRole('alert').waitFor();
  expect(new URL(page.url()).searchParams.get('error')).toBe('NOT_INVITED');
  await page.getByLabel('Password').waitFor();
});

test('who cancels at the provider is back at the sign-in', async () => {
  const page = await open('/sign-in', { signedOut: true });
  await page.getByRole('link', { name: 'Continue with Example' }).click();
  await page.getByRole('button', { name: 'nobody' }).click();
  await page.getByRole('alert').waitFor();
  expect(new URL(page.url()).searchParams.get('error')).toBe('SIGN_IN_CANCELED');
});
