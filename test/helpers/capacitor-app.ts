import { resolve } from 'node:path';
import { build } from 'rolldown';
import { Site } from './site.ts';

/** A Capacitor app in a browser: the package bundled from its sources. */
export async function serveCapacitorApp(): Promise<Site> {
  const { output } = await build({
    input: 'packages/capacitor/test/page.ts',
    platform: 'browser',
    write: false,
    resolve: { alias: { '@throughline/core': resolve('packages/core/src/index.ts') } },
    output: { format: 'iife' },
  });
  return await Site.serveApp(output[0].code);
}
