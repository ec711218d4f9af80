import { StartError } from '../errors.ts';
import { withAdmin } from './admin-client.ts';
import { readArguments, usageError } from './arguments.ts';
import { printJson } from './output.ts';

const USAGES = {
  setup: 'throughline users setup',
  list: 'throughline users list',
  disable: 'throughline users disable EMAIL',
  enable: 'throughline users enable EMAIL',
  remove: 'throughline users remove EMAIL',
};

export const USERS_USAGE = `${USAGES.setup}
                       print a one-time address for the console, at which an operator is made
${USAGES.list}
${USAGES.disable}
                       end the sessions of a user, who cannot sign in until enabled again
${USAGES.enable}
${USAGES.remove}
                       delete a user with the memberships; keys that the user made stay`;

interface User {
  readonly id: string;
  readonly email: string;
}

type Call = Parameters<Parameters<typeof withAdmin>[0]>[0];

const verbs: Record<string, (args: readonly string[]) => Promise<void>> = {
  async setup(args) {
    readArguments(USAGES.setup, args, []);
    const { url } = (await withAdmin((call) => call('POST', '/users/setup'))) as { url: string };
    process.stdout.write(`Open this address once, within 7 days:\n\n${url}\n`);
  },
  async list(args) {
    readArguments(USAGES.list, args, []);
    printJson(await withAdmin((call) => call('GET', '/users')));
  },
  async disable(args) {
    const { email } = await ofUser(USAGES.disable, args, (call, { id }) =>
      call('PATCH', `/users/${id}`, { isDisabled: true }),
    );
    process.stdout.write(`Disabled ${email}. The sessions have ended; keys that the user made stay valid.\n`);
  },
  async enable(args) {
    const { email } = await ofUser(USAGES.enable, args, (call, { id }) =>
      call('PATCH', `/users/${id}`, { isDisabled: false }),
    );
    process.stdout.write(`Enabled ${email}.\n`);
  },
  async remove(args) {
    const { email } = await ofUser(USAGES.remove, args, (call, { id }) => call('DELETE', `/users/${id}`));
    process.stdout.write(`Removed ${email}. Keys that the user made stay valid.\n`);
  },
};

/** Lists, disables and removes users; prints an address of the set-up, and the one before becomes invalid. */
export async function users([name = '', ...args]: readonly string[]): Promise<void> {
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb === undefined) throw new StartError(`Usage:\n\n${USERS_USAGE}`);
  await verb(args);
}

/** Finds the user by email, or by ID. */
async function ofUser(
  usage: string,
  args: readonly string[],
  change: (call: Call, user: User) => Promise<unknown>,
): Promise<User> {
  const [given = ''] = readArguments(usage, args, ['EMAIL']);
  return await withAdmin(async (call) => {
    const wanted = given.trim().toLowerCase();
    const user = ((await call('GET', '/users')) as User[]).find(({ id, email }) =>
      [id, email].includes(wanted),
    );
    if (user === undefined)
      throw usageError(usage, `There is no user “${given}”. “throughline users list” lists them.`);
    await change(call, user);
    return user;
  });
}
