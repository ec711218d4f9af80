/** Runs one scenario: its own app of the service, its own network, its own phone. */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { compare, type Happened } from './expect.ts';
import { startCommand } from './launch.ts';
import { type LoggedRequest, Network } from './network.ts';
import { fill } from './pattern.ts';
import { Phone, UnsupportedError } from './phone.ts';
import type { CommandStep, Expectation, JsonObject, Launch, Scenario, Step } from './scenario.ts';
import type { Service } from './service.ts';
import { type Kind, type Link, makeApp, Tenant } from './tenant.ts';

export interface Outcome {
  readonly id: string;
  readonly title: string;
  readonly passed: boolean;
  /** The scenario needs a service that the runner starts, or what the client cannot do. */
  readonly skipped: boolean;
  readonly tookMs: number;
  /** Expectations that failed. */
  readonly faults: readonly string[];
  readonly log: readonly LoggedRequest[];
  /** The end of the client's standard error. */
  readonly complaint: string;
}

export interface Setting {
  readonly service: Service;
  /** Starts the client, in the shell. */
  readonly client: string;
  /** For how long an expectation may fail before it counts. */
  readonly patienceMs: number;
}

const LOOK_EVERY_MS = 25;
/** A process has to start before it answers. */
const LEAST_ANSWER_MS = 5_000;
/** A repetition would arrive within it. */
const QUIET_MS = 500;
/** Sent to the service of the repository only, which trusts it. */
const ADDRESS_HEADER = 'x-forwarded-for';

class ExpectationError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

export async function runScenario(id: string, scenario: Scenario, setting: Setting): Promise<Outcome> {
  const of = { id, title: scenario.title };
  const empty = { tookMs: 0, faults: [], log: [], complaint: '' };
  const { app, conversionValues, steps } = scenario;
  const needsOwn =
    app !== undefined || conversionValues !== undefined || steps.some((step) => 'restored' in step);
  if (needsOwn && setting.service.keys !== null) return { ...of, ...empty, passed: true, skipped: true };
  const startedAtMs = performance.now();
  const scene = await Scene.set(scenario, setting);
  let faults: readonly string[] = [];
  let skipped = false;
  try {
    await scene.play();
  } catch (error) {
    skipped = error instanceof UnsupportedError;
    if (!skipped) faults = error instanceof ExpectationError ? error.faults : [(error as Error).message];
  } finally {
    await scene.end();
  }
  const { log, complaint } = scene;
  const tookMs = performance.now() - startedAtMs;
  return { ...of, passed: faults.length === 0, skipped, tookMs, faults, log, complaint };
}

class Scene {
  readonly #scenario: Scenario;
  readonly #setting: Setting;
  #tenant: Tenant;
  readonly #network: Network;
  readonly #phone: Phone;
  readonly #links = new Map<string, Link>();
  readonly #named: Record<string, unknown> = {};
  readonly #marks = new Map<string, number>();
  /** Records as last read, with the number of answers at that time. */
  readonly #read = new Map<Kind, { readonly answers: number; readonly records: readonly JsonObject[] }>();
  #launches = 0;
  /** Of a command whose answer is not awaited. */
  #lateError: Error | null = null;

  private constructor(scenario: Scenario, setting: Setting, tenant: Tenant, network: Network) {
    this.#scenario = scenario;
    this.#setting = setting;
    this.#tenant = tenant;
    this.#network = network;
    this.#phone = new Phone(setting.client);
  }

  static async set(scenario: Scenario, setting: Setting): Promise<Scene> {
    const { service } = setting;
    const address = (): Record<string, string> =>
      service.keys === null ? { [ADDRESS_HEADER]: anyAddress() } : {};
    const { title, app = {}, conversionValues } = scenario;
    const keys = service.keys ?? (await makeApp(service, { name: title, ...app }));
    // The browser and the app have different addresses, so that no tap matches by its address alone.
    const tenant = new Tenant(service, keys, address());
    if (conversionValues !== undefined)
      await tenant.manage('PUT', '/v1/skan/conversion-values', conversionValues);
    const scene = new Scene(scenario, setting, tenant, await Network.start(service.url, address()));
    for (const [name, body] of Object.entries(scenario.links ?? {})) {
      const link = await tenant.createLink(body);
      scene.#links.set(name, link);
      scene.#named[name] = link;
    }
    return scene;
  }

  get log(): readonly LoggedRequest[] {
    return this.#network.log;
  }

  get complaint(): string {
    return this.#phone.complaint;
  }

