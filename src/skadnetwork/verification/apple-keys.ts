import { createPublicKey, type KeyObject } from 'node:crypto';

/** Apple's public keys of postbacks. */
export interface AppleKeys {
  /** SKAdNetwork 1.0 and 2.0; null if the runtime lacks the curve, as FIPS builds do. */
  readonly p192: () => KeyObject | null;
  /** SKAdNetwork 2.1 and later. */
  readonly p256: () => KeyObject;
  /** AdAttributionKit, by the `kid` of the JWS. */
  readonly byKid: ReadonlyMap<string, JwsKey>;
}

interface JwsKey {
  readonly key: KeyObject;
  /** A key of developer devices. */
  readonly isDevelopment: boolean;
}

/** developer.apple.com/documentation/storekit: skadnetwork-1-release-notes, skadnetwork-2-release-notes. */
const P192 =
  'MEkwEwYHKoZIzj0CAQYIKoZIzj0DAQEDMgAEMyHD625uvsmGq4C43cQ9BnfN2xslVT5V1nOmAMP6qaRRUll3PB1JYmgSm+62sosG';
/** developer.apple.com/documentation/storekit/verifying-an-install-validation-postback. */
const P256 =
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWdp8GPcGqmhgzEFj9Z2nSpQVddayaPe4FMzqM9wib1+aHaaIzoHoLN9zW4K8y4SPykE3YVK3sVqW6Af0lfx3gg==';
/** developer.apple.com/documentation/adattributionkit/verifying-a-postback. */
const DEVELOPMENT_0 =
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAELeEDzpJEP+/qRSE5hJVC1p1J0ssUnQGMzBBbvnACBok8OVGGLgxL0myrKiy6lvRtSlLRsWit87i+vftD8AEqeQ==';
const DEVELOPMENT_1 =
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8YzdO7eM97s/IJ25kdW5CZ3A14USE5IJ5Ha/vhWaxI6UBI1ZxCEvjrKxVluVGe6qWwF1BDFq+QHqKfH5u+wxHQ==';

export function publishedKeys(): AppleKeys {
  const p256 = publicKey(P256);
  let p192: KeyObject | null | undefined;
  return {
    p192() {
      if (p192 === undefined) p192 = publicKeyIfSupported(P192);
      return p192;
    },
    p256: () => p256,
    byKid: new Map([
      ['apple-cas-identifier/0', { key: p256, isDevelopment: false }],
      ['apple-development-identifier/0', { key: publicKey(DEVELOPMENT_0), isDevelopment: true }],
      ['apple-development-identifier/1', { key: publicKey(DEVELOPMENT_1), isDevelopment: true }],
    ]),
  };
}

/** @param spki DER, in base64. */
function publicKey(spki: string): KeyObject {
  return createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' });
}

function publicKeyIfSupported(spki: string): KeyObject | null {
  try {
    return publicKey(spki);
  } catch {
    return null;
  }
}
