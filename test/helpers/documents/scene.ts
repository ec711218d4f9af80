/** A service as the reader of a page has it: one app with links, a tap and two installs, reached by the hosts of the guide. */
import { IPHONE, IPHONE_FINGERPRINT } from '../callers.ts';
import { type Engine, makePlace, type Place } from '../engines.ts';
import { type RunningServer, startServer } from '../process.ts';
import { callServer } from '../webhook-scene.ts';
import { Web } from './web.ts';

const KEYS = { LIVE_KEY: `svc_live_us_${'a'.repeat(22)}`, SDK_KEY: `svc_live_pub_us_${'b'.repeat(22)}` };
const ADMIN_TOKEN = 'an admin token for tests only, 32';
const ENV = {
  PUBLIC_URL: 'https://links.example.com',
  SHORT_LINK_URL: 'https://go.example.com',
  ADMIN_TOKEN,
  BOOTSTRAP_LIVE_KEY: KEYS.LIVE_KEY,
  BOOTSTRAP_SDK_KEY: KEYS.SDK_KEY,
};
/** Links and installs that pages name. */
const CODE = 'fv4Jn9Cu';
const CODES = [CODE, 'spring-shoes', 'spring-hats', 'taken'];
const INSTALLS = ['01a1fa01-9f65-727b-9240-57b838adab86', '01a1f8a6-f0ac-7aa2-a773-3c596e6bc313'];

export class Scene {
  /** What the hosts of the guide answer. */
  readonly web = new Web();
  /** The proxy in front of the service, before the hosts lead to it. */
  readonly proxy = new Web();
  appId = '';
  #place: Place | undefined;
  #server: RunningServer | undefined;
  readonly #env: Readonly<Record<string, string>>;

  constructor(env: Readonly<Record<string, string>> = {}) {
    this.#env = { ...ENV, ...env };
  }

  get place(): Place {
    if (this.#place === undefined) throw new Error('the scene is not open');
    return this.#place;
  }

  /** Settings for commands, and the variables that pages name. */
  get env(): Record<string, string> {
    const ports = { WEB_PORT: String(this.web.port), PROXY_PORT: String(this.proxy.port) };
    return { ...this.place.env, ...this.#env, ...KEYS, ...ports, BASE: ENV.PUBLIC_URL, CODE };
  }

  async open(engine: Engine): Promise<void> {
    this.#place = await makePlace(engine);
    for (const web of [this.web, this.proxy]) await web.open();
    await this.start();
    const [app] = await this.admin('GET', '/apps');
    this.appId = app.id;
    await this.#fill();
  }

  get url(): string {
    return this.web.service;
  }

  async start(): Promise<void> {
    this.#server = await startServer(this.place, { ...this.#env });
    for (const web of [this.web, this.proxy]) web.service = this.#server.url;
  }

  async stop(): Promise<void> {
    await this.#server?.end('SIGTERM');
    this.#server = undefined;
  }

  async remove(): Promise<void> {
    await this.stop();
    for (const web of [this.web, this.proxy]) web.close();
    await this.#place?.remove();
  }

  /** With the live key, or another one. */
  // biome-ignore lint/suspicious/noExplicitAny: a page's preparation reads any field of the response.
  async call(method: string, path: string, body?: object, key = KEYS.LIVE_KEY): Promise<any> {
    if (this.#server === undefined) throw new Error('the service is stopped');
    return await callServer(this.#server, key, [method, path, body]);
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  async admin(method: string, path: string, body?: object): Promise<any> {
    const answer = await fetch(`${this.#server?.url}/v1/admin${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return await answer.json();
  }

  async #fill(): Promise<void> {
    for (const shortCode of CODES)
      await this.call('POST', '/v1/links', {
        ...{ shortCode, deepLinkPath: '/shoes/42', campaignId: 'spring', title: 'A poster', tags: ['sale'] },
        fallbackUrl: 'https://shop.example.com/',
      });
    const headers = { 'user-agent': IPHONE, 'accept-language': 'en-US' };
    await fetch(`${this.#server?.url}/l/${CODE}`, { redirect: 'manual', headers });
    for (const installId of INSTALLS)
      await this.call(
        'POST',
        '/v1/sdk/install',
        { installId, fingerprint: IPHONE_FINGERPRINT },
        KEYS.SDK_KEY,
      );
    const event = { installId: INSTALLS[0], eventName: 'purchase', userId: 'user-4711' };
    await this.call('POST', '/v1/sdk/event', event, KEYS.SDK_KEY);
  }
}
