import { expect, inject, test } from 'vitest';
import { useConsole } from './open-console.ts';

const { open, openScreen } = useConsole();

test('a person signs in with a password and is led to the page they asked for', async () => {
  const page = await openScreen('/models', { signedOut: true });
  await page.waitForURL(/\/sign-in\?/);
  await page.getByLabel('Email').fill('demo@localhost');
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Password').fill(inject('password'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Models', level: 1 }).waitFor();
});

test('who signs out is asked to sign in again', async () => {
  const page = await open('/sign-in', { signedOut: true });
  await page.getByLabel('Email').fill('demo@localhost');
  await page.getByLabel('Password').fill(inject('password'));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Projects' }).waitFor();
  await page.getByRole('button', { name: /^Signed in as/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.goto(inject('baseUrl'));
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
});

test('a link that was used says so', async () => {
  const page = await open('/sign-in#token=tgl_used_or_invented', { signedOut: true });
  await page.getByRole('alert').waitFor();
  expect(page.url()).not.toContain('token');
});

test('the page after signing in cannot be on another site', async () => {
  const page = await open('/sign-in?next=//example.com/', { signedOut: true });
  await page.getByLabel('Email').fill('demo@localhost');
  await page.getByLabel('Password').fill(inject('password'));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Projects' }).waitFor();
  expect(new URL(page.url()).origin).toBe(inject('baseUrl'));
});

test('an account and a page that do not exist say so', async () => {
  const page = await open('/accounts/acc_nobody');
  await page.getByText('This page does not exist').waitFor();
});

test('the theme is chosen and kept', async () => {
  const page = await openScreen('/operations');
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await page.reload();
  await page.getByRole('heading', { name: 'Operations' }).waitFor();
  expect(await page.locator('html').getAttribute('class')).toBe('dark');
});
