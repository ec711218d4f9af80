import type { NetConnectOpts } from 'node:net';
import { connect } from 'node:tls';
import { SECOND_MS } from '../clock.ts';
import { failureOf, OutgoingError } from './failure.ts';
import { vettedLookup } from './lookup.ts';
import { type Networks, refusalOf } from './target.ts';

const TIMEOUT_MS = 10 * SECOND_MS;

/** The certificate that a server shows to a client which names the host, and what a strict client says of it. */
export interface ServedCertificate {
  readonly validFromMs: number;
  readonly validToMs: number;
  /** Whether it names the host. */
  readonly isForHost: boolean;
  /** Of the verification, such as `UNABLE_TO_VERIFY_LEAF_SIGNATURE`; null if it is trusted. */
  readonly fault: string | null;
  /** The organisation or name of its issuer. */
  readonly issuer: string;
}

interface Options {
  /** Networks that are allowed although not public. */
  readonly allowed: Networks;
  readonly signal: AbortSignal;
  /** In place of Node's, in tests. */
  readonly authorities?: readonly string[] | undefined;
}

/** Like a phone that fetches no missing certificate. @throws OutgoingError if there is no handshake. */
export async function readCertificate(
  url: string,
  { allowed, authorities, signal }: Options,
): Promise<ServedCertificate> {
  const refusal = refusalOf(url, allowed);
  if (refusal !== null) throw new OutgoingError('refused_target', `The address ${refusal}.`);
  const { hostname, port } = new URL(url);
  // Node's type of `connect` omits what it passes on to `net.connect`.
  const trying: NetConnectOpts = { port: port === '' ? 443 : Number(port), autoSelectFamily: true };
  const { promise, resolve, reject } = Promise.withResolvers<ServedCertificate>();
  const socket = connect({
    host: hostname,
    ...trying,
    servername: hostname,
    lookup: vettedLookup(allowed),
    ALPNProtocols: ['http/1.1'],
    // The certificate is read whatever it is like; nothing is sent.
    rejectUnauthorized: false,
    ...(authorities !== undefined && { ca: [...authorities] }),
  });
  socket.setTimeout(TIMEOUT_MS, () =>
    reject(new OutgoingError('timeout', `No TLS handshake within ${TIMEOUT_MS / SECOND_MS} s.`)),
  );
  socket.on('error', (error) => reject(failureOf(error)));
  socket.on('close', () => reject(new OutgoingError('connection', 'The connection was closed.')));
  socket.on('secureConnect', () => {
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) return reject(new OutgoingError('tls', 'There is no certificate.'));
    // Node's type says Error, and Node gives a code.
    const fault = socket.authorized ? null : String((socket.authorizationError as unknown) ?? 'unknown');
    resolve({
      validFromMs: certificate.validFromDate.getTime(),
      validToMs: certificate.validToDate.getTime(),
      isForHost: certificate.checkHost(hostname) !== undefined,
      fault,
      issuer: issuerOf(certificate.issuer),
    });
  });
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  return await promise.finally(() => {
    signal.removeEventListener('abort', abort);
    socket.destroy();
  });
}

const MAX_ISSUER_CHARACTERS = 128;

/** @param distinguished `C=US\nO=Let's Encrypt\nCN=E7`. */
function issuerOf(distinguished: string): string {
  const partOf = (field: string) => new RegExp(`^${field}=(.*)$`, 'm').exec(distinguished ?? '')?.[1];
  const name = partOf('O') ?? partOf('CN') ?? '';
  return name.replaceAll(/\p{Cc}+/gu, ' ').slice(0, MAX_ISSUER_CHARACTERS);
}
