export { readClipboardToken } from './clipboard-token.ts';
export { landingPage } from './landing-page.ts';
export { type Arrival, needsPage, type PageReason } from './needs-page.ts';
