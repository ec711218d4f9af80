import { testDestination } from '@generated/sdk.gen.ts';
import type { ChooseRecord, Destination, DestinationTested } from '@generated/types.gen.ts';
import { useState } from 'react';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Refusal } from '../../components/pane.tsx';

/** Sends one record, and says what the network answered. */
export function TestOf({ destination, chosen }: { destination: Destination; chosen: ChooseRecord }) {
  const refresh = useRefresh();
  const [tested, setTested] = useState<DestinationTested | null>(null);
  const change = useChange<void, { data: DestinationTested }>(
    async (client) => {
      setTested(null);
      const path = { destinationId: destination.id };
      return await testDestination({ client, path, body: chosen, throwOnError: true }).finally(async () => {
        await Promise.all([refresh('destinations'), refresh('deliveries')]);
      });
    },
    ({ data }) => setTested(data),
  );
  return (
    <div className="grid justify-items-start gap-2">
      <button type="button" className="btn" aria-disabled={change.isRunning} onClick={() => change.run()}>
        {change.isRunning ? 'Sending' : 'Send it as a test'}
      </button>
      <p className="meta">Where the network knows tests, it is marked as one; elsewhere it counts.</p>
      <div role="status" className="empty:hidden">
        {tested !== null && <Accepted {...tested} />}
        <Refusal error={change.error} />
      </div>
    </div>
  );
}

function Accepted({ record: { kind, name }, httpStatus }: DestinationTested) {
  const what = kind === 'event' ? `event ${name}` : kind;
  return (
    <p>
      <b>The test was accepted.</b> The network answered {httpStatus} to the {what}.
    </p>
  );
}
