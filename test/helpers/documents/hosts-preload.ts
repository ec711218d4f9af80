/**
 * For `--import`: every name is at the port `WEB_PORT` of this machine, and the address that the guide has for a proxy at
 * `PROXY_PORT`.
 */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const { WEB_PORT, PROXY_PORT } = process.env;
const PROXY = '203.0.113.7';
const HTTPS = 443;

const resolved = [{ address: '127.0.0.1', family: 4 }];
dns.promises.lookup = (async () => resolved) as unknown as typeof dns.promises.lookup;

const connect = net.Socket.prototype.connect as (this: net.Socket, ...args: unknown[]) => net.Socket;
net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
  const [options] = args.flat() as [{ port?: number | string; host?: string }];
  if (Number(options.port) === HTTPS) {
    options.port = options.host === PROXY ? PROXY_PORT : WEB_PORT;
    if (options.host === PROXY) options.host = '127.0.0.1';
  }
  return connect.apply(this, args);
} as typeof net.Socket.prototype.connect;
syncBuiltinESMExports();
