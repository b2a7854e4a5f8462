import { expect, test } from 'vitest';
import { useConsole } from './open-console.ts';
import { payloads } from './payloads.ts';

const { open, openScreen } = useConsole();

/** Readers of two genres, who buy books of theirs. */
function smallShop() {
  const genres = ['Crime', 'Poetry'];
  const books = Array.from({ length: 24 }, (_, n) => ({
    id: `book-${n}`,
    title: `Volume ${n}`,
    genre: genres[n % 2],
  }));
  const events = Array.from({ length: 120 }, (_, reader) =>
    Array.from({ length: 6 }, (_, step) => {
      const book = (reader * 5 + step * 4 + (reader % 2)) % books.length;
      return `reader-${reader},${books[book - (book % 2) + (reader % 2)]?.id ?? ''},${1_700_000_000 + reader * 60 + step}`;
    }),
  ).flat();
  const file = (name: string, lines: readonly string[]) => ({
    name,
    mimeType: 'text/csv',
    buffer: Buffer.from(`${lines.join('\n')}\n`),
  });
  return {
    items: file('books.csv', [
      'product_id,title,genre',
      ...books.map(({ id, title, genre }) => `${id},${title},${genre}`),
    ]),
    // The last row has no time.
    events: file('purchases.csv', ['customer,isbn,timestamp', ...events, 'reader-0,book-1,']),
  };
}

test('from CSV files to recommendations on screen, without typing an ID', async () => {
  const files = smallShop();
  const page = await open('/');
  await page.getByRole('button', { name: 'New project' }).click();
  await page.getByLabel('Name').fill('Small shop');
  await page.getByLabel('Which event should be predicted?').fill('buy');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Data', level: 1 }).waitFor();

  const choose = page.getByLabel('Import a file');
  await choose.setInputFiles(files.items);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Column product_id becomes').waitFor();
  expect(await dialog.getByLabel('The rows are').inputValue()).toBe('items');
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByText('24 records imported').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();

  await choose.setInputFiles(files.events);
  await dialog.getByLabel('Column isbn becomes').waitFor();
  expect(await dialog.getByLabel('The rows are').inputValue()).toBe('events');
  expect(await dialog.getByLabel('Type of all events').inputValue()).toBe('buy');
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByText('720 records imported, 1 row rejected').waitFor();
  await dialog.getByRole('cell', { name: '722' }).waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();

  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('link', { name: /Train a model/ }).click();
  await page.getByRole('button', { name: 'Train a model' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Start training' }).click();
  const deploy = page.getByRole('button', { name: /^Deploy Trained/ });
  await deploy.click({ timeout: 45_000 });
  await page.getByRole('dialog').getByRole('button', { name: 'Deploy', exact: true }).click();
  await page.getByText('deployed', { exact: true }).waitFor({ timeout: 30_000 });

  await page.getByRole('link', { name: 'Playground' }).click();
  // There are no records of users: one is typed, or a visitor is taken.
  await page.getByRole('button', { name: 'A visitor' }).click();
  await page.getByRole('combobox', { name: 'Add an item the visitor looked at' }).fill('volume 4');
  await page.getByRole('option', { name: /Volume 4/ }).click();
  await page
    .getByRole('region', { name: 'Recommendations' })
    .getByText(/^Volume \d+$/)
    .first()
    .waitFor();
}, 120_000);

test('a file with a name, columns and cells that attack the page is a file like others', async () => {
  const page = await openScreen('/data');
  const [first, second] = payloads;
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  await page.getByLabel('Import a file').setInputFiles({
    name: `${first}.csv`,
    mimeType: 'text/csv',
    buffer: Buffer.from(`item_id,${quote(first)}\nattack-1,${quote(second)}\n`),
  });
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('rowheader', { name: first }).waitFor();
  await dialog.getByLabel('The rows are').selectOption('items');
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByText('1 record imported').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('tab', { name: 'Items' }).click();
  await page.getByLabel('Find items by title or ID').fill('attack-1');
  await page.getByRole('button', { name: /attack-1(?!\d)/ }).click();
  await page.getByRole('dialog').getByText(second).waitFor();
});

test('an NDJSON file is imported with its lists, and a line that is no object is rejected', async () => {
  const page = await openScreen('/data');
  const records = [
    { item_id: 'line-1', title: 'A first line', genres: ['Crime', 'Poetry'] },
    { item_id: 'line-2', title: 'A second line', genres: [] },
  ];
  await page.getByLabel('Import a file').setInputFiles({
    name: 'books.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from([...records.map((one) => JSON.stringify(one)), '[1]'].join('\n')),
  });
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('cell', { name: '["Crime","Poetry"]' }).waitFor();
  await dialog.getByLabel('The rows are').selectOption('items');
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByText('2 records imported, 1 row rejected').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('tab', { name: 'Items' }).click();
  await page.getByLabel('Find items by title or ID').fill('line-1');
  await page.getByRole('button', { name: /A first line/ }).click();
  await page.getByRole('dialog').getByText('Crime, Poetry').waitFor();
});
