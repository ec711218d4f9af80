/**
 * For `--import`: writes every name that this process or one of its threads looks up, and every address that it connects or
 * sends to, to the file in `CONNECTIONS`, a line each.
 */
import dgram from 'node:dgram';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const FILE = process.env.CONNECTIONS ?? '';

function record(what: string, target: unknown): void {
  appendFileSync(FILE, `${what} ${JSON.stringify(target)}\n`);
}

/** Records the arguments of calls by `describe` unless it says null, and passes them on. */
function watch(object: object, name: string, what: string, describe: (args: unknown[]) => unknown): void {
  const methods = object as Record<string, (...args: unknown[]) => unknown>;
  const original = methods[name];
  if (original === undefined) throw new Error(`there is no ${name}`);
  methods[name] = function (this: unknown, ...args) {
    const target = describe(args);
    if (target !== null) record(what, target);
    return original.apply(this, args);
  };
}

// Everything that connects by TCP, TLS or a local socket ends here: http, https, undici, pg, nodemailer.
watch(net.Socket.prototype, 'connect', 'connect', ([first, second]) => {
  const options = (Array.isArray(first) ? first[0] : first) as Record<string, unknown> | number | string;
  if (typeof options !== 'object') return { port: options, host: second };
  const { host, port, path } = options;
  return { host, port, path };
});
watch(dgram.Socket.prototype, 'send', 'send', (args) => args.filter((arg) => typeof arg !== 'object'));
watch(dgram.Socket.prototype, 'connect', 'connect udp', (args) => args.slice(0, 2));
// Of an address, as of `HOST`, nobody is asked.
for (const name of [
  'lookup',
  'resolve',
  'resolve4',
  'resolve6',
  'resolveTxt',
  'resolveSrv',
  'resolveCname',
  'reverse',
])
  for (const module of [dns, dns.promises])
    watch(module, name, 'look up', ([host]) => (net.isIP(String(host)) === 0 ? host : null));
syncBuiltinESMExports();
record('start', process.pid);
