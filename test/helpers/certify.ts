import { type KeyObject, sign } from 'node:crypto';

/** A self-signed X.509 certificate in PEM, which Node cannot create; dates are `YYYYMMDD`. */
export function certify(
  privateKey: KeyObject,
  publicKey: KeyObject,
  name: string,
  from: string,
  until: string,
): string {
  const ecdsaWithSha256 = sequence(Buffer.from('06082a8648ce3d040302', 'hex'));
  const commonName = sequence(Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from(name)));
  const subject = sequence(der(0x31, commonName));
  const days = [from, until].map((day) => der(0x18, Buffer.from(`${day}000000Z`)));
  const altName = sequence(der(0x82, Buffer.from(name)));
  const extension = sequence(Buffer.from('0603551d11', 'hex'), der(0x04, altName));
  const certificate = sequence(
    der(0xa0, Buffer.from('020102', 'hex')),
    Buffer.from('020101', 'hex'),
    ecdsaWithSha256,
    subject,
    sequence(...days),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  );
  const signature = sign('sha256', certificate, privateKey);
  const signed = sequence(certificate, ecdsaWithSha256, der(0x03, Buffer.concat([Buffer.of(0), signature])));
  return `-----BEGIN CERTIFICATE-----\n${signed.toString('base64')}\n-----END CERTIFICATE-----\n`;
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}