  async play(): Promise<void> {
    for (const step of this.#scenario.steps) await this.#take(step, {});
    await this.#until(this.#scenario.expect);
    await this.#quiet();
    await this.#until(this.#scenario.expect, 0);
  }

  async end(): Promise<void> {
    await this.#phone.discard();
    this.#network.close();
  }

  async #take(step: Step, counter: { readonly i?: number }): Promise<void> {
    if (this.#lateError !== null) throw this.#lateError;
    if (isCommand(step)) return this.#command(step, counter);
    if ('launch' in step)
      return this.#launch(fill(step.launch as unknown as JsonObject, this.#named) as Launch);
    if ('kill' in step) return this.#phone.kill();
    if ('uninstall' in step) return this.#phone.uninstall();
    if ('network' in step) return this.#network.setNetwork(step.network);
    if ('until' in step) return this.#until(step.until);
    if ('mark' in step) return void this.#marks.set(step.mark, this.log.length);
    if ('sleepMs' in step) return sleep(step.sleepMs);
    if ('manage' in step) return this.#manage(step.manage);
    if ('restored' in step) return this.#restore();
    if ('tap' in step) {
      this.#named[step.tap.as] = await this.#tenant.tap(this.#link(step.tap.link), step.tap.device);
      return;
    }
    for (let i = 1; i <= step.repeat; i++) for (const inner of step.steps) await this.#take(inner, { i });
  }

  async #manage({ method, path, body }: { method: string; path: string; body?: JsonObject }): Promise<void> {
    const filled = body === undefined ? undefined : (fill(body, this.#named) as JsonObject);
    await this.#tenant.manage(method, String(fill(path, this.#named)), filled);
  }

  /** To a service restored from a backup of before, the phone is as unknown as to a new app. */
  async #restore(): Promise<void> {
    const { service } = this.#setting;
    const keys = await makeApp(service, { name: this.#scenario.title, ...this.#scenario.app });
    this.#tenant = new Tenant(service, keys, {});
    this.#read.clear();
  }

  async #launch(launch: Launch): Promise<void> {
    await this.#phone.kill();
    this.#launches += 1;
    this.#phone.launch();
    const { sdkKey } = this.#tenant.keys;
    const hosts = [...new Set([...this.#links.values()].map(({ host }) => host))];
    const of = { baseUrl: this.#network.url, key: sdkKey, hosts, launchId: `launch-${this.#launches}` };
    const said = [this.#phone.send(startCommand(launch, of))];
    if (launch.later) return void said[0]?.catch(() => undefined);
    if (launch.listen !== false) said.push(this.#phone.send({ do: 'listen' }));
    await this.#answer(Promise.all(said));
  }

  async #command(step: CommandStep, counter: { readonly i?: number }): Promise<void> {
    const { as, later, fails, ...command } = step;
    const answered = this.#phone.send(
      fill(command as JsonObject, { ...this.#named, ...counter }) as JsonObject,
    );
    if (fails) {
      const failed = answered.then(
        () => Promise.reject(new Error(`the client took ${JSON.stringify(command)}, which is wrong`)),
        (error: unknown) => (error instanceof UnsupportedError ? Promise.reject(error) : null),
      );
      return this.#answer(failed);
    }
    const kept = answered.then((value) => {
      if (as !== undefined) this.#named[as] = value;
    });
    if (later === undefined) return this.#answer(kept);
    kept.catch((error: Error) => {
      this.#lateError = error;
    });
  }

  /** @throws if the client does not answer. */
  async #answer(answered: Promise<unknown>): Promise<void> {
    const withinMs = Math.max(this.#setting.patienceMs, LEAST_ANSWER_MS);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((_resolve, reject) => {
      const error = new Error(`the client did not answer a command within ${withinMs} ms`);
      timer = setTimeout(() => reject(error), withinMs);
    });
    await Promise.race([answered, late]).finally(() => clearTimeout(timer));
  }

  async #until(expected: Expectation, patienceMs = this.#setting.patienceMs): Promise<void> {
    const deadlineMs = performance.now() + Math.min(patienceMs, expected.withinMs ?? patienceMs);
    for (;;) {
      const faults = compare(expected, await this.#happened(expected));
      if (faults.length === 0) return;
      if (this.#lateError !== null) throw this.#lateError;
      if (performance.now() > deadlineMs) throw new ExpectationError(faults);
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** Waits until no request has come for a while. @throws if they go on. */
  async #quiet(): Promise<void> {
    const deadlineMs = performance.now() + this.#setting.patienceMs;
    for (let seen = -1; seen !== this.log.length; ) {
      if (performance.now() > deadlineMs) throw new Error('the client goes on sending requests');
      seen = this.log.length;
      await sleep(QUIET_MS);
    }
  }

  async #happened(expected: Expectation): Promise<Happened> {
    const text = JSON.stringify(expected);
    const list = async (kind: Kind) => (text.includes(kind) ? await this.#list(kind) : []);
    const [installs, opens, events, made] = await Promise.all([
      list('installs'),
      list('opens'),
      list('events'),
      list('made'),
    ]);
    const { links, corrections, conversions, log: messages } = this.#phone;
    const of = {
      links,
      corrections,
      conversions,
      messages,
      log: this.log,
      marks: this.#marks,
      named: this.#named,
    };
    return { installs, opens, events, made, ...of };
  }

  /** Reads a list only after new answers of the service, for the sake of its rate limits. */
  async #list(kind: Kind): Promise<readonly JsonObject[]> {
    const answers = this.log.filter(({ answeredAtMs }) => answeredAtMs !== null).length;
    const read = this.#read.get(kind);
    if (read?.answers === answers) return read.records;
    const records = await this.#tenant.list(kind, this.log);
    this.#read.set(kind, { answers, records });
    return records;
  }

  #link(name: string): Link {
    const link = this.#links.get(name);
    if (link !== undefined) return link;
    const { shortUrl: url, shortCode: code } = (this.#named[name] ?? {}) as Partial<Record<string, string>>;
    if (url === undefined || code === undefined) throw new Error(`the scenario has no link ${name}`);
    return { url, code, host: new URL(url).host };
  }
}

function isCommand(step: Step): step is CommandStep {
  return 'do' in step;
}

/** Of a network of its own, so that no scenario matches another's click or spends its limit. */
function anyAddress(): string {
  return `198.${18 + randomInt(2)}.${randomInt(256)}.${1 + randomInt(254)}`;
}
