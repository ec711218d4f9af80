/** Invitations by mail, to a real mail server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pino from 'pino';
import { callAs, newUser, PASSWORD } from '../../helpers/accounts.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { MailServer, type ReceivedMail } from '../../helpers/mail-server.ts';
import { freshAddress, World } from '../../helpers/world.ts';

const NAME = 'Shoes & <b>"Bags"</b> Bcc: eve@example.com free <script>alert(1)</script>';

for (const engine of neutralEngines)
  describe(`invitations by mail on ${engine}`, () => {
    let server: MailServer;
    let world: World;
    const log: string[] = [];
    before(async () => {
      server = new MailServer({
        onRcptTo: ({ address }, _session, done) =>
          done(address.startsWith('refused') ? new Error(`No mailbox ${address}`) : null),
      });
      const env = {
        SMTP_URL: `smtp://127.0.0.1:${await server.start()}`,
        MAIL_FROM: 'Our links <links@example.com>',
      };
      const stream = { write: (line: string) => log.push(line) };
      world = new World(engine, env, { log: pino({ base: null }, stream) });
      await world.open();
    });
    after(async () => {
      await world.remove();
      await server.stop();
    });

    const invite = async (email: string, name = 'Shoe shop') => {
      const app = await world.newApp({ name });
      const owner = await newUser(world, { appId: app.id });
      const body = { email, role: 'editor' };
      const answer = await callAs(world, owner, 'POST', '/v1/invitations', { appId: app.id, body });
      assert.equal(answer.status, 201, answer.text);
      const mail = server.mails.find(({ to }) => to.includes(email.toLowerCase()));
      return { ...answer.body, owner, mail } as {
        readonly url: string;
        readonly mailed: boolean;
        readonly expiresAt: string;
        readonly owner: { readonly email: string };
        readonly mail: ReceivedMail | undefined;
      };
    };
    const join = (url: string) =>
      world.call('POST', '/v1/invitations/accept', {
        body: { token: url.split('#')[1], name: 'Grace', password: PASSWORD },
        from: freshAddress(),
      });

    it('have the app, the role, the member who invites, the address and its end, as text and HTML', async () => {
      const { mailed, mail, owner, expiresAt } = await invite('Grace@example.com');
      const [url = ''] = mail?.text.match(/http\S+/) ?? [];
      assert.equal(mailed, true);
      assert.deepEqual(mail?.to, ['grace@example.com']);
      assert.ok(mail.headers.includes('Subject: Invitation to Shoe shop'));
      const [year, , day] = expiresAt.slice(0, 10).split('-').map(Number);
      for (const part of [mail.text, mail.html])
        for (const expected of [
          owner.email,
          'Shoe shop',
          'as an editor',
          url,
          `${day} `,
          `${year}`,
          `${expiresAt.slice(11, 16)} UTC`,
        ])
          assert.ok(part.includes(expected), `${expected} in ${part}`);
      assert.equal((await join(url)).status, 200);
    });

    it('keep the direction of their text, whatever email the inviter has', async () => {
      const app = await world.newApp();
      const owner = await newUser(world, { appId: app.id });
      const email = `mail\u202e@${app.id}.example.com`;
      await world.service.db.updateTable('users').set({ email }).where('id', '=', owner.id).execute();
      const body = { email: 'direction@example.com', role: 'viewer' };
      await callAs(world, owner, 'POST', '/v1/invitations', { appId: app.id, body });
      const mail = server.mails.find(({ to }) => to.includes(body.email));
      for (const part of [mail?.text, mail?.html]) {
        assert.match(part ?? '', new RegExp(`mail@${app.id}`));
        assert.doesNotMatch(part ?? '', /\u202e/);
      }
    });

    it('keep an app’s name text, in headers and HTML', async () => {
      const { mailed, mail } = await invite('markup@example.com', NAME);
      assert.equal(mailed, true);
      assert.deepEqual(mail?.to, ['markup@example.com']);
      assert.deepEqual(
        mail.headers
          .filter((line) => /^(to|cc|bcc|from|subject):/i.test(line))
          .map((line) => line.slice(0, 9)),
        ['From: Our', 'To: marku', 'Subject: '],
      );
      assert.ok(mail.text.includes(`“${NAME}”`), mail.text);
      assert.doesNotMatch(mail.html, /<script|<b>"/);
      assert.ok(mail.html.includes('&#60;script&#62;'), mail.html);
    });

    it('go to one address five times an hour, whoever invites; then the address is for the inviter to pass on', async () => {
      const email = 'popular@example.com';
      const mailed = [];
      for (let number = 0; number < 6; number++) mailed.push((await invite(email)).mailed);
      assert.deepEqual(mailed, [true, true, true, true, true, false]);
      const late = await invite(email);
      assert.equal((await join(late.url)).status, 200);
      assert.equal((await invite('unpopular@example.com')).mailed, true);
    });

    it('hold although the mail server refuses the mail; the log has neither address nor token', async () => {
      log.length = 0;
      const { url, mailed } = await invite('refused@example.com');
      assert.equal(mailed, false);
      assert.match(log.join(''), /The mail server did not accept a mail/);
      assert.doesNotMatch(log.join(''), new RegExp(`refused|${url.split('#')[1]}`));
      assert.equal((await join(url)).status, 200);
    });
  });
