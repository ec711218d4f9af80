import * as z from 'zod';
import { confirm, given, id } from '../inputs.ts';
import { defineTool } from '../tool.ts';

export const PRIVACY_TOOLS = [
  defineTool({
    name: 'erase_person',
    title: 'Erase a person’s data',
    description:
      'Erases what is held of a person, by user ID, IP address or both, for good. Without confirm it counts what would be erased, and erases nothing.',
    effect: 'destroys',
    input: {
      userId: z.string().min(1).max(255).optional(),
      ipAddress: z.string().min(1).max(64).optional().describe('IPv4 or IPv6'),
      requesterEmail: z
        .string()
        .min(1)
        .max(255)
        .optional()
        .describe('Who asked; kept in the audit log alone'),
      spareShared: z
        .boolean()
        .optional()
        .describe('true: leaves out records at the person’s address that nobody is known to have made'),
      confirm,
    },
    async run({ confirm: isConfirmed, ...person }, { client, signal }) {
      const answer = await client.privacy.erase({ ...given(person), dryRun: !isConfirmed }, { signal });
      if (isConfirmed) return { data: answer, say: 'read_erasure tells when each request is done.' };
      return {
        data: { wouldErase: answer },
        say: 'Nothing was erased. Show these counts to a person, and call again with confirm: true once they agree.',
      };
    },
  }),
  defineTool({
    name: 'read_erasure',
    title: 'Read an erasure',
    description: 'Whether an erasure is done. erase_person answers the ids of its requests.',
    effect: 'reads',
    input: { requestId: id },
    async run(input, { client, signal }) {
      return { data: await client.privacy.getErasure(input.requestId, { signal }) };
    },
  }),
];
