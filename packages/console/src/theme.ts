import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const key = 'tastegraph-theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function readTheme(): Theme {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

const isDark = () => readTheme() === 'dark' || (readTheme() === 'system' && system.matches);

function applyTheme(): void {
  document.documentElement.classList.toggle('dark', isDark());
  for (const listener of listeners) listener();
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(key);
  else localStorage.setItem(key, theme);
  applyTheme();
}

export function watchTheme(): void {
  system.addEventListener('change', applyTheme);
  applyTheme();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useTheme = () => useSyncExternalStore(subscribe, readTheme);
export const useIsDark = () => useSyncExternalStore(subscribe, isDark);
