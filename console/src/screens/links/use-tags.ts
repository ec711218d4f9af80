import { listTags } from '@generated/sdk.gen.ts';
import { useRead } from '../../api/use-read.ts';

/** Those that links of the app have. */
export function useTags(): readonly string[] {
  const { data = [] } = useRead(['links', 'tags'], (client, signal) =>
    listTags({ client, signal, throwOnError: true }),
  );
  return data.map(({ tag }) => tag);
}
