import { deleteLink } from '@generated/sdk.gen.ts';
import type { Link } from '@generated/types.gen.ts';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Confirm } from '../../components/confirm.tsx';
import { linkAddress } from './link-name.ts';

const route = getRouteApi('/$appId/links/$shortCode');

export function DeleteLink({ link, isOpen, onClose }: { link: Link; isOpen: boolean; onClose: () => void }) {
  const { appId } = route.useParams();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const change = useChange<void, unknown>(
    async (client) => await deleteLink({ client, path: { shortCode: link.shortCode }, throwOnError: true }),
    async () => {
      await navigate({ to: '/$appId/links', params: { appId } });
      await refresh('links');
    },
  );
  return (
    <Confirm
      title={`Delete ${linkAddress(link)}?`}
      action={`Delete ${linkAddress(link)}`}
      isOpen={isOpen}
      onClose={onClose}
      change={change}
    >
      Its visitors then get a page that says it does not exist. Its code is never used again; its numbers
      stay.
    </Confirm>
  );
}
