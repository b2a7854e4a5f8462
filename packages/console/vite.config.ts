import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The server replaces it in every response of the page by a new nonce. */
const noncePlaceholder = '__CSP_NONCE__';

export default defineConfig({
  plugins: [react(), tailwindcss()],
  html: { cspNonce: noncePlaceholder },
  build: {
    target: 'es2022',
    // Inlined assets are data URLs, which the content security policy refuses.
    assetsInlineLimit: 0,
    // Chunks that are loaded later announce themselves; older browsers than the target have no module preload either.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // ECharts, which is loaded with the first chart. A test holds the limit for the first screen.
    chunkSizeWarningLimit: 700,
  },
});
