import type { InstallDetails } from '@generated/types.gen.ts';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useShortcuts } from '../../components/shortcuts.ts';
import { useNeighbours } from './use-trace.ts';

const route = getRouteApi('/$appId/installs/$installId');

/** To the newer and the older install of the list. */
export function Neighbours({ install }: { install: InstallDetails }) {
  const { appId, installId: chosenId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const neighbours = useNeighbours(install, search);
  // While the next install is read, the page shows the one before.
  const isChosen = install.id === chosenId;
  const newerId = isChosen ? neighbours.newerId : null;
  const olderId = isChosen ? neighbours.olderId : null;
  const go = (installId: string | null) => {
    if (installId === null) return;
    void navigate({ to: '/$appId/installs/$installId', params: { appId, installId }, search });
  };
  useShortcuts({
    ...(newerId !== null && { k: () => go(newerId) }),
    ...(olderId !== null && { j: () => go(olderId) }),
  });
  return (
    <div className="ml-auto flex gap-2 max-phone:ml-0">
      <button type="button" className="btn" disabled={newerId === null} onClick={() => go(newerId)}>
        Newer <kbd>K</kbd>
      </button>
      <button type="button" className="btn" disabled={olderId === null} onClick={() => go(olderId)}>
        Older <kbd>J</kbd>
      </button>
    </div>
  );
}
