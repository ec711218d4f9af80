/** A collector of OpenTelemetry: a real server that decodes what OTLP sends as protobuf. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2 is an error. */
  readonly status: number;
  /** Of what the span is part of. */
  readonly resource: Readonly<Record<string, unknown>>;
}

type Mood = 'takes' | 'refuses' | 'hangs';

export class Collector {
  readonly spans: CollectedSpan[] = [];
  /** The bodies, for what must not be in them. */
  readonly bodies: Buffer[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  readonly paths: string[] = [];
  mood: Mood = 'takes';
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.paths.push(request.url ?? '');
      if (this.mood === 'hangs') return;
      if (this.mood === 'refuses') {
        response.writeHead(400).end();
        return;
      }
      const raw = Buffer.concat(chunks);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
      this.headers.push(request.headers);
      this.bodies.push(body);
      this.spans.push(...decodeSpans(body));
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });

  async open(): Promise<string> {
    await new Promise<void>((listening) => this.#server.listen(0, '127.0.0.1', listening));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}

/** Of a message: each field's values by its number; numbers as bigint, the rest as bytes. */
type Fields = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

function fieldsOf(bytes: Buffer): Fields {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const varint = () => {
    let [value, shift] = [0n, 0n];
    for (;;) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
      shift += 7n;
    }
  };
  const take = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const value = readValue(tag & 7, { varint, take });
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

function readValue(
  wireType: number,
  { varint, take }: { varint: () => bigint; take: (length: number) => Buffer },
): bigint | Buffer {
  if (wireType === 0) return varint();
  if (wireType === 1) return take(8).readBigUInt64LE();
  if (wireType === 2) return take(Number(varint()));
  if (wireType === 5) return BigInt(take(4).readUInt32LE());
  throw new Error(`protobuf has no wire type ${wireType}`);
}

function messages(fields: Fields, number: number): Buffer[] {
  return (fields.get(number) ?? []).filter((value): value is Buffer => typeof value !== 'bigint');
}

function bytesOf(fields: Fields, number: number): Buffer {
  return messages(fields, number)[0] ?? Buffer.alloc(0);
}

function numberOf(fields: Fields, number: number): bigint {
  const value = fields.get(number)?.[0];
  return typeof value === 'bigint' ? value : 0n;
}

/** `opentelemetry/proto/trace/v1/trace.proto`. */
function decodeSpans(body: Buffer): CollectedSpan[] {
  return messages(fieldsOf(body), 1).flatMap((resourceSpans) => {
    const ofResource = fieldsOf(resourceSpans);
    const resource = attributesOf(fieldsOf(bytesOf(ofResource, 1)), 1);
    return messages(ofResource, 2).flatMap((scopeSpans) =>
      messages(fieldsOf(scopeSpans), 2).map((span) => ({ ...decodeSpan(fieldsOf(span)), resource })),
    );
  });
}

function decodeSpan(span: Fields): Omit<CollectedSpan, 'resource'> {
  return {
    traceId: bytesOf(span, 1).toString('hex'),
    spanId: bytesOf(span, 2).toString('hex'),
    parentId: bytesOf(span, 4).toString('hex'),
    name: bytesOf(span, 5).toString(),
    kind: Number(numberOf(span, 6)),
    startNs: numberOf(span, 7),
    endNs: numberOf(span, 8),
    attributes: attributesOf(span, 9),
    status: Number(numberOf(fieldsOf(bytesOf(span, 15)), 3)),
  };
}

function attributesOf(fields: Fields, number: number): Record<string, unknown> {
  return Object.fromEntries(
    messages(fields, number).map((pair) => {
      const { 0: key, 1: value } = [bytesOf(fieldsOf(pair), 1), fieldsOf(bytesOf(fieldsOf(pair), 2))];
      return [key?.toString(), anyValueOf(value as Fields)];
    }),
  );
}

function anyValueOf(value: Fields): unknown {
  if (value.has(1)) return bytesOf(value, 1).toString();
  if (value.has(2)) return numberOf(value, 2) === 1n;
  return value.has(3) ? Number(numberOf(value, 3)) : null;
}
