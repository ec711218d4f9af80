/** A Chromium with one page, which ends with this process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startChromium } from '../../../../test/helpers/browser/chromium.ts';

export interface Browser {
  open(url: string): Promise<void>;
  /** Gives pages a function that takes one text. */
  expose(name: string, take: (text: string) => void): Promise<void>;
  evaluate(expression: string): Promise<unknown>;
}

const READY_WITHIN_MS = 20_000;

export async function startBrowser(): Promise<Browser> {
  const chromium = await startChromium();
  if ('missing' in chromium) throw new Error(chromium.missing);
  const { devtools } = chromium;
  const { targetId } = await devtools.call('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await devtools.call('Target.attachToTarget', { targetId, flatten: true });
  const call = (method: string, params?: object) => devtools.call(method, params, sessionId);
  const evaluate = async (expression: string) => {
    const { result, exceptionDetails } = await call('Runtime.evaluate', { expression });
    if (exceptionDetails !== undefined) throw new Error(`${expression}: ${exceptionDetails.text}`);
    return result.value;
  };
  await call('Runtime.enable');
  return {
    evaluate,
    async open(url) {
      await call('Page.navigate', { url });
      for (let waitedMs = 0; (await evaluate('document.title')) !== 'ready'; waitedMs += 10) {
        if (waitedMs > READY_WITHIN_MS)
          throw new Error('the page did not load: run npm run build in packages/core');
        await sleep(10);
      }
    },
    async expose(name, take) {
      devtools.on('Runtime.bindingCalled', sessionId, ({ name: called, payload }) => {
        if (called === name) take(payload);
      });
      await call('Runtime.addBinding', { name });
    },
  };
}
