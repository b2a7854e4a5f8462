import { type Browser, chromium } from 'playwright-core';
import { launchOptions } from '../../../../acceptance/test/chromium.ts';

let launched: Promise<Browser> | undefined;

/** One browser for all files: they share a process and its modules (vitest.config.ts). It ends with that process. */
export const sharedBrowser = (): Promise<Browser> => (launched ??= chromium.launch(launchOptions));
