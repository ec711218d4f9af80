/**
 * What a look at a host asks. `StandInApple` and `StandInGoogle` are made from public reports of Apple's copies (200 with the
 * file; 404 with `Apple-Failure-Reason`) and from Google's reference of `statements.list`. They were not compared with the
 * servers themselves.
 */
import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { certify } from './certify.ts';
import { StandIn, type StandInAnswer, type StandInRequest } from './stand-in.ts';
import type { World } from './world.ts';

/** Answers only with what it was given. */
class StandInFiles extends StandIn {
  readonly files = new Map<string, StandInAnswer | 'never'>();

  protected override answer({ path }: StandInRequest): StandInAnswer | 'never' {
    return this.files.get(path) ?? { status: 404, body: 'Not Found' };
  }
}

/** Apple's copies of association files. */
export class StandInApple extends StandInFiles {
  get url(): string {
    return `${this.baseUrl}/a/v1/`;
  }

  has(host: string, body: unknown): void {
    this.files.set(`/a/v1/${host}`, { status: 200, body });
  }

  lacks(host: string, reason: string): void {
    const headers = { 'apple-failure-reason': reason, 'cache-control': 'max-age=3600,public' };
    this.files.set(`/a/v1/${host}`, { status: 404, headers, body: 'Not Found' });
  }
}

/** Google's Digital Asset Links API, which reads the file of a host as it is given here. */
export class StandInGoogle extends StandIn {
  readonly files = new Map<string, string>();

  get url(): string {
    return `${this.baseUrl}/v1/`;
  }

  protected override answer({ path, query }: StandInRequest): StandInAnswer {
    const site = query.get('source.web.site') ?? '';
    if (path !== '/v1/statements:list' || !site.startsWith('https://')) return { status: 400, body: {} };
    const file = JSON.parse(this.files.get(new URL(site).hostname) ?? '[]') as {
      target: { package_name: string; sha256_cert_fingerprints: string[] };
    }[];
    const statements = file.flatMap(({ target }) =>
      target.sha256_cert_fingerprints.map((sha256Fingerprint) => ({
        source: { web: { site: `${site}.` } },
        relation: query.get('relation'),
        target: { androidApp: { packageName: target.package_name, certificate: { sha256Fingerprint } } },
      })),
    );
    return { status: 200, body: { statements, maxAge: '599.999s', debugString: '' } };
  }
}

/** A server of block lists, with ETags. */
export class StandInLists extends StandIn {
  readonly lists = new Map<string, string>();

  protected override answer({ path, headers }: StandInRequest): StandInAnswer {
    if (path.startsWith('/moved')) return { status: 302, headers: { location: path.slice(6) }, body: '' };
    const list = this.lists.get(path);
    if (list === undefined) return { status: 404, body: '' };
    const etag = `"${Buffer.from(list).toString('base64url').slice(0, 40)}"`;
    if (headers['if-none-match'] === etag) return { status: 304, body: '' };
    return { status: 200, headers: { etag, 'content-type': 'text/plain' }, body: list };
  }
}

export type FrontAnswer = {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
};

/** The proxy in front of the service, with a certificate for each host. */
export class Front {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #contexts = new Map<string, SecureContext>();
  readonly authorities: string[] = [];
  /** Answers in place of the service, by host. */
  readonly elsewhere = new Map<string, (path: string) => FrontAnswer | null>();
  readonly requests: string[] = [];
  world: World | undefined;
  readonly #server: Server;

  constructor() {
    this.#server = createServer(
      { SNICallback: (name, done) => done(null, this.#contexts.get(name)) },
      (request, response) => void this.#answer(request, response),
    );
  }

  /** A trusted one, unless it is not to be. */
  certify(
    host: string,
    {
      name = host,
      from = '20260101',
      until = '20490101',
      isTrusted = true,
    }: {
      readonly name?: string;
      readonly from?: string;
      readonly until?: string;
      readonly isTrusted?: boolean;
    } = {},
  ): void {
    const { privateKey, publicKey } = this.#keys;
    const cert = certify(privateKey, publicKey, name, from, until);
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
    this.#contexts.set(host, createSecureContext({ key, cert }));
    if (isTrusted) this.authorities.push(cert);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer({ url = '/', headers: { host = '' } }: IncomingMessage, response: ServerResponse) {
    const name = host.replace(/:\d+$/, '');
    this.requests.push(`${name}${url.replace(/nonce=\w+/, 'nonce')}`);
    const other = this.elsewhere.get(name)?.(url);
    if (other != null) return response.writeHead(other.status, other.headers).end(other.body);
    const answer = await this.world?.call('GET', url, { headers: { host } });
    const type = String(answer?.headers['content-type'] ?? '');
    return response.writeHead(answer?.status ?? 502, { 'content-type': type }).end(answer?.text ?? '');
  }
}
