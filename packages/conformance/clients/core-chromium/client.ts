/** `@throughline/core` as built, in a page of Chromium: its `fetch` keeps the rules for pages of another origin. */
import { runInChromium } from './run-in-chromium.ts';

await runInChromium({ module: '/core/index.js', scripts: {} });
