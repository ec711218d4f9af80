import { DAY_MS } from '../../lib/clock.ts';
import type { ServedCertificate } from '../../lib/outgoing/index.ts';
import { type Outcome, ok, problem } from '../host.ts';

/** Certificates of 90 days are renewed 30 days before their end. */
const EXPIRING_DAYS = 14;
/** Of the lifetime of a short one. */
const EXPIRING_SHARE = 0.2;

const RENEW = 'Renew it, and look why what renews it does not: Caddy and certbot log that.';

/** As a phone that fetches no missing certificate sees it. */
export function judgeCertificate(certificate: ServedCertificate, nowMs: number): Outcome {
  const { validFromMs, validToMs, isForHost, fault, issuer } = certificate;
  if (validToMs <= nowMs) return problem('The certificate has expired.', RENEW);
  if (validFromMs > nowMs)
    return problem(
      'The certificate is not valid yet.',
      'Correct the clock of this machine, or wait for the certificate’s first day.',
    );
  if (!isForHost)
    return problem(
      'The certificate is for another name.',
      'Get one that names the host, and let the proxy serve it for that name.',
    );
  if (fault !== null) return judgeFault(fault);
  const days = daysLeft(validToMs, nowMs);
  const threshold = Math.min(EXPIRING_DAYS, ((validToMs - validFromMs) / DAY_MS) * EXPIRING_SHARE);
  const ends = days === 0 ? 'ends within a day' : `ends in ${days === 1 ? '1 day' : `${days} days`}`;
  if ((validToMs - nowMs) / DAY_MS < threshold) return problem(`The certificate ${ends}.`, RENEW);
  return ok(`The certificate${issuer === '' ? '' : ` by ${issuer}`} ${ends}.`);
}

/** Whole days; negative after its end. */
export function daysLeft(endsAtMs: number, nowMs: number): number {
  return Math.floor((endsAtMs - nowMs) / DAY_MS);
}

const SELF_SIGNED = new Set(['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN']);
const INCOMPLETE = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

function judgeFault(fault: string): Outcome {
  if (SELF_SIGNED.has(fault))
    return problem(
      'The certificate is self-signed: phones do not trust it.',
      'Get one from a public authority, such as Let’s Encrypt.',
    );
  if (INCOMPLETE.has(fault))
    return problem(
      'The server omits an intermediate certificate, or the issuer is not a public authority. Some phones refuse it.',
      'Serve the whole chain (fullchain.pem), or get a certificate from a public authority.',
    );
  const code = /^[A-Z_]{1,64}$/.test(fault) ? ` (${fault})` : '';
  return problem(`Phones do not trust the certificate${code}.`, 'Get one from a public authority.');
}
