/** Every operation of the OpenAPI document, so that tests cover new endpoints automatically. */
import { randomUUID } from 'node:crypto';
import { inlineSchemas } from '../../tools/inline-schemas.ts';
import { newUser, type TestUser } from './accounts.ts';
import type { Answer, TestApp, World } from './world.ts';

export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

export interface Operation {
  readonly method: Method;
  /** As in the document: `/v1/links/{shortCode}`. */
  readonly path: string;
  readonly body: Schema | null;
  readonly query: Readonly<Record<string, Schema>>;
  /** Of several kinds the first: a key before a session. */
  readonly caller: 'key' | 'session' | 'operator' | 'integration' | 'anybody';
  readonly acceptsSession: boolean;
  /** The least role of the session, and the kind of key, that the document names. */
  readonly role: string | undefined;
  readonly keyKind: string | undefined;
  /** Whether a session has to name an app. */
  readonly needsApp: boolean;
}

interface Described {
  readonly security?: readonly Record<string, readonly string[]>[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[];
}

/** Of the app of a `Caller`, for what other services send. */
export const AUTHORIZATION = 'Bearer of other services';

export function operationsOf(world: World): Operation[] {
  const { paths } = inlineSchemas(
    world.service.api.swagger() as { paths: Record<string, Record<string, Described>> },
  );
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, requestBody, parameters = [] }]) => ({
      method: method.toUpperCase() as Method,
      path,
      body: withoutItems(path, requestBody?.content['application/json']?.schema ?? null),
      query: Object.fromEntries(
        parameters.filter((one) => one.in === 'query').map(({ name, schema }) => [name, schema]),
      ),
      caller: callerOf(security),
      acceptsSession: security?.some((scheme) => 'session' in scheme) ?? false,
      role: security?.flatMap(({ session = [] }) => session)[0],
      keyKind: security?.flatMap(({ apiKey = [] }) => apiKey)[0],
      needsApp: !/^\/v1\/(sessions?|admin)(\/|$)/.test(path),
    })),
  );
}

function callerOf(security: Described['security']): Operation['caller'] {
  const isOpenTo = (scheme: string) => security?.some((one) => scheme in one) ?? false;
  if (isOpenTo('adminToken')) return 'operator';
  if (isOpenTo('apiKey')) return 'key';
  if (isOpenTo('authorization')) return 'integration';
  return isOpenTo('session') ? 'session' : 'anybody';
}

/** Their items are validated one by one: an invalid item is an outcome in a 200, not a 400. */
const BATCHES: ReadonlySet<string> = new Set([
  ...['/v1/sdk/events', '/v1/sdk/installs', '/v1/sdk/opens', '/v1/costs', '/v1/links/batch'],
]);

function withoutItems(path: string, body: Schema | null): Schema | null {
  if (body === null || !BATCHES.has(path)) return body;
  const fields = Object.entries(body.properties ?? {}).map(([name, field]) => [
    name,
    { ...field, ...(field.items !== undefined && { items: {} }) },
  ]);
  return { ...body, properties: Object.fromEntries(fields) };
}

/** Valid values of fields whose format the schema does not describe. */
const BY_NAME: Record<string, unknown> = {
  platform: 'IOS',
  proof: 'A'.repeat(22),
  ipAddress: '203.0.113.7',
  fallbackUrl: 'https://example.com/',
  iosDestination: 'https://apps.apple.com/app/id1',
  androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
  ogImage: 'https://example.com/card.png',
  iosAppStoreId: '1',
  amount: '19.99',
  currency: 'EUR',
  accentColor: '#16a34a',
  expiredUrl: 'https://example.com/over',
  passQuery: ['utm_*'],
  allowedHosts: ['www.example.com'],
  rootUrl: 'https://www.example.com/',
  notFoundUrl: 'https://www.example.com/lost',
  path: 'summer/sale',
  metaReferrerKey: 'ab'.repeat(32),
  type: 'segment',
  config: { writeKey: 'a-write-key' },
  eventNames: ['purchase'],
  mapping: { events: { purchase: 'Order Completed' }, fields: { userId: 'userId' } },
  rules: [{ when: { platform: 'IOS' }, then: { campaignId: 'autumn' } }],
  minAppVersion: { ios: '4.12', android: '17' },
  androidCertFingerprints: [Array.from({ length: 32 }, () => 'AB').join(':')],
};

