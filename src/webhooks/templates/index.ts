import { renderDiscord } from './discord.ts';
import { composeMessage, type Notice } from './message.ts';
import { renderSlack } from './slack.ts';
import { renderTeams } from './teams.ts';

export type { Notice } from './message.ts';

export type TemplateId = 'slack' | 'discord' | 'teams';

export interface TemplateConfig {
  /** Text that may ping: `@here`, or a mention in the platform's syntax. */
  readonly mentionText: string | null;
  /** `#` and six hex digits; null uses the event's colour. */
  readonly accentColor: string | null;
}

/** Items of `GET /v1/webhooks/templates`. */
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

/** Renders an event as a chat message, to be sent as JSON. Event data cannot ping; the mention text can. */
export function renderMessage(template: TemplateId, notice: Notice, config: TemplateConfig): object {
  const message = composeMessage(notice, config.accentColor);
  return RENDERERS[template](message, config.mentionText?.trim() || null);
}
