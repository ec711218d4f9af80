/** Where a result of the search is in the console; pure. */
import type { SearchResult } from '@generated/types.gen.ts';
import { linkOptions } from '@tanstack/react-router';
import { idAfter } from '../webhooks/state.ts';

export function placeOf(appId: string, { type, id, deletedAt }: SearchResult) {
  const params = { appId };
  switch (type) {
    case 'install':
      return linkOptions({ to: '/$appId/installs/$installId', params: { appId, installId: id } });
    case 'click':
      return linkOptions({ to: '/$appId/clicks/$id', params: { appId, id } });
    case 'open':
      return linkOptions({ to: '/$appId/opens/$id', params: { appId, id } });
    case 'event':
      return linkOptions({ to: '/$appId/events/$id', params: { appId, id } });
    case 'user':
      return linkOptions({ to: '/$appId/user', params, search: { id } });
    case 'link':
      if (deletedAt !== undefined)
        return linkOptions({ to: '/$appId/audit-log', params, search: { shortCode: id } });
      return linkOptions({ to: '/$appId/links/$shortCode', params: { appId, shortCode: id } });
    case 'campaign':
      return linkOptions({ to: '/$appId', params, search: { campaignId: id } });
    case 'tag':
      return linkOptions({ to: '/$appId/links', params, search: { tag: id } });
    case 'message':
      return linkOptions({
        to: '/$appId/webhooks',
        params,
        // The page of messages that it begins.
        search: { tab: 'deliveries', before: idAfter(id), id },
      });
  }
}
