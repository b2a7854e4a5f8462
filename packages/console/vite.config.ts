import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite';

/** The server replaces it in every response of the page by a new nonce. */
const noncePlaceholder = '__CSP_NONCE__';

/** Announces in the page what src/main.ts loads in any case, so that the browser needs not wait for main.ts to ask for it. */
const preloadApp: Plugin = {
  name: 'preload-app',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }): HtmlTagDescriptor[] => {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const app = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/src/app.tsx'));
      const entry = chunks.find(({ isEntry }) => isEntry);
      const announced = new Set(entry ? [entry.fileName, ...entry.imports] : []);
      const needed = new Set(app ? [app.fileName] : []);
      for (const name of needed)
        for (const imported of chunks.find(({ fileName }) => fileName === name)?.imports ?? [])
          needed.add(imported);
      return [...needed.difference(announced)].map((name) => ({
        tag: 'link',
        attrs: { rel: 'modulepreload', crossorigin: true, href: `/${name}` },
        injectTo: 'head',
      }));
    },
  },
};

/**
 * Has Chrome compile the functions of the first screen and of filters while they load, on another thread, instead of one by one when they are
 * called. It must be the first line, before what Vite adds.
 */
const compileEarly: Plugin = {
  name: 'compile-early',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === 'chunk' && ['app', 'shared', 'cel-editor'].includes(file.name))
          file.code = `//# allFunctionsCalledOnLoad\n${file.code}`;
    },
  },
};

export default defineConfig({
  plugins: [react(), tailwindcss(), preloadApp, compileEarly],
  // The code is written against React; Preact runs it with a tenth of React's JavaScript.
  resolve: {
    alias: [
      { find: /^react\/jsx-runtime$/, replacement: 'preact/jsx-runtime' },
      { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
      { find: /^react(-dom)?$/, replacement: 'preact/compat' },
    ],
  },
  html: { cspNonce: noncePlaceholder },
  build: {
    target: 'es2022',
    // Inlined assets are data URLs, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: {
      // Older browsers than the target have no module preload either.
      polyfill: false,
      // The page announces what the first screen needs. Files that are loaded later import only what is there by then.
      resolveDependencies: (_file, names, { hostType }) =>
        hostType === 'html' ? names : names.filter((name) => name.endsWith('.css')),
    },
    reportCompressedSize: false,
    // ECharts, which is loaded with the first chart. A test holds the limit for the first screen.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // main.ts runs before the rest has loaded.
            {
              name: 'start',
              test: /src\/main\.ts|src\/screens\/screens\.ts|src\/session\/(call|early-calls|first-session)\.ts|preload-helper|rolldown\/runtime/,
              priority: 2,
            },
            // One file of what several screens use: a file costs more than the bytes that one screen does not need.
            { name: 'shared', minShareCount: 2 },
          ],
        },
      },
    },
  },
});
