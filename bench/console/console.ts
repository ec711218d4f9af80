/** The console's first screen in Chromium: from the navigation to the numbers, with many records stored. */
import { startChromium } from '../../test/helpers/browser/chromium.ts';
import { Browser, DEVICES } from '../../test/helpers/browser.ts';
import { until } from '../../test/helpers/console-scene.ts';
import { makeOperator, openSignedIn } from '../../test/helpers/console-user.ts';
import { machine, percentile, table, whole } from '../lib/markdown.ts';
import { startPostgres } from '../lib/postgres.ts';
import { ENGINES, FEW, LINKS, MANY, type Subject, scaled, startSubject } from '../numbers/subject.ts';

/** Notes when the totals and the chart first show, and when everything is read, by the clock of the navigation. */
const WATCH = `
  window.shown = {};
  const note = (name, isShown) => { if (isShown && window.shown[name] === undefined) window.shown[name] = performance.now(); };
  const look = () => {
    const totals = document.querySelector('section[aria-label="Totals"]');
    note('totals', totals !== null && /[0-9]/.test(totals.innerText));
    note('all', totals !== null && document.querySelectorAll('.rank').length > 0 && document.querySelector('[aria-busy=true]') === null);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);`;

interface Times {
  readonly totals: number;
  readonly all: number;
}

export async function benchConsole({
  isQuick,
  clicks,
  engine: only,
}: {
  isQuick: boolean;
  clicks: number | null;
  engine: string | null;
}): Promise<string> {
  const size = scaled(MANY, (clicks ?? (isQuick ? FEW.clicks : MANY.clicks)) / MANY.clicks);
  const visits = isQuick ? 3 : 20;
  const browser = new Browser(await startChromium());
  if (browser.missing) throw new Error(browser.missing);
  const lines: string[][] = [];
  await using postgres = await startPostgres();
  try {
    for (const [engine, name] of Object.entries(ENGINES)) {
      if (only !== null && only !== name) continue;
      console.error(`${engine}: filling`);
      const subject = await startSubject(
        name === 'sqlite' ? null : await postgres.createDatabase('console'),
        size,
      );
      const { first, later } = await visit(browser, subject, visits);
      lines.push([engine, 'first', ...cells(first)], [engine, 'later', ...cells(later)]);
      await subject.service[Symbol.asyncDispose]();
    }
  } finally {
    await browser.close();
  }
  return [
    machine(postgres.version),
    '',
    `The overview of the last 28 days, signed in, with ${whole(size.clicks)} clicks, ${whole(size.installs)} installs and ${whole(size.events)} events of ${whole(LINKS)} links; ${visits} visits with an empty cache of the browser, each followed by one with a filled cache. From the navigation to the totals and their chart, and to all lists.`,
    '',
    table(['Database', 'Visit', 'Totals, p50', 'Totals, p95', 'All, p50', 'All, p95'], lines),
    '',
  ].join('\n');
}

async function visit(
  browser: Browser,
  { service, appId, setupAddress }: Subject,
  visits: number,
): Promise<{ first: Times[]; later: Times[] }> {
  const url = `http://127.0.0.1:${service.port}`;
  const cookie = await makeOperator(url, await setupAddress());
  const [first, later]: [Times[], Times[]] = [[], []];
  for (let n = 0; n < visits; n++) {
    const page = await openSignedIn(browser, { url, cookie, device: DEVICES.desktop });
    await page.beforeScripts(WATCH);
    for (const times of [first, later]) {
      await page.goto(`${url}/console/${appId}`);
      await until(page, 'window.shown.all');
      times.push(await page.evaluate<Times>('window.shown'));
    }
    await browser.closePages();
  }
  return { first, later };
}

function cells(times: readonly Times[]): string[] {
  return (['totals', 'all'] as const).flatMap((what) =>
    [0.5, 0.95].map(
      (share) =>
        `${whole(
          percentile(
            times.map((each) => each[what]),
            share,
          ),
        )} ms`,
    ),
  );
}