/** A value that the schema accepts, with every optional field set. */
export function sampleOf(schema: Schema, name: string, given: Record<string, unknown> = {}): unknown {
  if (name in given) return given[name];
  if (name in BY_NAME) return BY_NAME[name];
  if (schema.enum !== undefined) return schema.enum[0];
  switch (typesOf(schema)[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, field]) => [key, sampleOf(field, key, given)]),
      );
    case 'array':
      if (schema.items?.type === undefined) return Array.from({ length: schema.minItems ?? 0 }, () => ({}));
      return [sampleOf(schema.items, name, given)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return sampleText(schema);
  }
}

function sampleText({ format }: Schema): string {
  if (format === 'uuid') return randomUUID();
  if (format === 'date-time') return '2026-01-02T03:04:05Z';
  return `Sample${randomUUID().slice(0, 8)}`;
}

export function typesOf({ type = [] }: Schema): readonly string[] {
  return typeof type === 'string' ? [type] : type;
}

/** Calls operations with a suitable key on records of one app. More than its limits permit need `liftRateLimits`. */
export class Caller {
  readonly #world: World;
  readonly app: TestApp;
  /** The records that the sample values name. */
  readonly given: Record<string, string>;
  readonly #user: TestUser;
  #calls = 0;

  private constructor(world: World, app: TestApp, given: Record<string, string>, user: TestUser) {
    this.#world = world;
    this.app = app;
    this.given = given;
    this.#user = user;
  }

  static async of(world: World): Promise<Caller> {
    const app = await world.newApp({ revenuecatAuthorization: AUTHORIZATION });
    const link = await world.newLink(app);
    const install = await world.install(app);
    const [key] = (await world.admin('GET', `/apps/${app.id}/keys`)).body as { id: string }[];
    const given = {
      appId: app.id,
      keyId: key?.id ?? '',
      linkCode: link.shortCode,
      installId: install.body.installId as string,
      apiKey: app.keys.live,
      revenuecatAuthorization: AUTHORIZATION,
    };
    return new Caller(world, app, given, await newUser(world, { appId: app.id }));
  }

  /** The path with the IDs of the sample records. */
  pathOf({ path }: Operation): string {
    return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(this.given[name === 'shortCode' ? 'linkCode' : name] ?? 'unknown'),
    );
  }

  /** A valid body with a new install: a retry would return the first response whatever the rest of the body. */
  sample({ body, path }: Operation): Record<string, unknown> {
    const given: Record<string, unknown> = { ...this.given, email: `${randomUUID()}@example.com` };
    if (path === '/v1/sdk/install') given.installId = randomUUID();
    // Fields that PATCH accepts with their present value only.
    if (path === '/v1/links/{shortCode}')
      Object.assign(given, { shortCode: this.given.linkCode, expiresAt: null });
    // Only for a rotated key, and within 90 days.
    if (path.includes('/keys/')) given.endsAt = undefined;
    return sampleOf(body ?? {}, 'body', given) as Record<string, unknown>;
  }

  async call(
    operation: Operation,
    request: { rawBody?: string | Buffer; headers?: Record<string, string>; path?: string } = {},
  ): Promise<Answer> {
    this.#calls += 1;
    const { path = this.pathOf(operation), rawBody, headers = {} } = request;
    const authorization = `Bearer ${this.#world.service.dataDir.adminToken}`;
    return await this.#world.call(operation.method, path, {
      ...(operation.caller === 'key' && { key: this.#keyOf(operation) }),
      headers: {
        ...(operation.caller === 'operator' && { authorization }),
        ...(operation.caller === 'integration' && { authorization: AUTHORIZATION }),
        ...(operation.caller === 'session' && { cookie: this.#user.cookie, 'x-app-id': this.app.id }),
        ...headers,
      },
      ...(rawBody !== undefined && { rawBody }),
      from: `10.${(this.#calls >> 16) & 255}.${(this.#calls >> 8) & 255}.${this.#calls & 255}`,
    });
  }

  /** A live key opens everything but what explains decisions to an app. */
  #keyOf({ path }: Operation): string {
    return path.endsWith('/explanation') ? this.app.keys.test : this.app.keys.live;
  }
}
