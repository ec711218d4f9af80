import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:net';
import { after, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import pino from 'pino';
import { certify } from '../../../test/helpers/certify.ts';
import { MailServer } from '../../../test/helpers/mail-server.ts';
import { createMailer, type Mail } from './mailer.ts';
import { readMailSettings } from './settings.ts';

const MAIL: Mail = {
  to: 'ada@example.com',
  subject: 'Hello',
  text: 'The token',
  html: '<p>The token</p>',
};
const PASSWORD = 'hidden-word';
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const cert = certify(keys.privateKey, keys.publicKey, 'localhost', '20200101', '20490101');

describe('mail', () => {
  const servers: MailServer[] = [];
  after(() => Promise.all(servers.map((server) => server.stop())));
  const start = async (options: ConstructorParameters<typeof MailServer>[0] = {}) => {
    const server = new MailServer(options);
    servers.push(server);
    return { server, port: await server.start() };
  };
  const send = async (url: string, mail = MAIL, timeoutMs = 5_000) => {
    const lines: string[] = [];
    const settings = readMailSettings(url, 'Our links <links@example.com>');
    assert.ok(settings);
    const log = pino({ base: null }, { write: (line: string) => lines.push(line) });
    const accepted = await createMailer(settings, { log, timeoutMs }).send(mail);
    return { accepted, logged: lines.join('') };
  };
  const passwords: string[] = [];
  const withLogin: ConstructorParameters<typeof MailServer>[0] = {
    disabledCommands: [],
    authOptional: false,
    onAuth: ({ username, password }, _session, done) => {
      passwords.push(password ?? '');
      if (username === 'jo@x' && password === PASSWORD) done(null, { user: username });
      else done(new Error(`No: ${username} ${password}`));
    },
  };

  it('reaches its recipient from the sender, as text and HTML', async () => {
    const { server, port } = await start();
    assert.deepEqual(await send(`smtp://127.0.0.1:${port}`), { accepted: true, logged: '' });
    const [mail] = server.mails;
    assert.ok(mail);
    assert.deepEqual([mail.from, mail.to], ['links@example.com', [MAIL.to]]);
    assert.ok(mail.headers.includes('From: Our links <links@example.com>'));
    assert.deepEqual([mail.text.trim(), mail.html.trim()], [MAIL.text, MAIL.html]);
  });

  it('an address with commas is one recipient', async () => {
    const { server, port } = await start();
    const to = 'ada,eve@example.com';
    await send(`smtp://127.0.0.1:${port}`, { ...MAIL, to });
    assert.ok(server.mails.every((mail) => mail.to.length === 1 && mail.to[0] !== 'eve@example.com'));
  });

  it('logs in over TLS, to a server with a trusted certificate only', async () => {
    const { server, port } = await start({ ...withLogin, secure: true, key, cert });
    const url = `smtps://jo%40x:${PASSWORD}@localhost:${port}`;
    const untrusted = await send(url);
    assert.deepEqual([untrusted.accepted, passwords.length], [false, 0]);
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, cert]);
    try {
      assert.deepEqual(await send(url), { accepted: true, logged: '' });
      const wrong = await send(url.replace(PASSWORD, 'wrong-word'));
      assert.equal(wrong.accepted, false);
      assert.match(wrong.logged, /"code":"EAUTH","responseCode":535/);
      assert.doesNotMatch(wrong.logged, /wrong-word|jo@x|jo%40x|example\.com/);
    } finally {
      setDefaultCACertificates(trusted);
    }
    assert.equal(server.mails.length, 1);
  });

  it('sends no password where the server has no STARTTLS', async () => {
    passwords.length = 0;
    const options = { ...withLogin, disabledCommands: ['STARTTLS'], allowInsecureAuth: true };
    const { port } = await start(options);
    const { accepted, logged } = await send(`smtp://jo%40x:${PASSWORD}@127.0.0.1:${port}`);
    assert.deepEqual([accepted, passwords], [false, []]);
    assert.match(logged, /"code":"ETLS"/);
  });

  it('a refused recipient is reported without the address', async () => {
    const { port } = await start({
      onRcptTo: ({ address }, _session, done) => done(new Error(`No mailbox ${address} The token`)),
    });
    const { accepted, logged } = await send(`smtp://127.0.0.1:${port}`);
    assert.equal(accepted, false);
    assert.match(logged, /"responseCode":550/);
    assert.doesNotMatch(logged, /ada|token/);
  });

  it('a server that is away or silent is given up in time', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined).resume());
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
    const { port } = silent.address() as { port: number };
    const closed = new Promise((resolve) => silent.on('connection', (socket) => socket.on('close', resolve)));
    const startMs = performance.now();
    const { accepted, logged } = await send(`smtp://127.0.0.1:${port}`, MAIL, 200);
    assert.equal(accepted, false);
    assert.ok(performance.now() - startMs < 2_000);
    assert.match(logged, /"code":"EABORT"/);
    await closed;
    await new Promise((done) => silent.close(done));
    assert.match((await send(`smtp://127.0.0.1:${port}`)).logged, /"code":"E(SOCKET|CONNECTION)"/);
  });
});
