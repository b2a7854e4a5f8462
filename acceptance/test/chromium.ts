import { existsSync } from 'node:fs';

/** Chromium without its windows opens a page with a third of the CPU time. */
const candidates = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

export const launchOptions = {
  executablePath: process.env['CHROMIUM'] ?? candidates.find(existsSync) ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};
