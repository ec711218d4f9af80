import { renderDiscord } from './discord.ts';
import { composeMessage, type Notice } from './message.ts';
import { renderSlack } from './slack.ts';
import { renderTeams } from './teams.ts';

export type { Notice } from './message.ts';

export type TemplateId = 'slack' | 'discord' | 'teams';

/** A webhook's options for its chat platform. */
export interface TemplateConfig {
  /** The owner's own text, which may ping: `@here`, or a mention in the platform's spelling. */
  readonly mentionText: string | null;
  /** `#` and six hex digits; null leaves the event its own colour. */
  readonly accentColor: string | null;
}

/** As `GET /v1/webhooks/templates` answers. */
export const TEMPLATES: readonly { id: TemplateId; name: string; description: string }[] = [
  { id: 'slack', name: 'Slack', description: 'Block-layout message with colour-coded sidebar' },
  {
    id: 'discord',
    name: 'Discord',
    description: 'Rich embed with colour-coded sidebar and inline fields',
  },
  { id: 'teams', name: 'Microsoft Teams', description: 'Adaptive Card v1.4' },
];

const RENDERERS = { slack: renderSlack, discord: renderDiscord, teams: renderTeams };

/** The message that tells a chat of an event, to be sent as JSON. What the event's data hold pings nobody. */
export function renderMessage(template: TemplateId, notice: Notice, config: TemplateConfig): object {
  const message = composeMessage(notice, config.accentColor);
  return RENDERERS[template](message, config.mentionText?.trim() || null);
}
