import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { AppError } from '../errors.ts';

/** OWASP's parameters of 32 MiB a hash; https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
const COST = { log2N: 15, r: 8, p: 3 } as const;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** Hashes run on Node's four pool threads, which file and DNS calls share. */
const MAX_CONCURRENT = 2;
const MAX_WAITING = 40;

/** Hashes passwords off the event loop, two at a time. */
export interface Passwords {
  /** @throws AppError `server.busy` if too many hashes wait. */
  hash(password: string): Promise<string>;
  /** Takes the same time for an account without a password (null). @throws AppError `server.busy`. */
  isRight(password: string, stored: string | null): Promise<boolean>;
}

export function createPasswords(): Passwords {
  const run = limitConcurrency();
  // No password has this hash.
  const unknown = format(randomBytes(SALT_BYTES), randomBytes(KEY_BYTES));
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      return format(salt, await run(() => derive(password, salt, COST)));
    },
    async isRight(password, stored) {
      const { salt, key, cost } = parse(stored ?? unknown);
      return timingSafeEqual(await run(() => derive(password, salt, cost)), key);
    },
  };
}

interface Cost {
  readonly log2N: number;
  readonly r: number;
  readonly p: number;
}

/** The PHC string format, so that stored hashes outlive a change of `COST`. */
function format(salt: Buffer, key: Buffer): string {
  const { log2N, r, p } = COST;
  return `$scrypt$ln=${log2N},r=${r},p=${p}$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

const FORMAT = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/;

function parse(stored: string): { salt: Buffer; key: Buffer; cost: Cost } {
  const [, log2N, r, p, salt = '', key = ''] = FORMAT.exec(stored) ?? [];
  const cost = { log2N: Number(log2N), r: Number(r), p: Number(p) };
  return { salt: Buffer.from(salt, 'base64url'), key: Buffer.from(key, 'base64url'), cost };
}

function derive(password: string, salt: Buffer, { log2N, r, p }: Cost): Promise<Buffer> {
  const N = 2 ** log2N;
  // Keyboards compose the same character differently.
  const text = password.normalize('NFKC');
  return new Promise((resolve, reject) => {
    scrypt(text, salt, KEY_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

function limitConcurrency(): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (waiting.length >= MAX_WAITING)
      throw new AppError('server.busy', {
        message: 'Too many people sign in at once. Try again after Retry-After seconds.',
      });
    if (running >= MAX_CONCURRENT) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The place passes to the next in line.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
