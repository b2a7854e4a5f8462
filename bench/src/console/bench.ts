import { execFileSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';
import { withEnvironment } from '../environment.ts';
import type { Report } from '../report.ts';
import { prepareShop } from '../serve/prepare.ts';
import type { ShopSize } from '../serve/synthetic-shop.ts';
import {
  type MeasuredAction,
  type MeasuredScreen,
  measureActions,
  measureScreens,
  type State,
} from './measure.ts';
import { cpuSlowdown } from './slowdown.ts';
import type { Visit } from './visit.ts';

interface Sizes {
  readonly shop: ShopSize;
  /** Until a screen can be used, with a quarter of this machine's speed. */
  readonly usableGoalMs: number;
}

const full: Sizes = { shop: { users: 1_000_000, items: 200_000, events: 4_000_000 }, usableGoalMs: 1000 };
const quick: Sizes = { shop: { users: 20_000, items: 4000, events: 100_000 }, usableGoalMs: 10_000 };

/** A screen of any catalogue reads at most this much. */
const maxCalls = 20;
const maxApiBytes = 300_000;

const build = new URL('../../../packages/console/build.ts', import.meta.url).pathname;

/** How long screens take on a slow machine in front of a large catalogue, and how much they read. */
export async function benchConsole(isQuick: boolean): Promise<Report> {
  const { shop, usableGoalMs } = isQuick ? quick : full;
  execFileSync(process.execPath, [build], { stdio: 'inherit' });
  return withEnvironment(async ({ service, admin }) => {
    const { project_id } = await prepareShop(service, admin, shop);
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
    try {
      const { state, accountId } = await signIn(browser, service.createConsoleLink());
      const project = `${service.baseUrl}/accounts/${accountId}/projects/${project_id}`;
      const measured = await measureScreens(browser, state, project);
      const acted = await measureActions(browser, state, `${project}/playground?user=u7`);
      return reportOf({ shop, usableGoalMs, measured, acted });
    } finally {
      await browser.close();
    }
  }, 'all-in-one');
}

async function signIn(browser: Browser, link: string): Promise<{ state: State; accountId: string }> {
  const page = await browser.newPage();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Projects' }).waitFor();
  const accountId = /\/accounts\/([^/?#]+)/.exec(page.url())?.[1] ?? '';
  return { state: await page.context().storageState(), accountId };
}

interface Outcome {
  readonly shop: ShopSize;
  readonly usableGoalMs: number;
  readonly measured: readonly MeasuredScreen[];
  readonly acted: readonly MeasuredAction[];
}

const milestones = ({ documentMs, scriptsMs, answerMs, headingMs, usableMs, completeMs }: Visit) => ({
  document: Math.round(documentMs),
  scripts: Math.round(scriptsMs),
  'first answer': Math.round(answerMs),
  heading: Math.round(headingMs),
  usable: Math.round(usableMs),
  complete: Math.round(completeMs),
});

const rangeOf = (quartilesMs: readonly number[]) => quartilesMs.map((ms) => Math.round(ms)).join(' to ');

function reportOf({ shop, usableGoalMs, measured, acted }: Outcome): Report {
  const size = `${shop.users.toLocaleString('en')} users, ${shop.items.toLocaleString('en')} items`;
  const max = (pick: (one: MeasuredAction | MeasuredScreen) => number) =>
    Math.max(...[...measured, ...acted].map(pick));
  return {
    bench: 'console',
    tables: [
      {
        title: `Screens with cached files, ${size}, main thread slowed down ${cpuSlowdown} times (Chrome's throttle, calibrated before each visit): ms after the start, medians`,
        rows: measured.map(({ what, warm, usableQuartilesMs, slowdownQuartiles }) => ({
          what,
          ...milestones(warm),
          'usable, quartiles': rangeOf(usableQuartilesMs),
          'slower after it': slowdownQuartiles.map((times) => times.toFixed(1)).join(' to '),
        })),
      },
      {
        title: 'First visits, each by a new browser profile: medians',
        rows: measured.map(({ what, cold, coldUsableQuartilesMs, calls, apiBytes }) => ({
          what,
          ...milestones(cold),
          'usable, quartiles': rangeOf(coldUsableQuartilesMs),
          calls,
          'API bytes': apiBytes,
        })),
      },
      {
        title: 'CPU time of the main thread until the heading, ms at full speed, nothing cached',
        rows: measured.map(({ what, mainMs, scriptMs }) => ({
          what,
          all: Math.round(mainMs),
          'of it scripts': Math.round(scriptMs),
        })),
      },
      {
        title: 'Actions',
        rows: acted.map(({ what, ms, calls, apiBytes }) => ({
          what,
          ms: Math.round(ms),
          calls,
          'API bytes': apiBytes,
        })),
      },
    ],
    goals: [
      {
        text: `each screen can be used within ${usableGoalMs} ms, cached or not`,
        reached: measured.every(({ warm, cold }) => Math.max(warm.usableMs, cold.usableMs) <= usableGoalMs),
      },
      { text: `at most ${maxCalls} calls each`, reached: max(({ calls }) => calls) <= maxCalls },
      {
        text: `at most ${maxApiBytes} bytes of the API each`,
        reached: max(({ apiBytes }) => apiBytes) <= maxApiBytes,
      },
    ],
    figures: { shop, screens: measured, actions: acted },
  };
}
