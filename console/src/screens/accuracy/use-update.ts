import { updateOwnApp } from '@generated/sdk.gen.ts';
import type { UpdateApp } from '@generated/types.gen.ts';
import { type Change, useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';

/** Changes the app, whose curve is then read again. */
export function useUpdate(): Change<UpdateApp> {
  const refresh = useRefresh();
  return useChange<UpdateApp, unknown>(
    (client, body) => updateOwnApp({ client, body, throwOnError: true }),
    async () => {
      await Promise.all([refresh('accuracy'), refresh('app')]);
    },
  );
}
