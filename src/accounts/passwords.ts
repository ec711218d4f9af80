import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { createHashTurns, type Turn } from './hash-turns.ts';

/** OWASP's parameters of 32 MiB a hash; https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
const COST = { log2N: 15, r: 8, p: 3 } as const;
const KEY_BYTES = 32;
const SALT_BYTES = 16;

/** Hashes passwords off the event loop, two at a time, each caller in turn. */
export interface Passwords {
  /** @throws AppError `server.busy` if too many hashes wait. */
  hash(password: string, turn: Turn): Promise<string>;
  /** Takes the same time for an account without a password (null). @throws AppError `server.busy`. */
  isRight(password: string, stored: string | null, turn: Turn): Promise<boolean>;
}

/** @param cost of new hashes; stored ones name their own. */
export function createPasswords(cost: PasswordCost = COST): Passwords {
  const turns = createHashTurns();
  // No password has this hash.
  const unknown = format(cost, randomBytes(SALT_BYTES), randomBytes(KEY_BYTES));
  return {
    async hash(password, turn) {
      const salt = randomBytes(SALT_BYTES);
      return format(cost, salt, await turns.run(turn, () => derive(password, salt, cost)));
    },
    async isRight(password, stored, turn) {
      const { salt, key, cost: own } = parse(stored ?? unknown);
      return timingSafeEqual(await turns.run(turn, () => derive(password, salt, own)), key);
    },
  };
}

/** Of scrypt. */
export interface PasswordCost {
  readonly log2N: number;
  readonly r: number;
  readonly p: number;
}

/** The PHC string format, so that stored hashes outlive a change of the cost. */
function format({ log2N, r, p }: PasswordCost, salt: Buffer, key: Buffer): string {
  return `$scrypt$ln=${log2N},r=${r},p=${p}$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

const FORMAT = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/;

function parse(stored: string): { salt: Buffer; key: Buffer; cost: PasswordCost } {
  const [, log2N, r, p, salt = '', key = ''] = FORMAT.exec(stored) ?? [];
  const cost = { log2N: Number(log2N), r: Number(r), p: Number(p) };
  return { salt: Buffer.from(salt, 'base64url'), key: Buffer.from(key, 'base64url'), cost };
}

function derive(password: string, salt: Buffer, { log2N, r, p }: PasswordCost): Promise<Buffer> {
  const N = 2 ** log2N;
  // Keyboards compose the same character differently.
  const text = password.normalize('NFKC');
  return new Promise((resolve, reject) => {
    scrypt(text, salt, KEY_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
