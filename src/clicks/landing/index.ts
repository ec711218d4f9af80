export { readClipboardToken } from './clipboard-token.ts';
export { landingPage } from './landing-page.ts';
export { needsPage } from './needs-page.ts';
