import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const generated = fileURLToPath(new URL('../packages/server/src/generated', import.meta.url));
/** Of the service: the words that explain a decision. */
const source = fileURLToPath(new URL('../src', import.meta.url));
const web = fileURLToPath(new URL('../packages/web/src', import.meta.url));
/** The service that `npm run dev` asks. */
const service = process.env.SERVICE_URL ?? 'http://localhost:8080';

export default defineConfig(({ command }) => ({
  // Relative, since the path of PUBLIC_URL is known at run time only.
  base: command === 'build' ? './' : '/console/',
  plugins: [react(), tailwindcss(), compressed()],
  resolve: {
    alias: {
      '@generated': generated,
      '@service': source,
      '@web': web,
      // Their other entries need Node's Buffer.
      'csv-stringify/sync': 'csv-stringify/browser/esm/sync',
      'csv-parse/sync': 'csv-parse/browser/esm/sync',
    },
  },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // For `npm run bundle`.
    license: { fileName: 'licenses.json' },
  },
  server: { proxy: { '/v1': service } },
}));

/** Beside each script and style sheet, the same with gzip, so that the service sends it as it is. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const [fileName, file] of Object.entries(bundle)) {
          const source = file.type === 'chunk' ? file.code : file.source;
          if (!/\.(js|css)$/.test(fileName)) continue;
          this.emitFile({
            type: 'asset',
            fileName: `${fileName}.gz`,
            source: gzipSync(source, { level: 9 }),
          });
        }
      },
    },
  };
}
