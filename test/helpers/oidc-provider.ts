/** An OpenID Connect provider in the test's process, at which every sign-in succeeds as a chosen person. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

const CLIENT = { client_id: 'throughline', client_secret: 'a client secret for tests' };

export interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

export class TestProvider {
  readonly #server: Server;
  readonly issuer: string;
  person: Person = { sub: 'nobody' };

  private constructor(server: Server, redirectUri: string) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const provider = new Provider(this.issuer, {
      clients: [{ ...CLIENT, redirect_uris: [redirectUri] }],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      features: { devInteractions: { enabled: false } },
      findAccount: (_context, sub) => ({ accountId: sub, claims: async () => ({ ...this.person, sub }) }),
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({
          clientId: CLIENT.client_id,
          accountId: oidc.session?.accountId ?? '',
        });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
      pkce: { required: () => true },
    });
    const answer = provider.callback();
    server.on('request', (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return void answer(request, response);
      const login = { accountId: this.person.sub };
      provider.interactionFinished(request, response, { login }).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
    });
  }

  static async start(redirectUri: string): Promise<TestProvider> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TestProvider(server, redirectUri);
  }

  get env(): Record<string, string> {
    return {
      OIDC_ISSUER: this.issuer,
      OIDC_CLIENT_ID: CLIENT.client_id,
      OIDC_CLIENT_SECRET: CLIENT.client_secret,
    };
  }

  /** Signs in as `person` in a new browser. @returns the address to which the provider leads back. */
  async signIn(address: string, person: Person): Promise<URL> {
    this.person = person;
    const cookies = new Map<string, string>();
    let url = new URL(address);
    for (let step = 0; step < 10 && url.origin === this.issuer; step++) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${response.status} ${await response.text()}`);
      url = new URL(location, url);
    }
    return url;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
