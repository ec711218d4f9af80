/**
 * `@throughline/capacitor` as on a phone, in a page of Chromium: its calls go through Capacitor's own bridge to a fake native
 * half over core. It judges the half in JavaScript and what crosses the bridge, not the clients of Android and iOS.
 */
import { join } from 'node:path';
import { build } from 'rolldown';
import { bridgeScript } from '../../../capacitor/test/bridge-script.ts';
import { runInChromium } from '../core-chromium/run-in-chromium.ts';

const PACKAGES = join(import.meta.dirname, '..', '..', '..');

const { output } = await build({
  input: join(import.meta.dirname, 'in-page.ts'),
  platform: 'browser',
  write: false,
  resolve: { alias: { '@throughline/core': join(PACKAGES, 'core/src/index.ts') } },
});
await runInChromium({
  module: '/client.js',
  scripts: { '/before.js': bridgeScript('android', 'toNative'), '/client.js': output[0].code },
});
