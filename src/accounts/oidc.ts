import * as openid from 'openid-client';
import { SIGN_IN_MS } from '../auth/index.ts';
import type { Config } from '../config.ts';
import type { Foundation } from '../foundation.ts';
import { SECOND_MS } from '../lib/clock.ts';
import { toName, truncate } from '../lib/text.ts';

const TIMEOUT_MS = 10 * SECOND_MS;
/** Binds the encrypted state to its use. */
const FLOW_OWNER = 'oidc sign-in';

/** The state of a sign-in while the user is at the provider; the browser keeps it encrypted. */
interface Flow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly startedAtMs: number;
  /** The page of the console to go on to. */
  readonly next: string;
}

/** The user by the provider's word. */
export interface Identity {
  /** The issuer and its ID of the user. */
  readonly subject: string;
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly name: string | null;
}

/** The code flow of OpenID Connect with PKCE, state and nonce. */
export interface Oidc {
  /**
   * @param next the page of the console to go on to.
   * @returns the address at the provider, and the text that `finish` needs.
   * @throws if the provider does not answer.
   */
  begin(next: string): Promise<{ address: string; flow: string }>;
  /**
   * @param query of the return from the provider.
   * @param flow null if the browser has none.
   * @throws for a return that does not belong to the flow, and for a refusal or failure of the provider.
   */
  finish(query: string, flow: string | null): Promise<{ identity: Identity; next: string }>;
}

/** Null without `OIDC_ISSUER`. */
export function createOidc({
  config,
  secrets,
  clock,
}: Pick<Foundation, 'config' | 'secrets' | 'clock'>): Oidc | null {
  if (config.oidc === null) return null;
  const { issuer } = config.oidc;
  const provider = discoverOnce(config.oidc);
  const callback = `${config.publicUrl}/v1/session/oidc/callback`;

  return {
    async begin(next) {
      const flow: Flow = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
        startedAtMs: clock.nowMs(),
        next,
      };
      const address = openid.buildAuthorizationUrl(await provider(), {
        redirect_uri: callback,
        scope: 'openid email profile',
        code_challenge: await openid.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
        state: flow.state,
        nonce: flow.nonce,
      });
      return { address: address.href, flow: secrets.encrypt(JSON.stringify(flow), FLOW_OWNER) };
    },
    async finish(query, encrypted) {
      const text = encrypted === null ? null : secrets.decrypt(encrypted, FLOW_OWNER);
      if (text === null) throw new Error('The browser has begun no sign-in');
      const flow = JSON.parse(text) as Flow;
      if (clock.nowMs() - flow.startedAtMs > SIGN_IN_MS) throw new Error('The sign-in took too long');
      const server = await provider();
      const tokens = await openid.authorizationCodeGrant(server, new URL(`${callback}?${query}`), {
        pkceCodeVerifier: flow.verifier,
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        idTokenExpected: true,
      });
      return { identity: toIdentity(issuer, await claimsOf(server, tokens)), next: flow.next };
    },
  };
}

/** Asks the provider at the first use, and again after a failure. */
function discoverOnce({ issuer, clientId, clientSecret }: NonNullable<Config['oidc']>) {
  let found: Promise<openid.Configuration> | null = null;
  const discover = async () => {
    // On this machine alone, as the setting demands.
    const isPlain = issuer.toLowerCase().startsWith('http:');
    return await openid.discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: TIMEOUT_MS / SECOND_MS,
      ...(isPlain && { execute: [openid.allowInsecureRequests] }),
    });
  };
  return async () => {
    found ??= discover();
    try {
      return await found;
    } catch (error) {
      found = null;
      throw error;
    }
  };
}

interface Claims {
  readonly sub: string;
  readonly [name: string]: unknown;
}

/** Some providers put the email into the ID token, others into the user info only. */
async function claimsOf(
  server: openid.Configuration,
  tokens: Awaited<ReturnType<typeof openid.authorizationCodeGrant>>,
): Promise<Claims> {
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('The provider sent no ID token');
  if (claims.email !== undefined || server.serverMetadata().userinfo_endpoint === undefined) return claims;
  return { ...claims, ...(await openid.fetchUserInfo(server, tokens.access_token, claims.sub)) };
}

/** At most 255 ASCII characters (https://openid.net/specs/openid-connect-core-1_0.html#IDToken). */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;
const MAX_NAME_CHARACTERS = 255;

function toIdentity(issuer: string, claims: Claims): Identity {
  if (!SUBJECT.test(claims.sub))
    throw new Error('The provider sent a sub that is not 1 to 255 characters of ASCII');
  const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : null);
  const name = text(claims.name);
  return {
    subject: `${issuer} ${claims.sub}`,
    email: text(claims.email),
    isEmailVerified: claims.email_verified === true,
    name: name === null ? null : truncate(toName(name), MAX_NAME_CHARACTERS).toWellFormed() || null,
  };
}
